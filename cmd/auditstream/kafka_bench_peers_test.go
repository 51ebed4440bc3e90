package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/IBM/sarama"
	"github.com/lovoo/goka"
	"github.com/lovoo/goka/codec"
	"github.com/lovoo/goka/storage"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
)

// benchContestant reads the whole topic in its way.
type benchContestant struct {
	name string
	run  func(ctx context.Context, brokers, topic string, m *benchMeter) error
}

// benchPeers are what others would use for the job: the two other clients of
// this program as their documentation shows them, and, where
// AUDITSTREAM_BENCH_PEERS names the folder that bench/peers was built in and
// AUDITSTREAM_TEST_KAFKA_LIBS that of Kafka's jars, programs in Java.
func benchPeers() []benchContestant {
	peers := []benchContestant{{"raw-sarama", benchSarama}, {"goka", benchGoka}}
	if libs := os.Getenv("AUDITSTREAM_TEST_KAFKA_LIBS"); libs != "" {
		peers = append(peers, benchContestant{"kafka-consumer-perf-test", func(ctx context.Context, brokers, topic string, m *benchMeter) error {
			return benchPerfTest(ctx, libs, brokers, topic, m)
		}})
	}
	if dir := os.Getenv("AUDITSTREAM_BENCH_PEERS"); dir != "" {
		for name, class := range map[string]string{"streams": "peers.Streams", "flink": "peers.Flink"} {
			peers = append(peers, benchContestant{"kafka-" + name, func(ctx context.Context, brokers, topic string, m *benchMeter) error {
				return benchJava(ctx, filepath.Join(dir, name), class, brokers, topic, m)
			}})
		}
	}
	return peers
}

// benchSarama reads every partition and does nothing.
func benchSarama(ctx context.Context, brokers, topic string, m *benchMeter) error {
	config := sarama.NewConfig()
	config.Version = sarama.V3_6_0_0
	consumer, err := sarama.NewConsumer(strings.Split(brokers, ","), config)
	if err != nil {
		return err
	}
	defer func() { _ = consumer.Close() }()
	partitions, err := consumer.Partitions(topic)
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	defer all.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for _, p := range partitions {
		pc, err := consumer.ConsumePartition(topic, p, sarama.OffsetOldest)
		if err != nil {
			return err
		}
		all.Go(func() {
			defer func() { _ = pc.Close() }()
			for {
				select {
				case <-pc.Messages():
					m.first()
					m.saw(1)
				case <-ctx.Done():
					return
				}
			}
		})
	}
	return m.wait(ctx)
}

// benchGoka keeps the last time of every symbol as goka's documentation shows
// it: one callback a message, a table in LevelDB, its own producer. Steps back
// are counted and told nowhere.
func benchGoka(ctx context.Context, brokers, topic string, m *benchMeter) error {
	name := fmt.Sprintf("bench-goka-%d", time.Now().UnixNano())
	dir, err := os.MkdirTemp("", "auditstream-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	addrs := strings.Split(brokers, ",")
	cl, err := kgo.NewClient(kgo.SeedBrokers(addrs...))
	if err != nil {
		return err
	}
	defer cl.Close()
	policy := "compact"
	if _, err := kadm.NewClient(cl).CreateTopic(ctx, benchPartitions(), 1, map[string]*string{"cleanup.policy": &policy}, name+"-table"); err != nil {
		return err
	}
	config := goka.DefaultConfig()
	config.Version = sarama.V3_6_0_0
	config.Consumer.Offsets.Initial = sarama.OffsetOldest
	goka.ReplaceGlobalConfig(config)
	fields := codecs.Fields{Symbol: "symbol", Timestamp: "timestamp_ns"}
	decoders := sync.Pool{New: func() any { d, _ := codecs.NewJSON(fields); return d }}
	m.backward.Store(0)
	judge := func(c goka.Context, message any) {
		m.first()
		d := decoders.Get().(*codecs.JSON)
		var t engine.Tick
		d.Decode(message.([]byte), &t)
		decoders.Put(d)
		if last, ok := c.Value().(int64); ok && t.EventTime < last {
			m.backward.Add(1)
		} else {
			c.SetValue(t.EventTime)
		}
		m.saw(1)
	}
	graph := goka.DefineGroup(goka.Group(name), goka.Input(goka.Stream(topic), new(codec.Bytes), judge), goka.Persist(new(codec.Int64)))
	p, err := goka.NewProcessor(addrs, graph, goka.WithStorageBuilder(storage.DefaultBuilder(dir)))
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx) }()
	if err = m.wait(ctx); err == nil {
		err = awaitTicks(ctx, m.seen.Load, m.total)
	}
	stop()
	_ = <-ended
	return err
}

// benchPerfTest runs Kafka's own reader; its CPU includes the JVM's start.
func benchPerfTest(ctx context.Context, libs, brokers, topic string, m *benchMeter) error {
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, "java", "-Xmx512m", "-cp", filepath.Join(libs, "*"), "org.apache.kafka.tools.ConsumerPerformance",
		"--bootstrap-server", brokers, "--topic", topic, "--num-records", strconv.FormatInt(m.total, 10), "--hide-header",
		"--group", fmt.Sprintf("bench-perf-%d", time.Now().UnixNano()))
	cmd.Stdout = &out
	if err := cmd.Run(); err != nil {
		return err
	}
	// start, end, MB, MB/s, records, records/s, rebalance ms, fetch ms, fetch MB/s, fetch records/s
	fields := strings.Split(strings.TrimSpace(out.String()), ", ")
	if len(fields) < 10 {
		return fmt.Errorf("kafka-consumer-perf-test wrote %q", out.String())
	}
	fetching, err := strconv.ParseFloat(fields[7], 64)
	if err != nil {
		return err
	}
	m.elapsed = time.Duration(fetching * float64(time.Millisecond))
	m.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	m.ended(cmd.ProcessState)
	return nil
}

// benchJava runs one of bench/peers, which measures itself.
func benchJava(ctx context.Context, dir, class, brokers, topic string, m *benchMeter) error {
	audit := fmt.Sprintf("bench-peer-%d", time.Now().UnixNano())
	cl, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(brokers, ",")...))
	if err != nil {
		return err
	}
	defer cl.Close()
	if _, err := kadm.NewClient(cl).CreateTopic(ctx, 1, 1, nil, audit); err != nil {
		return err
	}
	var out, log bytes.Buffer
	classpath := filepath.Join(dir, "target", "*") + string(os.PathListSeparator) + filepath.Join(dir, "target", "dependency", "*")
	cmd := exec.CommandContext(ctx, "java", "-Xmx2g", "--add-opens=java.base/java.util=ALL-UNNAMED", "-cp", classpath, class,
		brokers, topic, audit, audit, strconv.FormatInt(m.total, 10))
	cmd.Stdout, cmd.Stderr = &out, &log
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w\n%s", class, err, log.Bytes()[max(0, log.Len()-4000):])
	}
	var told struct {
		Ticks, Backward int64
		Seconds         float64
		CPU             float64 `json:"cpu_seconds"`
	}
	if err := json.Unmarshal(bytes.TrimSpace(out.Bytes()), &told); err != nil {
		return fmt.Errorf("%s wrote %q: %w", class, out.String(), err)
	}
	m.elapsed = time.Duration(told.Seconds * float64(time.Second))
	m.cpu = time.Duration(told.CPU * float64(time.Second))
	m.backward.Store(told.Backward)
	m.ended(cmd.ProcessState)
	return nil
}
