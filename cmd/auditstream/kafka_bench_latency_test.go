package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/config"
	"github.com/auditstream/auditstream/internal/converter"
	"github.com/auditstream/auditstream/internal/kafka"
	"github.com/auditstream/auditstream/processors"
)

// BenchmarkDetection measures how soon a finding can be read: from the
// producer's ack of a tick that steps back to the read-committed subscriber's
// poll that returns its report, while ticks come at a fixed rate. Twenty steps
// back a second, each of a symbol of its own, for ten seconds.
//
//	AUDITSTREAM_TEST_KAFKA=host:port go test ./cmd/auditstream -run '^$' -bench Detection -benchtime 1x
func BenchmarkDetection(b *testing.B) {
	brokers := os.Getenv("AUDITSTREAM_TEST_KAFKA")
	if brokers == "" {
		b.Skip("NOT RUN: set AUDITSTREAM_TEST_KAFKA=host:port")
	}
	for _, rate := range []int{1_000, 20_000, 200_000} {
		b.Run(fmt.Sprintf("rate=%d", rate), func(b *testing.B) {
			for range b.N {
				d := &detection{acked: map[string]time.Time{}, read: map[string]time.Time{}}
				if err := d.run(b.Context(), brokers, rate); err != nil {
					b.Fatal(err)
				}
				d.report(b)
			}
		})
	}
}

const (
	detectionFor   = 10 * time.Second
	detectionSteps = 200
)

// detection holds when each step back was acknowledged and its finding read.
type detection struct {
	mu          sync.Mutex
	acked, read map[string]time.Time // by symbol
}

func (d *detection) run(ctx context.Context, brokers string, rate int) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	name := fmt.Sprintf("latency-%d", time.Now().UnixNano())
	seeds := strings.Split(brokers, ",")
	cl, err := kgo.NewClient(kgo.SeedBrokers(seeds...), kgo.DefaultProduceTopic(name), kgo.ProducerLinger(0),
		kgo.RecordPartitioner(kgo.StickyKeyPartitioner(nil)), kgo.MaxBufferedRecords(1<<20))
	if err != nil {
		return err
	}
	defer cl.Close()
	admin := kadm.NewClient(cl)
	if _, err := admin.CreateTopic(ctx, benchPartitions(), 1, nil, name); err != nil {
		return err
	}
	audit, stop, err := d.audit(ctx, brokers, name)
	if err != nil {
		return err
	}
	defer stop()
	subscriber, err := kgo.NewClient(kgo.SeedBrokers(seeds...), kgo.ConsumeTopics(audit), kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.FetchMaxWait(100*time.Millisecond), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	if err != nil {
		return err
	}
	defer subscriber.Close()
	go d.subscribe(ctx, subscriber)
	if err := d.produce(ctx, cl, rate); err != nil {
		return err
	}
	for d.missing() > 0 {
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("%d findings never came", d.missing())
		}
	}
	return nil
}

// audit runs an audit of the topic until stop, and returns once it is ready.
func (d *detection) audit(ctx context.Context, brokers, topic string) (auditTopic string, stop func(), err error) {
	dir, err := os.MkdirTemp("", "auditstream-bench")
	if err != nil {
		return "", nil, err
	}
	auditTopic = topic + ".audit"
	c, err := config.Load("", nil, []string{
		"bootstrap.servers=" + brokers, "topics=" + topic, "name=" + topic, "audit.topic=" + auditTopic, "state.dir=" + dir,
	})
	if err != nil {
		return "", nil, err
	}
	admin, err := kafka.Connect(ctx, c)
	if err != nil {
		return "", nil, err
	}
	defer admin.Close()
	status := processors.NewStatus()
	p, err := processorConfig(ctx, admin, c, auditOptions{log: benchLog(), status: status})
	if err != nil {
		return "", nil, err
	}
	values, err := converter.Open(c, benchLog())
	if err != nil {
		return "", nil, err
	}
	p.Decoder = values.Decoder
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- processors.Run(ctx, p) }()
	stop = func() { cancel(); _ = <-ended; values.Close(); _ = os.RemoveAll(dir) }
	for !status.Stats().Ready {
		select {
		case <-time.After(20 * time.Millisecond):
		case err := <-ended:
			return "", nil, err
		}
	}
	return auditTopic, stop, nil
}

// produce spreads the ticks evenly, a step back among them at fixed distances.
func (d *detection) produce(ctx context.Context, cl *kgo.Client, rate int) error {
	began := time.Now()
	total := rate * int(detectionFor/time.Second)
	every := total / detectionSteps
	for i := range total {
		if ahead := time.Until(began.Add(time.Duration(i) * time.Second / time.Duration(rate))); ahead > time.Millisecond {
			<-time.After(ahead) // the rate is the measurement's condition
		}
		d.send(ctx, cl, fmt.Sprintf("EQ%06d", i%benchSymbols()), time.Now(), false)
		if i%every == every-1 {
			symbol := fmt.Sprintf("BACK%06d", i/every)
			d.send(ctx, cl, symbol, time.Now(), false)
			d.send(ctx, cl, symbol, time.Now().Add(-time.Second), true)
		}
	}
	return cl.Flush(ctx)
}

func (d *detection) send(ctx context.Context, cl *kgo.Client, symbol string, at time.Time, back bool) {
	value := fmt.Appendf(nil, `{"symbol":%q,"timestamp_ns":%d,"bid_price":412.3400,"ask_price":412.3600,"bid_size":300,"ask_size":1200,"last_price":412.3500,"last_size":1743}`, symbol, at.UnixNano())
	var acked func(*kgo.Record, error)
	if back {
		acked = func(_ *kgo.Record, err error) {
			if err == nil {
				d.note(d.acked, symbol)
			}
		}
	}
	cl.Produce(ctx, &kgo.Record{Key: []byte(symbol), Value: value}, acked)
}

func (d *detection) note(in map[string]time.Time, symbol string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ok := in[symbol]; !ok {
		in[symbol] = time.Now()
	}
}

func (d *detection) subscribe(ctx context.Context, cl *kgo.Client) {
	for ctx.Err() == nil {
		cl.PollFetches(ctx).EachRecord(func(r *kgo.Record) {
			var report engine.Report
			if json.Unmarshal(r.Value, &report) != nil || report.Trigger != engine.TriggerFinding {
				return
			}
			for _, f := range report.Findings {
				if f.Code == engine.UpstreamDisorder && f.State == engine.Opened {
					d.note(d.read, f.Symbol)
				}
			}
		})
	}
}

func (d *detection) missing() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return detectionSteps - len(d.read)
}

func (d *detection) report(b *testing.B) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var took []time.Duration
	for symbol, at := range d.read {
		took = append(took, max(0, at.Sub(d.acked[symbol])))
	}
	slices.Sort(took)
	at := func(share float64) float64 {
		return float64(took[int(share*float64(len(took)-1))].Microseconds()) / 1000
	}
	b.ReportMetric(at(0.5), "p50-ms")
	b.ReportMetric(at(0.99), "p99-ms")
	b.ReportMetric(at(1), "max-ms")
	b.ReportMetric(0, "ns/op")
}
