package engine

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
)

func partitioner(t *testing.T, name string) Partitioner {
	t.Helper()
	p, err := PartitionerByName(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func symbols(names ...string) (keys [][]byte) {
	for _, name := range names {
		keys = append(keys, []byte(name))
	}
	return keys
}

func TestPlanPartition(t *testing.T) {
	got, err := PlanPartition(partitioner(t, "librdkafka"), symbols("AAPL", "", "AAPL"), 16)
	if err != nil {
		t.Fatal(err)
	}
	want := []Placement{
		{Key: []byte("AAPL"), Partition: 12},
		{Key: []byte(""), Partition: -1, Reason: "librdkafka does not hash an empty key: sticky random"},
		{Key: []byte("AAPL"), Partition: 12},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestPlanRefusesNoPartitions(t *testing.T) {
	java := partitioner(t, "java")
	for _, n := range []int32{0, -3} {
		_, partition := PlanPartition(java, nil, n)
		_, divergence := PlanDivergence([]Partitioner{java, java}, nil, n)
		_, from := PlanGrowth(java, nil, n, 8)
		_, to := PlanGrowth(java, nil, 8, n)
		for i, err := range []error{partition, divergence, from, to} {
			if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%d partitions", n)) {
				t.Errorf("plan %d over %d partitions: %v", i, n, err)
			}
		}
	}
}

func TestNormalizeKey(t *testing.T) {
	for in, want := range map[string]string{
		"qxa": "QXA", " QXA\r\n": "QXA", "btc-usd\t": "BTC-USD", "": "", " ": "", "caf\u00e9": "CAF\u00c9",
		"\u00a0qxa\u2003": "QXA", "\xffqxa ": "\xffQXA",
	} {
		if got := string(NormalizeKey([]byte(in))); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
	mine := []byte("\xffqxa")
	if NormalizeKey(mine); string(mine) != "\xffqxa" {
		t.Errorf("the caller's bytes were changed to %q", mine)
	}
}

// Two producers of one topic: murmur2 and crc32, as told in a bug report.
func TestPlanDivergence(t *testing.T) {
	clients := []Partitioner{partitioner(t, "java"), partitioner(t, "librdkafka"), partitioner(t, "librdkafka:murmur2_random")}
	got, err := PlanDivergence(clients, symbols("QXA", "QXB", "QXA", "BTC-USD", ""), 12)
	if err != nil {
		t.Fatal(err)
	}
	want := []Divergence{
		{[]byte("QXA"), []int32{8, 7, 8}}, {[]byte("QXB"), []int32{10, 9, 10}},
		{[]byte("BTC-USD"), []int32{9, 8, 9}}, {[]byte(""), []int32{9, -1, 9}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestPlanDivergenceOfVariants(t *testing.T) {
	for _, c := range []struct {
		a, b    string
		n       int32
		differs string
	}{
		{"sarama", "sarama:reference", 12, "ZTKR qxa"},
		{"sarama:reference", "franz-go:sarama", 8, ""}, // one function where the count is a power of two
		{"sarama", "goka", 12, ""},
		{"java", "kafkajs:legacy", 1, ""},
		{"segmentio", "segmentio", 12, "QXA ZTKR qxa"}, // spreads every symbol
		{"java", "segmentio", 1, "QXA ZTKR qxa"},
	} {
		got, err := PlanDivergence([]Partitioner{partitioner(t, c.a), partitioner(t, c.b)}, symbols("QXA", "ZTKR", "qxa"), c.n)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, d := range got {
			names = append(names, string(d.Symbol))
		}
		if strings.Join(names, " ") != c.differs {
			t.Errorf("%s and %s over %d differ on %v, want %q", c.a, c.b, c.n, names, c.differs)
		}
	}
	if _, err := PlanDivergence([]Partitioner{partitioner(t, "java")}, nil, 3); err == nil {
		t.Error("one client compared with nothing")
	}
}

// sarama's default from 8 to 12 partitions, as told in a bug report.
func TestPlanGrowth(t *testing.T) {
	got, err := PlanGrowth(partitioner(t, "sarama"), symbols("QXA", "QXB", "BTC-USD", "QXB"), 8, 12)
	if err != nil {
		t.Fatal(err)
	}
	want := Growth{
		From: 8, To: 12, Symbols: 3,
		Moves:    []Move{{[]byte("QXB"), 2, 6}, {[]byte("BTC-USD"), 1, 5}},
		Stranded: []Stranded{{Partition: 1, Symbols: 1}, {Partition: 2, Symbols: 1}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestPlanGrowthEdges(t *testing.T) {
	same, err := PlanGrowth(partitioner(t, "java"), symbols("QXA", "QXB"), 12, 12)
	if err != nil || len(same.Moves) != 0 || same.Symbols != 2 {
		t.Errorf("12 to 12: %+v, %v", same, err)
	}
	if _, err := PlanGrowth(partitioner(t, "java"), nil, 12, 8); err == nil || !strings.Contains(err.Error(), "cannot shrink") {
		t.Errorf("12 to 8: %v", err)
	}
	spread, err := PlanGrowth(partitioner(t, "librdkafka"), symbols("", "QXA"), 3, 12)
	if err != nil || spread.Spread != 1 || len(spread.Moves) != 1 {
		t.Errorf("an empty key under a random rule: %+v, %v", spread, err)
	}
}

func TestPlanProducer(t *testing.T) {
	const idempotentOneOpen = "Producer.Idempotent=true Producer.RequiredAcks=WaitForAll Net.MaxOpenRequests=1 "
	const dotted = "enable.idempotence=true acks=all max.in.flight.requests.per.connection=5 "
	for _, c := range []struct {
		client string
		hash   Hash
		want   string
	}{
		{"java", HashNone, dotted + "partitioner.ignore.keys=false"},
		{"librdkafka", HashNone, dotted + "partitioner=murmur2_random"},
		{"librdkafka", HashCRC32, dotted + "partitioner=consistent_random"},
		{"librdkafka", HashFNV1aAbs, dotted + "partitioner=fnv1a_random"},
		{"librdkafka:consistent", HashNone, dotted + "partitioner=consistent"},
		{"kafka-python", HashNone, "enable_idempotence=true acks=all max_in_flight_requests_per_connection=5 partitioner=DefaultPartitioner()"},
		{"aiokafka", HashNone, "enable_idempotence=true acks=all partitioner=DefaultPartitioner()"},
		{"kafkajs", HashNone, "idempotent=true acks=-1 maxInFlightRequests=1 createPartitioner=Partitioners.DefaultPartitioner"},
		{"sarama", HashNone, idempotentOneOpen + "Producer.Partitioner=NewMurmur2Partitioner"},
		{"sarama", HashFNV1aAbs, idempotentOneOpen + "Producer.Partitioner=NewHashPartitioner"},
		{"sarama:reference", HashFNV1aMask, idempotentOneOpen + "Producer.Partitioner=NewReferenceHashPartitioner"},
		{"goka", HashNone, idempotentOneOpen + "WithEmitterHasher=goka.DefaultHasher()"},
		{"franz-go", HashNone, "DisableIdempotentWrite=false RequiredAcks=AllISRAcks() RecordPartitioner=UniformBytesPartitioner(65536, true, true, nil)"},
	} {
		plan, err := PlanProducer(c.client, c.hash)
		if err != nil {
			t.Errorf("%s for %v: %v", c.client, c.hash, err)
			continue
		}
		var got []string
		for _, s := range plan.Settings {
			got = append(got, fmt.Sprintf("%s=%v", s.Name, s.Value))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s for %v: %s, want %s", c.client, c.hash, strings.Join(got, " "), c.want)
		}
	}
}

// Every client's name in the table has a plan or a refusal, and the plan
// keeps the name's choice.
func TestPlanProducerForEveryClient(t *testing.T) {
	for _, p := range Partitioners() {
		plan, err := PlanProducer(p.Name, HashNone)
		var refusal *ProducerRefusal
		switch {
		case p.Client == "":
			if err == nil || errors.As(err, &refusal) {
				t.Errorf("%s is a hash: %v", p.Name, err)
			}
		case p.Client == "segmentio":
			if !errors.As(err, &refusal) || !strings.Contains(err.Error(), "no idempotent producer") {
				t.Errorf("%s: %v", p.Name, err)
			}
		case err != nil:
			t.Errorf("%s: %v", p.Name, err)
		case p.Choice != "" && plan.Partitioner != p:
			t.Errorf("%s became %s", p.Name, plan.Partitioner.Name)
		default:
			for _, s := range plan.Settings {
				if s.Name == "" || s.Value == nil {
					t.Errorf("%s has the setting %+v", p.Name, s)
				}
			}
		}
	}
}

func TestPlanProducerRefuses(t *testing.T) {
	var refusal *ProducerRefusal
	for _, c := range []struct {
		client string
		hash   Hash
		reason string
	}{
		{"goka", HashMurmur2, "no partitioner that follows murmur2, only goka (fnv1a-abs)"},
		{"java", HashCRC32, "no partitioner that follows crc32"},
		{"sarama:reference", HashMurmur2, "sarama:reference follows fnv1a-mask, not murmur2"},
		{"segmentio:murmur2", HashMurmur2, "no idempotent producer"},
	} {
		_, err := PlanProducer(c.client, c.hash)
		if !errors.As(err, &refusal) || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s for %v: %v, want %q", c.client, c.hash, err, c.reason)
		}
	}
	if _, err := PlanProducer("jav", HashNone); err == nil || errors.As(err, &refusal) {
		t.Errorf("unknown client: %v", err)
	}
}

func TestPlanTopic(t *testing.T) {
	day := 24 * time.Hour
	for _, c := range []struct {
		needs      TopicNeeds
		partitions int32
		retention  int64
	}{
		// 16.8 MB/s need 4 partitions, 12 consumers need 12; doubled.
		{TopicNeeds{100_000, 168, 12, day}, 24, 120_960_000_000},
		// 168 MB/s need 34, doubled 68, up to a multiple of 12.
		{TopicNeeds{1_000_000, 168, 12, day}, 72, 403_200_000_000},
		{TopicNeeds{1, 1, 1, time.Second}, 2, 1},
		{TopicNeeds{5e-324, 5e-324, 1, time.Second}, 2, 1}, // whose product is 0
		{TopicNeeds{10, 200, 7, time.Hour}, 14, 1_028_572},
	} {
		got, err := PlanTopic(c.needs)
		if err != nil {
			t.Errorf("%+v: %v", c.needs, err)
			continue
		}
		want := (c.retention + 1<<20 - 1) >> 20 << 20
		if got.Partitions != c.partitions || got.RetentionBytes != want || got.Replication != 3 || got.MinISR != 2 {
			t.Errorf("%+v: %+v, want %d partitions and %d bytes", c.needs, got, c.partitions, want)
		}
		if got.Partitions%c.needs.Consumers != 0 || got.SegmentBytes < 16<<20 || got.SegmentBytes > 1<<30 {
			t.Errorf("%+v: %+v", c.needs, got)
		}
		if disk := 3 * int64(got.Partitions) * (got.RetentionBytes + got.SegmentBytes); got.DiskBytes != disk {
			t.Errorf("%+v: disk %d, want %d", c.needs, got.DiskBytes, disk)
		}
	}
}

func TestPlanTopicRefuses(t *testing.T) {
	_, err := PlanTopic(TopicNeeds{})
	for _, what := range []string{"rate", "size", "consumers", "history"} {
		if err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("no needs: %v, want %s named", err, what)
		}
	}
	for _, needs := range []TopicNeeds{
		{math.NaN(), 1, 1, 1}, {math.Inf(1), 1, 1, 1}, {1, -1, 1, 1},
		{1e9, 1e6, 1, time.Hour}, {1, 1, math.MaxInt32, time.Hour}, {1e9, 1e2, 1, math.MaxInt64},
	} {
		if plan, err := PlanTopic(needs); err == nil && plan.DiskBytes <= 0 {
			t.Errorf("%+v: %+v", needs, plan)
		}
	}
	if _, err := PlanTopic(TopicNeeds{1e9, 1e6, 1, time.Hour}); err == nil {
		t.Error("400 million partitions accepted")
	}
}
