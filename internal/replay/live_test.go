package replay

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/kafkatest"
)

// liveRun is a live audit of one topic in miniature: records come in batches
// of any size, checkpoints are made at any time, and it crashes, with nothing,
// a part or all of a checkpoint durable.
type liveRun struct {
	r       *rand.Rand
	topic   string
	count   int32
	limits  *engine.Limits
	reports []*engine.Report
	fold    *engine.Topic
	stored  map[string]engine.TopicRow
	crashes int
}

// livePartition is one partition of it with what is durable.
type livePartition struct {
	id      int32
	records []*kgo.Record
	judge   *engine.Partition
	at      int // next record
	durable int
	row     *engine.PartitionRow
	symbols map[string]engine.SymbolRow
	closed  bool
}

func (l *liveRun) start(p *livePartition) {
	p.judge = engine.NewPartition(l.topic, p.id, l.count, l.limits)
	p.at, p.closed = p.durable, false
	if p.row != nil {
		p.judge.RestorePartition(copied(*p.row))
	}
	for _, name := range slices.Sorted(maps.Keys(p.symbols)) {
		p.judge.RestoreSymbol(p.symbols[name])
	}
}

// copied is a row whose maps are its own, as one that was read is.
func copied(r engine.PartitionRow) engine.PartitionRow {
	r.Episodes = slices.Clone(r.Episodes)
	for i := range r.Episodes {
		r.Episodes[i].Tally = maps.Clone(r.Episodes[i].Tally)
	}
	return r
}

// step reads some records of a partition and makes a checkpoint, or crashes.
func (l *liveRun) step(t *testing.T, p *livePartition) {
	decoder, err := jsonDecoder()
	if err != nil {
		t.Fatal(err)
	}
	ln := lane{span: span{End: int64(len(p.records))}, topic: l.topic, o: &Options{}, ticks: codecs.NewTickReader(decoder, ""), judge: p.judge}
	for range 1 + l.r.IntN(60) {
		if p.at == len(p.records) {
			break
		}
		if err := ln.record(p.records[p.at]); err != nil {
			t.Fatal(err)
		}
		p.at++
	}
	if p.at == len(p.records) && !p.closed {
		p.judge.Close(engine.NoTime)
		p.closed = true
	}
	s := p.judge.Snapshot()
	crash := l.r.IntN(4) == 0
	if crash && l.r.IntN(2) == 0 {
		l.crashes++
		l.start(p) // before anything was durable
		return
	}
	l.reports = append(l.reports, s.Reports...)
	for _, part := range s.Stats.Split(1 + l.r.IntN(50)) {
		l.fold.Fold(part)
	}
	l.checkpointTopic()
	row := copied(s.PartitionRow)
	p.row = &row
	for _, r := range s.Rows {
		if crash && l.r.IntN(2) == 0 {
			continue // the crash comes between rows
		}
		p.symbols[r.Symbol] = r
	}
	if crash {
		l.crashes++
		l.start(p) // rows are ahead of the offset
		return
	}
	p.durable = p.at
}

// checkpointTopic makes the topic's state durable and at times begins anew
// from it.
func (l *liveRun) checkpointTopic() {
	s := l.fold.Snapshot()
	l.reports = append(l.reports, s.Reports...)
	for _, r := range s.Rows {
		if r.Deletes() {
			delete(l.stored, r.Key)
		} else {
			l.stored[r.Key] = r
		}
	}
}

func (l *liveRun) run(t *testing.T, records []*kgo.Record) *engine.Report {
	l.fold, l.stored = engine.NewTopic(l.topic, l.count, l.limits), map[string]engine.TopicRow{}
	var open []*livePartition
	for id := range l.count {
		p := &livePartition{id: id, symbols: map[string]engine.SymbolRow{}}
		for _, r := range records {
			if r.Partition == id {
				p.records = append(p.records, r)
			}
		}
		l.start(p)
		open = append(open, p)
	}
	for len(open) > 0 {
		i := l.r.IntN(len(open))
		l.step(t, open[i])
		if p := open[i]; p.closed && p.durable == len(p.records) {
			open = slices.Delete(open, i, i+1)
		}
	}
	f := l.fold.Final("end")
	l.checkpointTopic()
	return f
}

// shown are the findings by id as they were told last.
func shown(reports []*engine.Report) map[string]string {
	counts, out := map[string]int64{}, map[string]string{}
	for _, r := range reports {
		for _, f := range r.Findings {
			if n, ok := counts[f.ID]; ok && f.Count < n {
				continue
			}
			counts[f.ID] = f.Count
			partition := int32(-1)
			if f.Partition != nil {
				partition = *f.Partition
			}
			out[f.ID] = fmt.Sprintf("%s %d %q count %d", f.Code, partition, f.Symbol, f.Count)
			if f.Code != engine.KeyMismatch || f.Partition != nil { // spellings lie on several partitions
				out[f.ID] += fmt.Sprintf(" @%d-%d", f.FirstOffset, f.LastOffset)
			}
		}
	}
	return out
}

// Whatever batches, checkpoints and crashes a live audit saw, a replay of the
// same records has its findings: the same ids, places and counts, and totals.
func TestReplayIsLiveOnRandomMarkets(t *testing.T) {
	c := kafkatest.Fake(t)
	for seed := range uint64(12) {
		topic := c.Topic(t, 4, "retention.ms=-1")
		records := market(topic, 4, 2500, seed)
		c.Produce(t, records...)
		o := optionsFor(topic)
		o.Limits.FindingsPerReport = 10_000
		replayed := mustPlay(t, c, o)
		limits := o.Limits
		l := &liveRun{r: rand.New(rand.NewPCG(seed, 2)), topic: topic, count: 4, limits: &limits}
		live := l.run(t, records)
		got, want := shown(replayed.reports), shown(l.reports)
		if len(want) < 20 || l.crashes < 10 {
			t.Fatalf("seed %d: %d findings, %d crashes: too few to tell anything", seed, len(want), l.crashes)
		}
		for _, id := range slices.Sorted(maps.Keys(want)) {
			if got[id] != want[id] {
				t.Errorf("seed %d: finding %s is\n%s live, and\n%s in replay", seed, id, want[id], got[id])
			}
		}
		for id := range got {
			if want[id] == "" {
				t.Errorf("seed %d: not found live: %s", seed, got[id])
			}
		}
		f := replayed.final(t)
		if f.Counts != live.Counts || fmt.Sprint(f.PartitionTicks) != fmt.Sprint(live.PartitionTicks) {
			t.Errorf("seed %d: counts %+v live, %+v in replay", seed, live.Counts, f.Counts)
		}
		if t.Failed() {
			return
		}
	}
}
