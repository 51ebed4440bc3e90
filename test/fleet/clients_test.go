package fleet

import (
	"bytes"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/kafkatest"
)

// client is a producer of some library. column is the fixture's name of the
// function that it uses, function the engine's.
type client struct {
	name, column, function string
	produce                func(t *testing.T, a *audit, lines []byte)
	text                   bool // takes keys that are text of one line only
}

// message is a record for a client.
type message struct {
	Key   string `json:"key"` // hex
	Value string `json:"value"`
}

func python(t *testing.T, module string) string {
	return tool(t, "AUDITSTREAM_TEST_PYTHON", "python3", "-c", "import "+module)
}

func confluent(settings ...string) func(*testing.T, *audit, []byte) {
	return func(t *testing.T, a *audit, lines []byte) {
		args := append([]string{"produce.py", "confluent-kafka", a.Brokers[0], a.topic}, settings...)
		output(t, lines, exec.Command(python(t, "confluent_kafka"), args...))
	}
}

func kafkajs(partitioner string) func(*testing.T, *audit, []byte) {
	return func(t *testing.T, a *audit, lines []byte) {
		modules := os.Getenv("AUDITSTREAM_TEST_NODE_MODULES")
		if _, err := os.Stat(filepath.Join(modules, "kafkajs")); modules == "" || err != nil {
			kafkatest.SkipOrFail(t, "no kafkajs in %q: npm install kafkajs@2.2.4 and set AUDITSTREAM_TEST_NODE_MODULES to its node_modules", modules)
		}
		cmd := exec.Command(tool(t, "AUDITSTREAM_TEST_NODE", "node", "--version"), "produce.js", a.Brokers[0], a.topic, partitioner)
		cmd.Env = append(os.Environ(), "NODE_PATH="+modules)
		output(t, lines, cmd)
	}
}

// javaClient writes through Kafka's own console producer, which is the Java
// client with its default partitioner; its keys are lines of text.
func javaClient(t *testing.T, a *audit, lines []byte) {
	libs := os.Getenv("AUDITSTREAM_TEST_KAFKA_LIBS")
	if _, err := os.Stat(libs); libs == "" || err != nil {
		kafkatest.SkipOrFail(t, "no jars of Kafka in %q: set AUDITSTREAM_TEST_KAFKA_LIBS to the libs folder that .ci/kafka/start fills", libs)
	}
	var in bytes.Buffer
	for line := range bytes.Lines(lines) {
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatal(err)
		}
		key, err := hex.DecodeString(m.Key)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&in, "%s\t%s\n", key, m.Value)
	}
	output(t, in.Bytes(), exec.Command(tool(t, "AUDITSTREAM_TEST_JAVA", "java", "-version"), "-Xmx128m", "-cp", filepath.Join(libs, "*"),
		"org.apache.kafka.tools.ConsoleProducer", "--bootstrap-server", a.Brokers[0], "--topic", a.topic,
		"--property", "parse.key=true", "--property", "key.separator=\t"))
}

var clients = []client{
	{"confluent-kafka", "crc32", "crc32", confluent(), false},
	{"confluent-kafka murmur2", "murmur2", "murmur2", confluent("partitioner=murmur2_random"), false},
	{"kafka-python", "murmur2", "murmur2", func(t *testing.T, a *audit, lines []byte) {
		output(t, lines, exec.Command(python(t, "kafka"), "produce.py", "kafka-python", a.Brokers[0], a.topic))
	}, false},
	{"kafkajs", "murmur2", "murmur2", kafkajs("DefaultPartitioner"), false},
	{"kafkajs legacy", "kafkajs_legacy", "kafkajs-legacy", kafkajs("LegacyPartitioner"), false},
	{"java", "murmur2", "murmur2", javaClient, true},
}

// vector is a key of the fixture with where each function puts it.
type vector struct {
	key string
	at  map[string]int32 // by column
}

func vectors(t *testing.T, partitions int) (out []vector) {
	t.Helper()
	f, err := os.Open("../../engine/testdata/partitioner-vectors.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		key, err := hex.DecodeString(row[0])
		if err != nil {
			t.Fatal(err)
		}
		if row[1] != strconv.Itoa(partitions) || len(key) == 0 {
			continue
		}
		v := vector{string(key), map[string]int32{}}
		for i, column := range rows[0][2:] {
			n, err := strconv.ParseInt(row[2+i], 10, 32)
			if err != nil {
				t.Fatal(err)
			}
			v.at[column] = int32(n)
		}
		out = append(out, v)
	}
	return out
}

// oneLine reports whether a key survives a text reader of lines.
func oneLine(key string) bool {
	return utf8.ValidString(key) && !strings.ContainsAny(key, "\t\r\n\x00")
}

const start = int64(1_735_831_800_000_000_000)

// messages are ticks of the keys. Each has a symbol of its own, as not every
// key is text.
func messages(t *testing.T, keys []vector, c *client, round int) []byte {
	t.Helper()
	var out bytes.Buffer
	for i, v := range keys {
		if c.text && !oneLine(v.key) {
			continue
		}
		line, err := json.Marshal(message{
			hex.EncodeToString([]byte(v.key)), fmt.Sprintf(`{"symbol":"K%02d","timestamp_ns":%d}`, i, start+int64(round)*1_000_000),
		})
		if err != nil {
			t.Fatal(err)
		}
		out.Write(append(line, '\n'))
	}
	return out.Bytes()
}

// judge audits records with the engine and returns the FINAL report. Each is
// written so many times.
func judge(partitions int, written map[*kgo.Record]int) *engine.Report {
	limits := engine.DefaultLimits()
	limits.Replay = true
	parts := make([]*engine.Partition, partitions)
	for id := range parts {
		parts[id] = engine.NewPartition("ticks", int32(id), int32(partitions), &limits)
	}
	records := make([]*kgo.Record, 0, len(written))
	for r := range written {
		records = append(records, r)
	}
	slices.SortFunc(records, func(a, b *kgo.Record) int { return bytes.Compare(a.Key, b.Key) })
	next, at := make([]int64, partitions), start
	for _, r := range records {
		for range written[r] {
			at += 1e6
			// The key is the symbol: where it lies is all that is judged here.
			parts[r.Partition].Observe(&engine.Tick{
				Offset: next[r.Partition], EventTime: at, RecordTime: at, Symbol: r.Key, Key: r.Key, Value: r.Value, Unit: engine.UnitNanos,
			}, engine.NoTime)
			next[r.Partition]++
		}
	}
	topic := engine.NewTopic("ticks", int32(partitions), &limits)
	for _, p := range parts {
		p.Close(at)
		topic.Fold(p.Snapshot().Stats)
	}
	return topic.Final("")
}

func times(records []*kgo.Record, n int) map[*kgo.Record]int {
	m := map[*kgo.Record]int{}
	for _, r := range records {
		m[r] = n
	}
	return m
}

// functions are those that the report's PARTITIONER_MIXED names, in
// alphabetical order; the report's own where there is none.
func functions(t *testing.T, r *engine.Report) []string {
	t.Helper()
	for _, f := range r.Findings {
		if f.Code != engine.PartitionerMixed {
			continue
		}
		// Through JSON, as evidence comes from a topic.
		b, err := json.Marshal(f.Evidence["functions"])
		if err != nil {
			t.Fatal(err)
		}
		var named []engine.Function
		if err := json.Unmarshal(b, &named); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, g := range named {
			names = append(names, strings.Join(append([]string{g.Name}, g.Or...), "|"))
		}
		slices.Sort(names)
		return names
	}
	return []string{r.Partitioner}
}

// TestClientsAreNamed has each client write the keys of the fixture, holds
// where they came to lie against it, and names the functions of each client
// alone and of each pair, one of which wrote 1 record in 100.
func TestClientsAreNamed(t *testing.T) {
	for _, partitions := range []int{3, 8, 12} {
		t.Run(strconv.Itoa(partitions)+" partitions", func(t *testing.T) {
			keys := vectors(t, partitions)
			at := map[string]vector{}
			for _, v := range keys {
				at[v.key] = v
			}
			written := map[string][]*kgo.Record{}
			for i := range clients {
				c := &clients[i]
				a := newAudit(t, partitions)
				lines := messages(t, keys, c, 0)
				c.produce(t, a, lines)
				records := a.ReadAll(t, a.topic, true)
				if len(records) != bytes.Count(lines, []byte("\n")) || len(records) < 40 {
					t.Fatalf("%s: %d records were written of %d keys", c.name, len(records), len(keys))
				}
				for _, r := range records {
					if want := at[string(r.Key)].at[c.column]; r.Partition != want {
						t.Errorf("%s put key %x on %d, the fixture says %d", c.name, r.Key, r.Partition, want)
					}
				}
				written[c.name] = records
				if got := functions(t, judge(partitions, times(records, 1))); !slices.Equal(got, []string{c.function}) {
					t.Errorf("%s alone: named %v", c.name, got)
				}
			}
			for _, most := range clients {
				for _, few := range clients {
					both := times(written[most.name], 99)
					for r := range times(written[few.name], 1) {
						both[r] = 1
					}
					want := []string{most.function, few.function}
					slices.Sort(want)
					if got := functions(t, judge(partitions, both)); !slices.Equal(got, slices.Compact(want)) {
						t.Errorf("99 %% %s, 1 %% %s: named %v", most.name, few.name, got)
					}
				}
			}
		})
	}
}

// TestMixedTopicIsNamedByTheProgram has two clients write one topic, and the
// program audit it.
func TestMixedTopicIsNamedByTheProgram(t *testing.T) {
	const partitions = 12
	a := newAudit(t, partitions, "partitioner=java", "field.producer=producer")
	keys := vectors(t, partitions)
	var lines []byte
	for round := range 99 {
		lines = append(lines, messages(t, keys, &clients[0], round)...)
	}
	confluent("partitioner=murmur2_random", "header.producer=gateway")(t, a, lines)
	confluent("header.producer=pricer")(t, a, messages(t, keys, &clients[0], 99))
	a.toEnd(t)
	reports := a.read(t)
	r := final(t, reports)
	if got := functions(t, r); !slices.Equal(got, []string{"crc32", "murmur2"}) {
		t.Errorf("named %v; %s", got, r.Notes)
	}
	for _, code := range []engine.Code{engine.PartitionerMixed, engine.PartitionerMismatch} {
		if fs := opened(t, reports, code); len(fs) != 1 {
			t.Errorf("%d findings of %s", len(fs), code)
		}
	}
	for _, f := range r.Findings {
		if f.Code != engine.PartitionerMismatch {
			continue
		}
		if said := fmt.Sprint(f.Evidence["producers"]); !strings.Contains(said, "pricer") || strings.Contains(said, "gateway") {
			t.Errorf("producers that contradict the configuration: %s", said)
		}
	}
	if len(opened(t, reports, engine.SymbolSplit)) == 0 {
		t.Error("no symbol is split")
	}
}

// TestIgnoredKeysAreNamedByTheProgram has the only producer of a topic choose
// partitions at random.
func TestIgnoredKeysAreNamedByTheProgram(t *testing.T) {
	const partitions = 8
	a := newAudit(t, partitions)
	keys := vectors(t, partitions)
	var lines []byte
	for round := range 30 {
		lines = append(lines, messages(t, keys, &clients[0], round)...)
	}
	confluent("partitioner=random")(t, a, lines)
	a.toEnd(t)
	reports := a.read(t)
	if got := functions(t, final(t, reports)); !slices.Equal(got, []string{"keys-ignored"}) {
		t.Errorf("named %v; %s", got, final(t, reports).Notes)
	}
	if fs := opened(t, reports, engine.PartitionerMixed); len(fs) != 1 || !strings.Contains(fs[0].Cause, "are ignored") {
		t.Errorf("findings %+v", fs)
	}
	out, err := command(t, "check", "-c", a.configure(t), "--fail-on", "never").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "keys are ignored: ") {
		t.Errorf("check: %v\n%s", err, out)
	}
}
