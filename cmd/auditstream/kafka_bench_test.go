package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/config"
	"github.com/auditstream/auditstream/internal/converter"
	"github.com/auditstream/auditstream/internal/kafka"
	"github.com/auditstream/auditstream/processors"
)

// benchNumber is a number of the topic that BenchmarkKafka reads, which a
// variable of the environment may change.
func benchNumber(name string, usual int) int {
	if n, err := strconv.Atoi(os.Getenv("AUDITSTREAM_BENCH_" + name)); err == nil && n > 0 {
		return n
	}
	return usual
}

func benchTicks() int        { return benchNumber("TICKS", 3_000_000) }
func benchPartitions() int32 { return int32(benchNumber("PARTITIONS", 16)) }
func benchSymbols() int      { return benchNumber("SYMBOLS", 2000) }
func benchRounds() int       { return benchNumber("ROUNDS", 3) }

// benchKnown is how many ticks come before those that are measured: one of each
// symbol, and as many more as one partition may be read ahead of another, so
// that no symbol is new where it is measured. 0: none.
func benchKnown() int {
	if benchNumber("KNOWN", 0) == 0 {
		return 0
	}
	return benchSymbols() + benchAhead
}

// benchAll is how many ticks the topic holds.
func benchAll() int { return benchKnown() + benchTicks() + benchAhead }

// benchSettings are keys of an audit's configuration, KEY=VALUE with blanks
// between.
func benchSettings() []string { return strings.Fields(os.Getenv("AUDITSTREAM_BENCH_SET")) }

// benchAhead is how many ticks the topic holds behind those that are measured:
// what a contestant may have fetched when it sees its first tick, which is not
// measured, it has fetched as well when it has judged its last.
const benchAhead = 1_200_000

// BenchmarkKafka reads 3 M JSON ticks of 168 bytes of one topic (16 partitions,
// 2 000 symbols, lz4, batches of 64 KiB) with several contestants, each in its
// turn, in three rounds, so that what else the machine does hits all of them.
// What is measured lies between a contestant's first tick and the moment at
// which it has judged 3 M of the 4.2 M that the topic holds: neither joining the
// group nor fetching far ahead counts. CPU, memory and allocations are those of
// the whole process. A contestant in Java is measured over the whole topic. At
// the end stands a table of medians.
//
//	AUDITSTREAM_TEST_KAFKA=host:port go test ./cmd/auditstream -run '^$' -bench Kafka -benchtime 1x
func BenchmarkKafka(b *testing.B) {
	brokers := os.Getenv("AUDITSTREAM_TEST_KAFKA")
	if brokers == "" {
		b.Skip("NOT RUN: set AUDITSTREAM_TEST_KAFKA=host:port")
	}
	topic := benchTopic(b, brokers)
	contestants := append([]benchContestant{
		{"raw", benchRaw},
		{"raw-json", benchRawJSON},
		{"replay", benchReplay},
		{"run-exactly-once", func(ctx context.Context, brokers, topic string, m *benchMeter) error {
			return benchRun(ctx, brokers, topic, config.ExactlyOnceV2, m)
		}},
		{"run-at-least-once", func(ctx context.Context, brokers, topic string, m *benchMeter) error {
			return benchRun(ctx, brokers, topic, config.AtLeastOnce, m)
		}},
	}, benchPeers()...)
	defer dropBenchTopic(b, brokers, topic)
	var table benchTable
	for round := range benchRounds() {
		for _, c := range contestants {
			b.Run(fmt.Sprintf("contestant=%s/round=%d", c.name, round+1), func(b *testing.B) {
				for range b.N {
					ctx, cancel := context.WithTimeout(b.Context(), 3*time.Minute)
					m := newBenchMeter(fmt.Sprintf("%s-%d", c.name, round+1))
					if err := c.run(ctx, brokers, topic, m); err != nil {
						b.Fatal(err)
					}
					cancel()
					if found, is := m.backward.Load(), benchTopicOnce.backward; found >= 0 && found != is {
						b.Fatalf("%d ticks that step back were found, there are %d", found, is)
					}
					m.report(b)
					table.add(c.name, m)
				}
			})
		}
	}
	table.print(os.Stderr)
}

func benchRaw(ctx context.Context, brokers, topic string, m *benchMeter) error {
	return benchRead(ctx, brokers, topic, m, func(*kgo.Record) {})
}

func benchRawJSON(ctx context.Context, brokers, topic string, m *benchMeter) error {
	d, err := codecs.NewJSON(codecs.Fields{Symbol: "symbol", Timestamp: "timestamp_ns"})
	if err != nil {
		return err
	}
	var t engine.Tick
	return benchRead(ctx, brokers, topic, m, func(r *kgo.Record) { d.Decode(r.Value, &t) })
}

// benchRead reads the topic with a group of its own.
func benchRead(ctx context.Context, brokers, topic string, m *benchMeter, each func(*kgo.Record)) error {
	cl, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(brokers, ",")...), kgo.ConsumeTopics(topic),
		kgo.ConsumerGroup(fmt.Sprintf("bench-raw-%d", time.Now().UnixNano())), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	if err != nil {
		return err
	}
	defer cl.Close()
	for !m.isOver() {
		fs := cl.PollFetches(ctx)
		if err := ctx.Err(); err != nil {
			return err
		}
		fs.EachRecord(each)
		if n := int64(fs.NumRecords()); n > 0 && !m.first() { // the first ones were fetched before
			m.saw(n)
		}
	}
	return nil
}

// meteredDecoder counts ticks.
type meteredDecoder struct {
	codecs.TickDecoder
	m    *benchMeter
	seen uint8
}

func (d *meteredDecoder) Decode(value []byte, t *engine.Tick) {
	if d.seen++; d.seen%16 == 1 { // decoders of several cores count
		d.m.first()
		d.m.saw(16)
	}
	d.TickDecoder.Decode(value, t)
}

// benchLog tells what went wrong in an audit that is measured.
func benchLog() zerolog.Logger { return zerolog.New(os.Stderr).Level(zerolog.WarnLevel) }

// benchRun audits the topic as `run` does, under a name of its own.
func benchRun(ctx context.Context, brokers, topic, guarantee string, m *benchMeter) error {
	name := fmt.Sprintf("bench-%d", time.Now().UnixNano())
	dir, err := os.MkdirTemp("", "auditstream-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	c, err := config.Load("", nil, append([]string{
		"bootstrap.servers=" + brokers, "topics=" + topic, "name=" + name, "audit.topic=" + name + ".audit",
		"processing.guarantee=" + guarantee, "state.dir=" + dir,
	}, benchSettings()...))
	if err != nil {
		return err
	}
	admin, err := kafka.Connect(ctx, c)
	if err != nil {
		return err
	}
	defer admin.Close()
	defer func() {
		_, _ = admin.DeleteTopics(context.WithoutCancel(ctx), name+".audit", "auditstream-"+name+"-table",
			"auditstream-"+name+"-distribution", "auditstream-"+name+"-distribution-table")
	}()
	status := processors.NewStatus()
	p, err := processorConfig(ctx, admin, c, auditOptions{log: benchLog(), status: status})
	if err != nil {
		return err
	}
	values, err := converter.Open(c, benchLog())
	if err != nil {
		return err
	}
	defer values.Close()
	p.Control = processors.NewControl(zerolog.Nop())
	known := m.known.Load()
	if known > 0 {
		m.known.Store(math.MaxInt64) // not measured until all of them is durable
	}
	p.Decoder = func() (codecs.TickDecoder, error) {
		d, err := values.Decoder()
		return &meteredDecoder{d, m, 0}, err
	}
	defer collectRarely()()
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- processors.Run(ctx, p) }()
	judged := func() int64 { return status.Stats().Judged.Ticks }
	var werr error
	if known > 0 {
		werr = awaitTicks(ctx, judged, known)
		p.Control.Pause("bench")
		werr = errors.Join(werr, awaitDurable(ctx, admin.Client, "auditstream-"+name+"-distribution"))
		m.known.Store(0)
		p.Control.Resume("bench")
	}
	if werr == nil {
		werr = m.wait(ctx)
	}
	if werr == nil {
		werr = awaitTicks(ctx, judged, m.total)
	}
	stop()
	if err := <-ended; err != nil {
		return err
	}
	found := int64(0)
	for _, p := range status.Stats().Partitions {
		found += p.Counts.Disorder
	}
	m.backward.Store(found)
	return werr
}

// awaitDurable returns when the group of a paused audit that reads all that the
// other one tells has read nothing for longer than a checkpoint may be away.
func awaitDurable(ctx context.Context, adm *kadm.Client, group string) error {
	since, last := time.Now(), ""
	for time.Since(since) < 6*time.Second {
		committed, err := adm.FetchOffsets(ctx, group)
		if err != nil {
			return err
		}
		if at := fmt.Sprint(committed.Offsets()); at != last {
			since, last = time.Now(), at
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("%s still commits: %w", group, ctx.Err())
		}
	}
	return nil
}

// awaitTicks returns when all ticks have been seen.
func awaitTicks(ctx context.Context, seen func() int64, all int64) error {
	for seen() < all {
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("%d of %d ticks: %w", seen(), all, ctx.Err())
		}
	}
	return nil
}

var benchTopicOnce struct {
	sync.Once
	name     string
	backward int64 // ticks that step back
	err      error
}

// benchTopic makes and fills the topic once a process.
func benchTopic(b *testing.B, brokers string) string {
	o := &benchTopicOnce
	o.Do(func() {
		o.name = fmt.Sprintf("auditstream-bench-%d", time.Now().UnixNano())
		o.backward, o.err = fillBenchTopic(b.Context(), brokers, o.name)
	})
	if o.err != nil {
		b.Fatal(o.err)
	}
	return o.name
}

// dropBenchTopic deletes the topic: hundreds of megabytes a run.
func dropBenchTopic(b *testing.B, brokers, topic string) {
	cl, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(brokers, ",")...))
	if err != nil {
		b.Fatal(err)
	}
	defer cl.Close()
	if _, err := kadm.NewClient(cl).DeleteTopics(context.WithoutCancel(b.Context()), topic); err != nil {
		b.Error(err)
	}
	benchTopicOnce.Once = sync.Once{} // -count runs it all again
}

// fillBenchTopic produces the ticks keyed by symbol with murmur2 and returns
// how many of them step back.
func fillBenchTopic(ctx context.Context, brokers, topic string) (int64, error) {
	cl, err := kgo.NewClient(kgo.SeedBrokers(strings.Split(brokers, ",")...), kgo.DefaultProduceTopic(topic),
		kgo.RecordPartitioner(kgo.StickyKeyPartitioner(nil)), kgo.ProducerBatchCompression(kgo.Lz4Compression()),
		kgo.ProducerBatchMaxBytes(64<<10), kgo.ProducerLinger(time.Minute), // batches are full, on however many partitions
		kgo.UnknownTopicRetries(100), // a broker may not know thousands of new partitions yet
		kgo.MaxBufferedRecords(max(200_000, min(5000*int(benchPartitions()), benchAll()))))
	if err != nil {
		return 0, err
	}
	defer cl.Close()
	retention := "-1"
	if _, err := kadm.NewClient(cl).CreateTopic(ctx, benchPartitions(), 1, map[string]*string{"retention.ms": &retention}, topic); err != nil {
		return 0, err
	}
	var failed atomic.Pointer[error]
	m := newBenchMarket(benchSymbols())
	bytes, ofEach := 0, max(0, benchKnown()-benchAhead)
	for i := range benchAll() {
		s := uint64(i)
		if i >= ofEach {
			s = m.zipf.Uint64()
		}
		key, value := m.tick(s)
		bytes += len(value)
		cl.Produce(ctx, &kgo.Record{Key: key, Value: value}, func(_ *kgo.Record, err error) {
			if err != nil {
				failed.CompareAndSwap(nil, &err)
			}
		})
	}
	if err := cl.Flush(ctx); err != nil {
		return 0, err
	}
	if e := failed.Load(); e != nil {
		return 0, *e
	}
	ticks := benchAll()
	fmt.Fprintf(os.Stderr, "%d ticks of %d bytes, %d of them backward\n", ticks, bytes/ticks, m.backward)
	return int64(m.backward), nil
}
