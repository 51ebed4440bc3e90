package processors_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/internal/kafkatest"
	"github.com/auditstream/auditstream/processors"
	"github.com/auditstream/auditstream/topology"
)

// The audit beside a raw read of the same topic, on a real Kafka: JSON ticks
// of 168 bytes on 16 partitions, 2 000 symbols, lz4.
//
//	AUDITSTREAM_TEST_KAFKA=host:port AUDITSTREAM_BENCH_TICKS=3000000 \
//	go test -run '^$' -bench Run -benchtime 1x ./processors
func BenchmarkRun(b *testing.B) {
	ticks := 200_000
	if n, err := strconv.Atoi(os.Getenv("AUDITSTREAM_BENCH_TICKS")); err == nil {
		ticks = n
	}
	brokers := kafkatest.Brokers(b)
	cluster := kafkatest.Real(b)
	name := kafkatest.Name(b)
	topic := name + "-ticks"
	cluster.CreateTopic(b, topic, 16)
	produceBench(b, brokers, topic, ticks)
	b.Run("read=raw", func(b *testing.B) { measure(b, ticks, func() { readRaw(b, brokers, topic, ticks) }) })
	for guarantee, exactly := range map[string]bool{"exactly_once": true, "at_least_once": false} {
		b.Run("read=audit/guarantee="+guarantee, func(b *testing.B) {
			measure(b, ticks, func() { runBench(b, cluster, brokers, topic, exactly, ticks) })
		})
	}
}

// measure reports rates and costs of one run over all ticks. The run's start,
// joining and recovery are in it.
func measure(b *testing.B, ticks int, run func()) {
	var before, after runtime.MemStats
	var cpu0, cpu1 syscall.Rusage
	for b.Loop() {
		runtime.ReadMemStats(&before)
		_ = syscall.Getrusage(syscall.RUSAGE_SELF, &cpu0)
		began := time.Now()
		run()
		took := time.Since(began)
		_ = syscall.Getrusage(syscall.RUSAGE_SELF, &cpu1)
		runtime.ReadMemStats(&after)
		cpu := cpu1.Utime.Nano() + cpu1.Stime.Nano() - cpu0.Utime.Nano() - cpu0.Stime.Nano()
		b.ReportMetric(float64(ticks)/took.Seconds(), "ticks/s")
		b.ReportMetric(float64(cpu)/float64(ticks), "cpu-ns/tick")
		b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(ticks), "allocs/tick")
		b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(ticks), "B/tick")
	}
}

func produceBench(b *testing.B, brokers []string, topic string, ticks int) {
	cl, err := kgo.NewClient(kgo.SeedBrokers(brokers...), kgo.RecordPartitioner(kgo.StickyKeyPartitioner(nil)),
		kgo.ProducerLinger(5*time.Millisecond), kgo.ProducerBatchCompression(kgo.Lz4Compression()), kgo.MaxBufferedRecords(100_000))
	if err != nil {
		b.Fatal(err)
	}
	defer cl.Close()
	for i := range ticks {
		symbol := fmt.Sprintf("SYM%05d", i%2000)
		at := t0 + int64(i)*int64(time.Microsecond)
		value := fmt.Sprintf(`{"symbol":%q,"exchange":"XNAS","price":%.2f,"volume":%d,"bid":99.98,"ask":100.02,"conditions":["@","F"],"trade_id":%d,"ts":%d,"flag":1}`,
			symbol, 100+float64(i%1000)/100, 100+i%900, 1_000_000+i, at)
		cl.Produce(context.Background(), &kgo.Record{Topic: topic, Key: []byte(symbol), Value: []byte(value), Timestamp: time.Unix(0, at)}, func(_ *kgo.Record, err error) {
			if err != nil {
				b.Error(err)
			}
		})
	}
	if err := cl.Flush(context.Background()); err != nil {
		b.Fatal(err)
	}
}

func readRaw(b *testing.B, brokers []string, topic string, ticks int) {
	cl, err := kgo.NewClient(kgo.SeedBrokers(brokers...), kgo.ConsumerGroup(kafkatest.Name(b)), kgo.ConsumeTopics(topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.FetchIsolationLevel(kgo.ReadCommitted()))
	if err != nil {
		b.Fatal(err)
	}
	defer cl.Close()
	for n := 0; n < ticks; {
		n += cl.PollFetches(context.Background()).NumRecords()
	}
}

func runBench(b *testing.B, cluster *kafkatest.Cluster, brokers []string, topic string, exactly bool, ticks int) {
	topo := topology.New(topology.Options{Name: kafkatest.Name(b), Topics: []string{topic}, AuditTopic: kafkatest.Name(b) + "-audit"})
	adm := kadm.NewClient(cluster.Client(b))
	for _, t := range topo.Topics {
		if !t.Create {
			continue
		}
		n := int32(1)
		if t.Role == topology.RoleTable && t.Partitions.Exactly == 0 {
			n = 16
		}
		if _, err := adm.CreateTopic(context.Background(), n, 1, nil, t.Name); err != nil {
			b.Fatal(err)
		}
		cluster.DeleteTopicsAtEnd(b, t.Name)
		kafkatest.Eventually(b, "leaders of "+t.Name, func() bool {
			ends, err := adm.ListEndOffsets(context.Background(), t.Name)
			return err == nil && ends.Error() == nil
		})
	}
	cfg := auditConfig(b, brokers, topo)
	cfg.ExactlyOnce, cfg.StopAtEnd, cfg.StateDir, cfg.CheckpointInterval = exactly, true, b.TempDir(), time.Second
	cfg.Decoder = func() (codecs.TickDecoder, error) {
		return codecs.NewJSON(codecs.Fields{Symbol: "symbol", Timestamp: "ts"})
	}
	if err := processors.Run(context.Background(), cfg); err != nil {
		b.Fatal(err)
	}
	total := int64(0)
	for _, p := range cfg.Status.Stats().Partitions {
		total += p.Counts.Ticks
	}
	if total != int64(ticks) {
		b.Fatalf("%d ticks judged, want %d", total, ticks)
	}
}
