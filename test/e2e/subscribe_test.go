package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/kafkatest"
)

const subscribers = "../../examples/subscribe"

// plainClients are the examples of subscribing, each as the command that runs
// it with brokers, topic and group behind it. What they build is put into the
// folder.
func plainClients(folder string) map[string]func(t *testing.T) []string {
	return map[string]func(t *testing.T) []string{
		"python": func(t *testing.T) []string {
			return []string{python(t), filepath.Join(subscribers, "subscribe.py")}
		},
		"go": func(t *testing.T) []string {
			binary := filepath.Join(folder, "subscribe")
			if out, err := exec.Command("go", "build", "-o", binary, subscribers).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			return []string{binary}
		},
		"java": func(t *testing.T) []string {
			libs := os.Getenv("AUDITSTREAM_TEST_KAFKA_LIBS")
			if _, err := exec.LookPath("javac"); err != nil || libs == "" {
				kafkatest.SkipOrFail(t, "NOT RUN with Java: it needs a JDK, and Kafka's jars in AUDITSTREAM_TEST_KAFKA_LIBS")
			}
			classes, path := folder, filepath.Join(libs, "*")
			out, err := exec.Command("javac", "-Xlint:all", "-Werror", "-proc:none", "-cp", path, "-d", classes, filepath.Join(subscribers, "Subscribe.java")).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			return []string{"java", "-cp", classes + ":" + path, "Subscribe"}
		},
	}
}

// told is a FINDING report of one finding.
func told(t *testing.T, topic, id string, state engine.State) *kgo.Record {
	t.Helper()
	r := engine.Report{Topic: "ticks", Trigger: engine.TriggerFinding, Mode: "LIVE", Findings: []engine.Finding{{
		ID: id, Code: engine.UpstreamDisorder, State: state, Severity: engine.Warning, Topic: "ticks", Symbol: "AAPL", Cause: "a step back",
	}}}
	value, err := json.Marshal(&r)
	if err != nil {
		t.Fatal(err)
	}
	return &kgo.Record{Topic: topic, Value: value}
}

// Every client is told each event once: not what was aborted, not a repeat,
// and after a restart what came meanwhile.
func TestPlainClientsSubscribeAsTheExamplesShow(t *testing.T) {
	c := kafkatest.Real(t)
	topic := c.Topic(t, 1)
	writer := c.Client(t, kgo.TransactionalID(kafkatest.Name(t)))
	var last int64 // offset of the last report
	transaction := func(end kgo.TransactionEndTry, records ...*kgo.Record) {
		if err := writer.BeginTransaction(); err != nil {
			t.Fatal(err)
		}
		if err := writer.ProduceSync(t.Context(), records...).FirstErr(); err != nil {
			t.Fatal(err)
		}
		if err := writer.EndTransaction(t.Context(), end); err != nil {
			t.Fatal(err)
		}
		last = records[len(records)-1].Offset
	}
	transaction(kgo.TryCommit, told(t, topic, "a", engine.Opened), told(t, topic, "a", engine.Opened))
	transaction(kgo.TryAbort, told(t, topic, "aborted", engine.Opened))
	transaction(kgo.TryCommit, told(t, topic, "a", engine.Updated), told(t, topic, "a", engine.Resolved), told(t, topic, "b", engine.Opened))

	type client struct {
		command []string
		group   string
	}
	clients := map[string]client{}
	expect := func(t *testing.T, name string, lines ...string) {
		t.Helper()
		command := append(append([]string{}, clients[name].command...), c.Brokers[0], topic, clients[name].group)
		cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
		var complaint bytes.Buffer
		cmd.Stderr = &complaint
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = cmd.Wait() }()
		defer func() { _ = cmd.Process.Signal(os.Interrupt) }() // it leaves its group, or the next would wait for it
		watchdog := time.AfterFunc(kafkatest.AwaitTimeout, func() { _ = cmd.Process.Kill() })
		defer watchdog.Stop()
		scanner := bufio.NewScanner(out)
		for _, want := range lines {
			if !scanner.Scan() {
				t.Fatalf("%s ended before %q:\n%s", name, want, &complaint)
			}
			if scanner.Text() != want {
				t.Fatalf("%s told %q, want %q", name, scanner.Text(), want)
			}
		}
		kafkatest.Eventually(t, name+" to commit", func() bool {
			offsets, err := c.Admin(t).FetchOffsets(t.Context(), clients[name].group)
			at, _ := offsets.Lookup(topic, 0)
			return err == nil && at.At > last
		})
	}
	for name, command := range plainClients(t.TempDir()) {
		group := c.Group(t)
		t.Run(name, func(t *testing.T) {
			clients[name] = client{command(t), group}
			expect(t, name, "OPENED WARNING UPSTREAM_DISORDER a AAPL: a step back",
				"RESOLVED WARNING UPSTREAM_DISORDER a AAPL: a step back", "OPENED WARNING UPSTREAM_DISORDER b AAPL: a step back")
		})
	}
	transaction(kgo.TryCommit, told(t, topic, "b", engine.Resolved))
	for _, name := range slices.Sorted(maps.Keys(clients)) {
		t.Run(name+"-again", func(t *testing.T) {
			expect(t, name, "RESOLVED WARNING UPSTREAM_DISORDER b AAPL: a step back")
		})
	}
}
