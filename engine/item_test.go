package engine

import (
	"fmt"
	"testing"
)

// batchTicks are two records of three and two ticks: a symbol is there twice
// in each, and one item is of no use.
func batchTicks() []Tick {
	item := func(offset int64, n int32, symbol string, at int64) Tick {
		return Tick{Offset: offset, Item: n, RecordTime: t0, EventTime: t0 + at, Symbol: []byte(symbol), Value: []byte("[...]"), Unit: UnitMillis}
	}
	bad := item(7, 1, "", 0)
	bad.Kind, bad.Reason = Unusable, ReasonSymbolMissing
	return []Tick{item(7, 0, "QXA", 2), bad, item(7, 2, "QXA", 1), item(8, 0, "QXB", 0), item(8, 1, "QXA", 3)}
}

func TestItemsOfARecordAreJudgedOnce(t *testing.T) {
	l := DefaultLimits()
	p := NewPartition("ticks", 0, 1, &l)
	ticks := batchTicks()
	for range 2 { // the same records again change nothing
		for i := range ticks {
			p.Observe(&ticks[i], NoTime)
		}
	}
	c := p.Counts()
	if c.Records != 2 || c.Batched != 3 || c.Ticks != 4 || c.Unusable != 1 || c.NullKeys != 2 || c.ValueBytes != 10 || c.Disorder != 1 || !c.Whole() {
		t.Errorf("counts %+v", c)
	}
	s := p.Snapshot()
	if s.PartitionRow.Through != 8 || fmt.Sprint(s.Rows[0].Symbol, " ", s.Rows[0].Count, s.Rows[0].Through) != "QXA 3 8" {
		t.Errorf("through %d, rows %+v", s.PartitionRow.Through, s.Rows)
	}
}

// A restart reads whole records again: what rows speak of is not judged again,
// and a symbol whose row was lost is.
func TestItemsAfterARestart(t *testing.T) {
	l := DefaultLimits()
	before := NewPartition("ticks", 0, 1, &l)
	ticks := batchTicks()
	for i := range ticks {
		before.Observe(&ticks[i], NoTime)
	}
	s := before.Snapshot()
	p := NewPartition("ticks", 0, 1, &l)
	p.RestorePartition(s.PartitionRow)
	for _, r := range s.Rows {
		if r.Symbol == "QXB" {
			p.RestoreSymbol(r)
		}
	}
	for i := range ticks {
		p.Observe(&ticks[i], NoTime)
	}
	if p.Counts() != before.Counts() {
		t.Errorf("counts %+v, want %+v", p.Counts(), before.Counts())
	}
	rows := map[string]int64{}
	for _, r := range p.Snapshot().Rows {
		rows[r.Symbol] = r.Count
	}
	if len(rows) != 1 || rows["QXA"] != 3 {
		t.Errorf("rows %v: QXA alone was to be judged again", rows)
	}
	for _, r := range s.Rows {
		q := NewPartition("ticks", 0, 1, &l)
		q.RestorePartition(s.PartitionRow)
		q.RestoreSymbol(r)
		for i := range ticks {
			if string(ticks[i].Symbol) == r.Symbol {
				q.Observe(&ticks[i], NoTime)
			}
		}
		for _, again := range q.Snapshot().Rows {
			t.Errorf("%+v was judged again", again)
		}
	}
}

// Records that are no ticks by the feed's own word are counted apart.
func TestIgnoredRecords(t *testing.T) {
	l := DefaultLimits()
	p := NewPartition("ticks", 0, 1, &l)
	p.Observe(&Tick{Offset: 0, Kind: Ignored, RecordTime: t0, Value: []byte("{}")}, NoTime)
	if c := p.Counts(); c.Ignored != 1 || c.Records != 1 || !c.Whole() || p.Pending() {
		t.Errorf("counts %+v, pending %v", c, p.Pending())
	}
}

// Record times of ticks without a time of their own are no event times: beside
// a clock that is ahead they would look late, and make others look so.
func TestRecordTimesAreNoEventTimes(t *testing.T) {
	l := DefaultLimits()
	p := NewPartition("ticks", 0, 1, &l)
	for i := range int64(6) {
		tick := Tick{Offset: i, RecordTime: t0 + i*1e6, EventTime: t0 + i*1e6, Symbol: []byte("QXA"), Value: []byte("{}"), Unit: UnitRecord}
		if i%2 == 0 {
			tick.EventTime, tick.Unit = tick.RecordTime+5e6, UnitMillis
		}
		p.Observe(&tick, NoTime)
	}
	if c := p.Counts(); c.Disorder != 0 || c.Ahead != 3 || c.Ticks != 6 || c.RecordTimed != 3 {
		t.Errorf("counts %+v", c)
	}
	if units := unitsText(p.row.Units); units != "ms,record" {
		t.Errorf("units %q", units)
	}
}
