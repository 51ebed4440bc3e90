package replay

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

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
	end     int64 // greatest record time of all
}

// livePartition is one partition of it with what is durable.
type livePartition struct {
	id      int32
	records []*kgo.Record
	judge   *engine.Partition
	at      int // next record
	durable int
	row     []byte
	symbols map[string]engine.SymbolRow
	closed  bool
}

func (l *liveRun) start(p *livePartition) {
	p.judge = engine.NewPartition(l.topic, p.id, l.count, l.limits)
	p.at, p.closed = p.durable, false
	if p.row != nil {
		row, err := codecs.DecodePartitionRow(p.row)
		if err != nil {
			panic(err)
		}
		p.judge.RestorePartition(row)
	}
	for _, name := range slices.Sorted(maps.Keys(p.symbols)) {
		p.judge.RestoreSymbol(p.symbols[name])
	}
}

// step reads some records of a partition and makes a checkpoint, or crashes.
func (l *liveRun) step(t *testing.T, p *livePartition) {
	decoder, err := feedDecoder()
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
		p.judge.Close(l.end)
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
	if p.row, err = codecs.EncodePartitionRow(&s.PartitionRow); err != nil {
		t.Fatal(err)
	}
	for _, r := range s.Rows {
		if crash && l.r.IntN(2) == 0 {
			continue // the crash comes between rows
		}
		read, err := codecs.DecodeSymbolRow(r.Symbol, codecs.AppendSymbolRow(nil, &r))
		if err != nil {
			t.Fatal(err)
		}
		p.symbols[r.Symbol] = read
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
			l.end = max(l.end, r.Timestamp.UnixMilli()*1e6)
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
			code := f.Code.String()
			if kind, ok := f.Evidence["kind"]; ok {
				code += fmt.Sprint(" ", kind)
			}
			out[f.ID] = fmt.Sprintf("%s %d %q count %d", code, partition, f.Symbol, f.Count)
			if f.Code != engine.KeyMismatch || f.Partition != nil { // spellings lie on several partitions
				out[f.ID] += fmt.Sprintf(" @%d-%d", f.FirstOffset, f.LastOffset)
			}
		}
	}
	return out
}

// feedDecoder reads ticks of a feed that names all that is judged.
func feedDecoder() (codecs.TickDecoder, error) {
	return codecs.NewJSON(codecs.Fields{
		Symbol: "symbol", Timestamp: "ts", Sequence: "seq", Venue: "venue", Content: true,
		Halt: codecs.Halts{Path: "halt", Values: []string{"H"}},
	})
}

// fed are the records with a venue, a sequence number, a price and at times a
// halt or another unit. Numbers are left out and come again, prices stand
// still, and history is written behind live ticks.
func fed(records []*kgo.Record, seed uint64) []*kgo.Record {
	r := rand.New(rand.NewPCG(seed, 3))
	numbers, prices, old := map[string]int{}, map[string]int{}, map[string]int{}
	for _, rec := range records {
		var tick struct {
			Symbol string
			TS     int64
		}
		if json.Unmarshal(rec.Value, &tick) != nil {
			continue
		}
		venue := fmt.Sprintf("V%d", r.IntN(2))
		stream := venue + tick.Symbol
		numbers[stream]++
		switch r.IntN(150) {
		case 0:
			numbers[stream] += 2
		case 1:
			numbers[stream]--
		}
		if tick.Symbol[2] != '0' || r.IntN(400) == 0 { // those of 0 are frozen
			prices[tick.Symbol]++
		}
		if r.IntN(300) == 0 {
			old[tick.Symbol] = 6
		}
		if old[tick.Symbol] > 0 {
			old[tick.Symbol]--
			tick.TS -= 60e9
		}
		ts, halt := fmt.Sprint(tick.TS), "T"
		if r.IntN(500) == 0 {
			ts = fmt.Sprint(tick.TS / 1e6)
		}
		if r.IntN(200) == 0 {
			halt = "H"
		}
		rec.Value = fmt.Appendf(nil, `{"symbol":%q,"ts":%s,"venue":%q,"seq":%d,"price":%d,"halt":%q}`,
			tick.Symbol, ts, venue, numbers[stream], prices[tick.Symbol], halt)
	}
	return records
}

// Whatever batches, checkpoints and crashes a live audit saw, a replay of the
// same records has its findings: the same ids, places and counts, and totals.
func TestReplayIsLiveOnRandomMarkets(t *testing.T) {
	c := kafkatest.Fake(t)
	all := ""
	for seed := range uint64(12) {
		topic := c.Topic(t, 4, "retention.ms=-1")
		records := fed(market(topic, 4, 2500, seed), seed)
		c.Produce(t, records...)
		o := optionsFor(topic)
		o.Decoder = feedDecoder
		o.Limits.OrderByVenue, o.Limits.Sequences, o.Limits.BackfillMin = seed%2 == 0, seed%3 != 0, 3
		o.Limits.MaxSymbolSilence, o.Limits.MaxTickAge = 5*time.Second, 2*time.Second
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
			if all += want[id] + "\n"; got[id] != want[id] {
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
	for _, code := range []string{"SEQUENCE_GAP", "REDELIVERED", "BACKFILL", "TIMESTAMP_UNIT_CHANGED", "STALE_TICK FROZEN", "STALE_TICK SILENT", "UPSTREAM_DISORDER"} {
		if !strings.Contains(all, code) {
			t.Errorf("%s was not drawn", code)
		}
	}
}
