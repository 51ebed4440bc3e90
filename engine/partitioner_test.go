package engine

import (
	"bytes"
	"encoding/csv"
	"encoding/hex"
	"hash/crc32"
	"hash/fnv"
	"math/rand"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Every row of the fixture was produced by a real client to a real broker and
// read back.
func TestHashesAgainstClients(t *testing.T) {
	f, err := os.Open("testdata/partitioner-vectors.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 1+66*7 {
		t.Fatalf("%d rows in the fixture, want a header, 66 keys and 7 partition counts", len(rows))
	}
	columns := map[string]Hash{
		"murmur2": HashMurmur2, "crc32": HashCRC32, "fnv1a_abs": HashFNV1aAbs, "fnv1a_mask": HashFNV1aMask,
		"fnv1a_unsigned": HashFNV1aUint, "kafkajs_legacy": HashKafkaJSLegacy,
	}
	for _, row := range rows[1:] {
		key, err := hex.DecodeString(row[0])
		if err != nil {
			t.Fatal(err)
		}
		n := atoi32(t, row[1])
		for i, column := range rows[0][2:] {
			if got, want := columns[column].Partition(key, n), atoi32(t, row[2+i]); got != want {
				t.Errorf("%s of %s over %d: %d, the client wrote to %d", column, row[0], n, got, want)
			}
		}
	}
}

func atoi32(t *testing.T, s string) int32 {
	t.Helper()
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	return int32(n)
}

func TestMurmur2Reference(t *testing.T) {
	for key, want := range map[string]int32{
		"21": -973932308, "foobar": -790332482, "a-little-bit-long-string": -985981536,
		"a-little-bit-longer-string": -1486304829, "abc": 479470107,
	} {
		if got := Murmur2([]byte(key)); got != want {
			t.Errorf("murmur2 of %q is %d, want %d", key, got, want)
		}
	}
	if got := Murmur2([]byte("100:48069")) & 0x7fffffff; got != 1009543857 {
		t.Errorf("murmur2 of 100:48069 without sign is %d, want 1009543857", got)
	}
}

func TestAAPLOver16(t *testing.T) {
	if got := HashCRC32.Partition([]byte("AAPL"), 16); got != 12 {
		t.Errorf("crc32 puts AAPL on %d, want 12", got)
	}
	if got := HashMurmur2.Partition([]byte("AAPL"), 16); got != 1 {
		t.Errorf("murmur2 puts AAPL on %d, want 1", got)
	}
}

// Numbers that were run with the libraries themselves, by column: murmur2,
// crc32, fnv1a-abs, fnv1a-mask, fnv1a-uint. -1: not told.
func TestHashesOnReportedKeys(t *testing.T) {
	framed := func(id byte) string { return "\x00\x00\x00\x00" + string(rune(id)) + "\x06QXA" }
	for _, c := range []struct {
		key  string
		n    int32
		want [5]int32
	}{
		{"QXA", 3, [5]int32{2, 1, 1, 1, 1}}, {"QXA", 8, [5]int32{0, 7, 7, 7, 7}}, {"QXA", 12, [5]int32{8, 7, 7, 7, 7}},
		{"QXB", 3, [5]int32{1, 0, 0, 0, 0}}, {"QXB", 8, [5]int32{6, 5, 2, 2, 2}}, {"QXB", 12, [5]int32{10, 9, 6, 6, 6}},
		{"ZTKR", 3, [5]int32{0, 0, 2, 0, 2}}, {"ZTKR", 8, [5]int32{2, 0, 2, 6, 6}}, {"ZTKR", 12, [5]int32{6, 0, 2, 6, 2}},
		{"BTC-USD", 3, [5]int32{0, 2, 2, 2, 2}}, {"BTC-USD", 8, [5]int32{1, 0, 1, 1, 1}}, {"BTC-USD", 12, [5]int32{9, 8, 5, 5, 5}},
		{"qxa", 12, [5]int32{0, 9, 1, 7, 3}}, {"", 12, [5]int32{9, -1, 3, 5, 1}},
		{"QXA ", 12, [5]int32{5, -1, -1, -1, -1}}, {"QXA\n", 12, [5]int32{11, -1, -1, -1, -1}},
		{"CAF\u00c9", 12, [5]int32{0, -1, -1, -1, -1}}, {"CAFE\u0301", 12, [5]int32{1, -1, -1, -1, -1}},
		{framed(7), 12, [5]int32{1, 3, 8, 8, 8}}, {framed(8), 12, [5]int32{8, 6, 1, 1, 1}},
	} {
		for i, want := range c.want {
			if got := Hashes()[i].Partition([]byte(c.key), c.n); want >= 0 && got != want {
				t.Errorf("%v of %q over %d is %d, want %d", Hashes()[i], c.key, c.n, got, want)
			}
		}
	}
}

// The same keys through the libraries' own code, thousands of them.
func TestHashesAgainstLibraries(t *testing.T) {
	fnv32 := func(b []byte) uint32 { h := fnv.New32a(); h.Write(b); return h.Sum32() }
	through := func(make sarama.PartitionerConstructor) func([]byte, int) int {
		p := make("ticks")
		return func(key []byte, n int) int {
			got, err := p.Partition(&sarama.ProducerMessage{Key: sarama.ByteEncoder(key)}, int32(n))
			if err != nil {
				t.Fatal(err)
			}
			return int(got)
		}
	}
	franz := kgo.StickyKeyPartitioner(nil).ForTopic("ticks")
	libraries := []struct {
		partitioner string
		place       func(key []byte, n int) int
	}{
		{"sarama", through(sarama.NewHashPartitioner)},
		{"sarama:reference", through(sarama.NewReferenceHashPartitioner)},
		{"sarama:crc32", through(sarama.NewConsistentCRCHashPartitioner)},
		{"sarama:murmur2", through(sarama.NewMurmur2Partitioner)},
		{"franz-go:sticky-key", func(key []byte, n int) int { return franz.Partition(&kgo.Record{Key: key}, n) }},
		{"franz-go:sarama-compat", kgo.SaramaCompatHasher(fnv32)},
		{"franz-go:sarama", kgo.SaramaHasher(fnv32)},
		{"franz-go:sarama-crc32", kgo.SaramaHasher(crc32.ChecksumIEEE)},
		{"franz-go:kafka-fnv1a", kgo.KafkaHasher(fnv32)},
	}
	random := rand.New(rand.NewSource(1))
	for range 2000 {
		key := make([]byte, random.Intn(40))
		random.Read(key)
		n := 1 + random.Intn(300)
		for _, l := range libraries {
			p, err := PartitionerByName(l.partitioner)
			if err != nil {
				t.Fatal(err)
			}
			got, reason, ok := p.Place(key, false, int32(n))
			if want := l.place(key, n); !ok || int(got) != want {
				t.Fatalf("%s: key %x over %d is %d (%s), the library says %d", l.partitioner, key, n, got, reason, want)
			}
		}
	}
}

func TestHashAllocatesNothing(t *testing.T) {
	key := []byte("BTC-USD")
	for _, h := range Hashes() {
		if n := testing.AllocsPerRun(100, func() { h.Partition(key, 12) }); n != 0 {
			t.Errorf("%v allocates %v times a key", h, n)
		}
	}
}

func FuzzHashesStayInRange(f *testing.F) {
	f.Add([]byte("QXA"), int32(12))
	f.Add([]byte{}, int32(1))
	f.Add(bytes.Repeat([]byte{0xff}, 300), int32(1<<31-1))
	f.Fuzz(func(t *testing.T, key []byte, n int32) {
		if n <= 0 {
			return
		}
		for _, h := range Hashes() {
			if p := h.Partition(key, n); p < 0 || p >= n {
				t.Errorf("%v of %x over %d is %d", h, key, n, p)
			}
		}
	})
}

func TestPartitionerTable(t *testing.T) {
	// The names by function, as users were promised them.
	promised := map[Hash]string{
		HashMurmur2: "murmur2 java kafka-python kafka-python:sticky aiokafka kafkajs kafkajs:default kafkajs:java-compatible " +
			"librdkafka:murmur2 librdkafka:murmur2_random franz-go franz-go:sticky-key sarama:murmur2 segmentio:murmur2 segmentio:murmur2-consistent",
		HashCRC32:         "crc32 librdkafka librdkafka:consistent_random librdkafka:consistent sarama:crc32 franz-go:sarama-crc32 segmentio:crc32 segmentio:crc32-consistent",
		HashFNV1aAbs:      "fnv1a-abs fnv1a sarama sarama:hash goka librdkafka:fnv1a librdkafka:fnv1a_random franz-go:sarama-compat segmentio:hash",
		HashFNV1aMask:     "fnv1a-mask sarama:reference segmentio:reference franz-go:kafka-fnv1a",
		HashFNV1aUint:     "fnv1a-uint franz-go:sarama",
		HashKafkaJSLegacy: "kafkajs-legacy kafkajs:legacy",
		HashNone:          "segmentio",
	}
	names := 0
	for hash, list := range promised {
		for _, name := range strings.Fields(list) {
			names++
			p, err := PartitionerByName(name)
			if err != nil || p.Hash != hash {
				t.Errorf("%s: hash %v, error %v; want %v", name, p.Hash, err, hash)
			}
		}
	}
	table := Partitioners()
	if len(table) != names-1 { // fnv1a is a second name
		t.Errorf("%d rows in the table, %d names promised", len(table), names-1)
	}
	seen := map[string]bool{}
	for _, p := range table {
		name := p.Client
		if p.Choice != "" {
			name += ":" + p.Choice
		}
		if p.Client == "" {
			name = p.Hash.String()
		}
		if name != p.Name || seen[p.Name] || (p.Client == "") != (p.Library == "") {
			t.Errorf("row %+v is not named by its client and choice, or stands twice, or has no library", p)
		}
		seen[p.Name] = true
	}
}

func TestPartitionerWithoutKey(t *testing.T) {
	const n = 12
	for _, c := range []struct {
		name        string
		null, empty int32 // -1: not by hash
	}{
		{"java", -1, 9}, {"kafka-python", -1, 9}, {"kafkajs", -1, 9}, {"franz-go", -1, 9},
		{"librdkafka", -1, -1}, {"librdkafka:consistent", 0, 0},
		{"librdkafka:murmur2", 9, 9}, {"librdkafka:murmur2_random", -1, 9},
		{"librdkafka:fnv1a", 3, 3}, {"librdkafka:fnv1a_random", -1, 3},
		{"sarama", -1, 3}, {"sarama:reference", -1, 5}, {"sarama:crc32", -1, 0}, {"goka", -1, 3},
		{"franz-go:sarama", -1, 1}, {"franz-go:sarama-crc32", -1, 0},
		{"segmentio", -1, -1}, {"segmentio:hash", -1, 3},
		{"segmentio:crc32", -1, -1}, {"segmentio:crc32-consistent", 0, 0},
		{"segmentio:murmur2", -1, 9}, {"segmentio:murmur2-consistent", 9, 9},
		{"murmur2", -1, 9}, {"crc32", -1, 0},
	} {
		p, err := PartitionerByName(c.name)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range []struct {
			kind string
			null bool
			want int32
		}{{"null", true, c.null}, {"empty", false, c.empty}} {
			got, reason, ok := p.Place([]byte{}, k.null, n)
			if got != k.want || ok != (k.want >= 0) || ok == (reason != "") {
				t.Errorf("%s, %s key: %d %q %v, want %d", c.name, k.kind, got, reason, ok, k.want)
			}
		}
	}
}

func TestPartitionerPlaceWithoutPartitions(t *testing.T) {
	for _, n := range []int32{0, -1} {
		if _, reason, ok := Partitioners()[0].Place([]byte("QXA"), false, n); ok || !strings.Contains(reason, "no partition") {
			t.Errorf("over %d partitions: %q %v", n, reason, ok)
		}
	}
}

func TestPartitionerUnknownName(t *testing.T) {
	for name, nearest := range map[string]string{
		"murmur": "murmur2", "Java": "java", "librdkafka:murmur2-random": "librdkafka:murmur2_random",
		"sarama:ref": "sarama:reference", "confluent-kafka": "librdkafka", "kafka-go": "segmentio", "": "murmur2",
		"librdkafka:random": "librdkafka:consistent_random", "librdkafka:": "librdkafka:consistent_random",
		"confluent-kafka:murmur2": "librdkafka:murmur2", "kafka-python:murmur2": "kafka-python:sticky", "librdkafa:murmur2": "librdkafka:murmur2",
	} {
		_, err := PartitionerByName(name)
		if err == nil || !strings.HasSuffix(err.Error(), strconv.Quote(nearest)) {
			t.Errorf("%q: %v, want %q named", name, err, nearest)
		}
		if strings.HasPrefix(name, "librdkafka:") && !strings.Contains(err.Error(), "the choices of librdkafka are consistent_random, consistent, murmur2_random") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func BenchmarkHash(b *testing.B) {
	key := []byte("BTC-USD")
	for _, h := range Hashes() {
		b.Run("hash="+h.String(), func(b *testing.B) {
			for b.Loop() {
				h.Partition(key, 16)
			}
		})
	}
}
