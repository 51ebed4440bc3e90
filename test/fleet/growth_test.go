package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/kafkatest"
)

// market writes ticks of many symbols with murmur2 until it is stopped. Its
// event times only grow.
type market struct {
	client *kgo.Client
	topic  string
	mu     sync.Mutex
	places map[int32]int64    // acknowledged records
	last   map[string]int32   // partition of each symbol's last record
	went   map[string][]int32 // partitions of each symbol, in turn
}

func newMarket(t *testing.T, a *audit) *market {
	m := &market{topic: a.topic, places: map[int32]int64{}, last: map[string]int32{}, went: map[string][]int32{}}
	m.client = a.Client(t, kgo.RecordPartitioner(kgo.StickyKeyPartitioner(nil)), kgo.MetadataMaxAge(time.Second), kgo.MetadataMinAge(500*time.Millisecond),
		kgo.ProducerLinger(5*time.Millisecond))
	return m
}

func value(symbol string, event time.Time) []byte {
	return fmt.Appendf(nil, `{"symbol":%q,"timestamp_ns":%d,"bid_price":100.25}`, symbol, event.UnixNano())
}

func (m *market) acknowledged(r *kgo.Record, err error) {
	if err != nil {
		return // given up at the end of the test: nothing was written
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.places[r.Partition]++
	symbol := string(r.Key)
	if at, ok := m.last[symbol]; !ok || at != r.Partition {
		m.last[symbol] = r.Partition
		m.went[symbol] = append(m.went[symbol], r.Partition)
	}
}

// run writes a tick of every symbol every 20 ms.
func (m *market) run(ctx context.Context, symbols int) {
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		now := time.Now()
		for i := range symbols {
			symbol := fmt.Sprintf("SYM%03d", i)
			m.client.Produce(context.Background(), &kgo.Record{Topic: m.topic, Key: []byte(symbol), Value: value(symbol, now)}, m.acknowledged)
		}
	}
}

// one writes a single tick and waits for it.
func (m *market) one(t *testing.T, symbol string, event time.Time) *kgo.Record {
	t.Helper()
	r := &kgo.Record{Topic: m.topic, Key: []byte(symbol), Value: value(symbol, event)}
	if err := m.client.ProduceSync(t.Context(), r).FirstErr(); err != nil {
		t.Fatal(err)
	}
	m.acknowledged(r, nil)
	return r
}

func (m *market) total() (n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range m.places {
		n += c
	}
	return n
}

// traveller is a symbol that murmur2 moves from one count to the other.
func traveller(from, to int32) string {
	for i := 0; ; i++ {
		s := fmt.Sprintf("MOVES%d", i)
		if engine.HashMurmur2.Partition([]byte(s), from) != engine.HashMurmur2.Partition([]byte(s), to) {
			return s
		}
	}
}

// committed is the sum of the group's offsets.
func (a *audit) committed(t *testing.T) (sum int64) {
	t.Helper()
	offsets, err := a.Admin(t).FetchOffsets(t.Context(), a.names.Group)
	if err != nil {
		return -1
	}
	for _, o := range offsets[a.topic] {
		sum += max(0, o.At)
	}
	return sum
}

// TestGrowthUnderLoad grows a topic from 3 to 6 partitions while two instances
// audit it and producers go on writing.
func TestGrowthUnderLoad(t *testing.T) {
	const from, to, symbols = 3, 6, 60
	settings := []string{"consumer.override.metadata.max.age.ms=1000", "consumer.override.session.timeout.ms=6000", "checkpoint.interval.ms=200"}
	a := newAudit(t, from, settings...)
	one, two := a.start(t, "instance.id=one"), a.start(t, "instance.id=two")
	m := newMarket(t, a)
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { m.run(ctx, symbols) })
	t.Cleanup(stop)
	kafkatest.Eventually(t, "both instances audit", func() bool { return a.committed(t) > 2000 })

	moves := traveller(from, to)
	began := time.Now()
	before := m.one(t, moves, began)
	a.Grow(t, to, a.topic)
	kafkatest.Eventually(t, "producers know of the new partitions", func() bool {
		m.mu.Lock()
		defer m.mu.Unlock()
		return m.places[3]+m.places[4]+m.places[5] > 1000
	})
	after := m.one(t, moves, began.Add(-1500*time.Millisecond))
	if before.Partition == after.Partition {
		t.Fatalf("%s stayed on partition %d", moves, before.Partition)
	}
	kafkatest.Eventually(t, "the audit goes on", func() bool { return a.committed(t) > m.total()/2 })
	stop()
	running.Wait()
	m.awaitAudit(t, a)
	one.stop(t)
	two.stop(t)
	a.toEnd(t)
	a.checkGrowth(t, m, from, to, after, moves)
	a.checkReplay(t, m, from, to, after, moves)
}

// awaitAudit waits until all that the market's producers wrote is audited.
func (m *market) awaitAudit(t *testing.T, a *audit) {
	t.Helper()
	if err := m.client.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	kafkatest.Eventually(t, "everything is audited", func() bool { return a.committed(t) >= m.total() })
}

// TestGrowthTwiceWithinSeconds grows a topic under load again and again. The
// producers know of it before the audit does, and some keys that one growth
// moves lie on old partitions by the next one: nothing is told but the growths,
// not even for a moment. What is told of them, with ids, counts and symbols, is
// the same live, by an audit that begins afterwards and by replay, whether the
// audit saw each count or the last one only.
func TestGrowthTwiceWithinSeconds(t *testing.T) {
	t.Run("each count is seen", func(t *testing.T) { growAgain(t, true, 3, 4, 6) })
	t.Run("at once", func(t *testing.T) { growAgain(t, false, 3, 4, 6) })
	t.Run("three times", func(t *testing.T) { growAgain(t, false, 2, 3, 6, 8) })
}

func growAgain(t *testing.T, seen bool, counts ...int) {
	const symbols = 60
	a := newAudit(t, counts[0], "consumer.override.session.timeout.ms=6000", "checkpoint.interval.ms=200")
	p := a.start(t)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the audit said %s", p.said)
		}
	})
	m := newMarket(t, a)
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { m.run(ctx, symbols) })
	t.Cleanup(stop)
	kafkatest.Eventually(t, "the audit runs", func() bool { return a.committed(t) > 2000 })
	for _, to := range counts[1:] {
		a.Grow(t, to, a.topic)
		kafkatest.Eventually(t, "producers know of the last partition", func() bool {
			m.mu.Lock()
			defer m.mu.Unlock()
			return m.places[int32(to)-1] > 200
		})
		if seen {
			kafkatest.Eventually(t, "the audit knows of it", func() bool {
				listed, err := a.Admin(t).ListTopics(t.Context(), a.names.Table)
				return err == nil && len(listed[a.names.Table].Partitions) >= to
			})
		}
	}
	kafkatest.Eventually(t, "the audit goes on", func() bool { return a.committed(t) > m.total()/2 })
	stop()
	running.Wait()
	m.awaitAudit(t, a)
	p.stop(t)
	a.toEnd(t)
	reports := a.read(t)
	codes := []engine.Code{engine.SymbolSplit, engine.PartitionerMixed, engine.PartitionerMismatch, engine.UpstreamDisorder, engine.RecordsLost}
	for _, f := range opened(t, reports, codes...) {
		t.Errorf("%s: %s", f.Code, f.Cause)
	}
	live := final(t, reports)
	want := growthsOf(t, live)
	for i, to := range counts[1:] {
		moves := 0
		for k := range symbols {
			key := fmt.Appendf(nil, "SYM%03d", k)
			if engine.HashMurmur2.Partition(key, int32(counts[i])) != engine.HashMurmur2.Partition(key, int32(to)) {
				moves++
			}
		}
		if begins := fmt.Sprintf("%d to %d: %d ", counts[i], to, moves); i >= len(want) || !strings.HasPrefix(want[i], begins) {
			t.Errorf("live: %q, want %s", want, begins)
		}
	}
	if len(want) != len(counts)-1 {
		t.Errorf("live: %q", want)
	}
	again := a.anew(t)
	again.toEnd(t)
	for how, r := range map[string]*engine.Report{"live": live, "by a new audit": final(t, again.read(t)), "by replay": a.replayed(t)} {
		if r.TotalTicks != m.total() || int(r.Partitions) != counts[len(counts)-1] || r.Symbols != symbols || r.Partitioner != "murmur2" {
			t.Errorf("%s: %d ticks of %d over %d partitions, %d symbols, partitioner %q; %s", how, r.TotalTicks, m.total(), r.Partitions, r.Symbols, r.Partitioner, r.Notes)
		}
		for _, f := range r.Findings {
			if slices.Contains(codes, f.Code) {
				t.Errorf("%s: %s: %s", how, f.Code, f.Cause)
			}
		}
		if got := growthsOf(t, r); !slices.Equal(got, want) {
			t.Errorf("%s:\n%s\nlive:\n%s", how, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// growthsOf shows what a report tells of growths, the smallest first.
func growthsOf(t *testing.T, r *engine.Report) (out []string) {
	t.Helper()
	for _, f := range r.Findings {
		if f.Code == engine.PartitionsChanged {
			moved, err := json.Marshal(f.Evidence["moved"])
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, fmt.Sprintf("%v to %v: %d (%v) by %v at %d, %s, %s", f.Threshold, f.Observed, f.Count,
				f.Evidence["moved_total"], f.Evidence["function"], f.FirstTime, f.ID, moved))
		}
	}
	slices.Sort(out)
	return out
}

// TestTopicGrewBeforeTheAudit audits a topic that has grown already, from its
// first record on; and one that grew after one run of the audit, before the
// next.
func TestTopicGrewBeforeTheAudit(t *testing.T) {
	t.Run("first run", func(t *testing.T) { grewBefore(t, false) })
	t.Run("second run", func(t *testing.T) { grewBefore(t, true) })
}

func grewBefore(t *testing.T, second bool) {
	const from, to, symbols = 3, 6, 60
	a := newAudit(t, from)
	m := newMarket(t, a)
	write := func(more func() bool) {
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { m.run(ctx, symbols) })
		kafkatest.Eventually(t, "records", more)
		stop()
		running.Wait()
		if err := m.client.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	write(func() bool { return m.total() > 3000 })
	moves := traveller(from, to)
	began := time.Now()
	m.one(t, moves, began)
	if second {
		a.toEnd(t)
	}
	a.Grow(t, to, a.topic)
	write(func() bool {
		m.mu.Lock()
		defer m.mu.Unlock()
		return m.places[3]+m.places[4]+m.places[5] > 2000
	})
	after := m.one(t, moves, began.Add(-1500*time.Millisecond))
	a.toEnd(t)
	a.checkGrowth(t, m, from, to, after, moves)
	a.checkReplay(t, m, from, to, after, moves)
}

// checkReplay audits the topic's history once more, by replay.
func (a *audit) checkReplay(t *testing.T, m *market, from, to int, after *kgo.Record, moves string) {
	t.Helper()
	r := a.replayed(t)
	if r.Trigger != engine.TriggerFinal || r.TotalTicks != m.total() || r.Partitioner != "murmur2" {
		t.Errorf("replay: %s, %d ticks of %d, partitioner %q", r.Trigger, r.TotalTicks, m.total(), r.Partitioner)
	}
	changes, late := 0, 0
	for _, f := range r.Findings {
		switch f.Code {
		case engine.SymbolSplit, engine.PartitionerMixed:
			t.Errorf("replay: %s: %s", f.Code, f.Cause)
		case engine.PartitionsChanged:
			if changes++; f.Threshold != float64(from) || f.Observed != float64(to) {
				t.Errorf("replay: %s", f.Cause)
			}
		case engine.UpstreamDisorder:
			if late++; f.Symbol != moves || f.FirstOffset != after.Offset || f.Observed != 1500 {
				t.Errorf("replay: %s", f.Cause)
			}
		}
	}
	if changes != 1 || late != 1 {
		t.Errorf("replay: %d findings of growth, %d of disorder", changes, late)
	}
}

// checkGrowth holds the reports against what was written.
func (a *audit) checkGrowth(t *testing.T, m *market, from, to int, after *kgo.Record, moves string) {
	t.Helper()
	reports := a.read(t)
	r := final(t, reports)
	if r.Counts.Records != m.total() || r.TotalTicks != m.total() || int(r.Partitions) != to {
		t.Errorf("records %d, ticks %d over %d partitions; produced %d", r.Counts.Records, r.TotalTicks, r.Partitions, m.total())
	}
	for p := range int32(to) {
		if got := r.PartitionTicks[strconv.Itoa(int(p))]; got != m.places[p] {
			t.Errorf("partition %d: %d ticks, produced %d", p, got, m.places[p])
		}
	}
	if r.Partitioner != "murmur2" {
		t.Errorf("partitioner %q; %s", r.Partitioner, r.Notes)
	}
	for _, f := range opened(t, reports, engine.SymbolSplit, engine.PartitionerMixed, engine.PartitionerMismatch, engine.RecordsLost) {
		t.Errorf("%s: %s", f.Code, f.Cause)
	}
	changes := opened(t, reports, engine.PartitionsChanged)
	if len(changes) != 1 || changes[0].Observed != float64(to) || changes[0].Threshold != float64(from) {
		t.Errorf("findings of growth: %+v", changes)
	}
	moved := 0
	for _, went := range m.went {
		if len(went) > 1 {
			moved++
		}
	}
	for _, f := range r.Findings {
		if f.Code == engine.PartitionsChanged && f.Count != int64(moved) {
			t.Errorf("%d symbols have moved, found %d: %s", moved, f.Count, f.Cause)
		}
	}
	late := opened(t, reports, engine.UpstreamDisorder)
	if len(late) != 1 || late[0].Symbol != moves || *late[0].Partition != after.Partition || late[0].FirstOffset != after.Offset || late[0].Observed != 1500 {
		t.Errorf("disorder across the move of %s to %d@%d: %+v", moves, after.Partition, after.Offset, late)
	}
}
