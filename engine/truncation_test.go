package engine

import (
	"strings"
	"testing"
)

// A row of before a truncation speaks further than one of after it, and is
// about another log: it must not win, in whatever order the rows come.
func TestRowsOfATruncatedLogLose(t *testing.T) {
	l := DefaultLimits()
	p := NewPartition("ticks", 0, 1, &l)
	for i := range int64(20) {
		p.Observe(&Tick{Offset: i, RecordTime: t0 + i, EventTime: t0 + i, Symbol: []byte("QXA"), Key: []byte("QXA")}, NoTime)
	}
	before := p.Snapshot()
	p.Truncate(10)
	after := p.Snapshot()
	if after.Next != 10 {
		t.Errorf("reads on at %d, want 10", after.Next)
	}
	for _, order := range [][2]*Snapshot{{before, after}, {after, before}} {
		q := NewPartition("ticks", 0, 1, &l)
		for _, s := range order {
			q.RestorePartition(s.PartitionRow)
			for _, r := range s.Rows {
				q.RestoreSymbol(r)
			}
		}
		if q.Next() != 10 || q.symbols[0].through != 9 || q.symbols[0].lastEvent != NoTime {
			t.Errorf("next %d, symbol %+v: the row of before won", q.Next(), *q.symbols[0])
		}
		q.Observe(&Tick{Offset: 10, RecordTime: t0, EventTime: t0, Symbol: []byte("QXA"), Key: []byte("QXA")}, NoTime)
		if q.row.Counts.Records != 21 || q.row.Counts.Disorder != 0 {
			t.Errorf("counts %+v: the record in the lost one's place was not judged as a new one", q.row.Counts)
		}
	}
	topic := NewTopic("ticks", 1, &l)
	topic.Fold(before.Stats)
	topic.Fold(after.Stats)
	topic.Fold(before.Stats)
	if got := topic.Through(0); got != 9 {
		t.Errorf("the topic rests on %d, want 9", got)
	}
	if f := topic.Final("x"); !strings.Contains(f.Notes, "not exact") || f.Status != StatusOffset {
		t.Errorf("notes %q, status %s", f.Notes, f.Status)
	}
}
