package faults

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
)

// The stream of a feed: every round each symbol of each partition ticks once,
// record and event time being the clock. At every 600th of its ticks a symbol
// is late, so that it was in order for longer than an episode of disorder
// lasts: each late tick is a finding of its own, whenever it is read.
const (
	roundEvery = 20 * time.Millisecond
	lateEvery  = 600
	lateBy     = 30 * time.Second
)

// feed is a producer that goes on beside the audit.
type feed struct {
	t       *testing.T
	client  *kgo.Client
	topic   string
	parts   int
	symbols int
	prefix  string // of symbols

	stop chan struct{}
	done chan struct{}
	once sync.Once

	mu      sync.Mutex
	records []*kgo.Record
	round   int
	at      time.Time // of the last round
	live    bool      // rounds have the clock's time
	failed  error
}

func (a *audit) feed(symbols int) *feed {
	a.t.Helper()
	f := &feed{
		t: a.t, topic: a.topic, parts: a.partitions, symbols: symbols, stop: make(chan struct{}), done: make(chan struct{}),
		client: a.k.Client(a.t, kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerLinger(5*time.Millisecond),
			kgo.MetadataMinAge(100*time.Millisecond), kgo.MaxBufferedRecords(1_000_000)),
	}
	return f
}

// tick is what a symbol says in the present round.
func (f *feed) tick(partition, symbol int) *kgo.Record {
	event := f.at
	if f.round > 0 && f.round%lateEvery == (symbol*lateEvery/f.symbols+5*partition)%lateEvery {
		event = event.Add(-lateBy)
	}
	name := fmt.Sprintf("%sP%dS%03d", f.prefix, partition, symbol)
	return &kgo.Record{
		Topic: f.topic, Partition: int32(partition), Key: []byte(name), Timestamp: f.at,
		Value: fmt.Appendf(nil, `{"symbol":%q,"timestamp_ns":%d,"bid_price":100.25}`, name, event.UnixNano()),
	}
}

// produce produces a round; it does not wait.
func (f *feed) produce() {
	f.mu.Lock()
	defer f.mu.Unlock()
	// Never ahead of the clock, and in a running feed never behind it.
	now := time.Now().Truncate(time.Millisecond)
	if next := f.at.Add(roundEvery); f.live || next.After(now) {
		f.at = later(now, f.at)
	} else {
		f.at = next
	}
	for p := range f.parts {
		for s := range f.symbols {
			r := f.tick(p, s)
			f.records = append(f.records, r)
			f.client.Produce(context.Background(), r, func(_ *kgo.Record, err error) {
				if err != nil {
					f.mu.Lock()
					defer f.mu.Unlock()
					f.failed = err
				}
			})
		}
	}
	f.round++
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// rounds produces at once so many rounds as if they had come up to now.
func (f *feed) rounds(n int) *feed {
	f.t.Helper()
	if f.at.IsZero() {
		f.at = time.Now().Truncate(time.Millisecond).Add(-time.Duration(n) * roundEvery)
	}
	for range n {
		f.produce()
	}
	f.flush()
	return f
}

// burst produces many rounds of a running feed at once, at least n records.
func (f *feed) burst(n int) {
	f.t.Helper()
	for range n / (f.parts * f.symbols) {
		f.produce()
	}
	f.flush()
}

// run produces a round every 20 ms until it is ended.
func (f *feed) run() *feed {
	f.live = true
	go func() {
		defer close(f.done)
		tick := time.NewTicker(roundEvery)
		defer tick.Stop()
		for {
			select {
			case <-f.stop:
				return
			case <-tick.C:
				f.produce()
			}
		}
	}()
	f.t.Cleanup(func() { f.once.Do(func() { close(f.stop) }); <-f.done })
	return f
}

func (f *feed) flush() {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := f.client.Flush(ctx); err != nil {
		f.t.Fatalf("flush: %v", err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failed != nil {
		f.t.Fatalf("produce: %v", f.failed)
	}
}

// end ends a running feed and waits until all its records are acknowledged.
func (f *feed) end() *feed {
	f.t.Helper()
	f.once.Do(func() { close(f.stop) })
	<-f.done
	f.flush()
	return f
}

// expected is what a single run without a fault finds.
type expected struct {
	total    int64
	ticks    map[int32]int64
	disorder int64
	findings map[string]engine.Finding
}

// expected judges the feed's records by the engine alone, each partition in
// the order of its offsets.
func (f *feed) expected() *expected {
	f.t.Helper()
	limits := engine.DefaultLimits()
	limits.FindingsPerReport = 1000
	d, err := codecs.NewJSON(codecs.Fields{Symbol: "symbol", Timestamp: "timestamp_ns"})
	if err != nil {
		f.t.Fatal(err)
	}
	want := &expected{ticks: map[int32]int64{}, findings: map[string]engine.Finding{}}
	judges := map[int32]*engine.Partition{}
	next := map[int32]int64{}
	var tick engine.Tick
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, r := range f.records {
		p := judges[r.Partition]
		if p == nil {
			p = engine.NewPartition(f.topic, r.Partition, int32(f.parts), &limits)
			judges[r.Partition] = p
		}
		if r.Offset < next[r.Partition] {
			f.t.Fatalf("record %d lies at %d@%d, behind its successor", i, r.Partition, r.Offset)
		}
		next[r.Partition] = r.Offset + 1
		tick.Offset, tick.Key, tick.Value, tick.RecordTime = r.Offset, r.Key, r.Value, r.Timestamp.UnixNano()
		d.Decode(r.Value, &tick)
		p.Observe(&tick, engine.NoTime)
		want.total++
		want.ticks[r.Partition]++
		if p.Pending() {
			want.collect(p.Snapshot().Reports)
		}
	}
	for _, p := range judges {
		p.Close(engine.NoTime)
		last := p.Snapshot()
		want.collect(last.Reports)
		want.disorder += last.PartitionRow.Counts.Disorder
	}
	return want
}

func (e *expected) collect(reports []*engine.Report) {
	for _, r := range reports {
		for _, f := range r.Findings {
			if f.State == engine.Opened {
				e.findings[f.ID] = f
			}
		}
	}
}
