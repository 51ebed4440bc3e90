package engine

import (
	"fmt"
	"reflect"
	"testing"
)

// The lists of symbols go with windows and with the end, not with every
// checkpoint; a topic keeps the last ones, over a restart too.
func TestRankingGoesWithWindows(t *testing.T) {
	l := DefaultLimits()
	p := NewPartition("ticks", 0, 1, &l)
	topic := NewTopic("ticks", 1, &l)
	const start = int64(1_735_831_800_000_000_000)
	offset := int64(0)
	tick := func(symbol string, at int64) {
		p.Observe(&Tick{Offset: offset, RecordTime: start + at, EventTime: start + at, Symbol: []byte(symbol), Key: []byte(symbol), Value: []byte("{}")}, NoTime)
		offset++
	}
	checkpoint := func(ranked bool, want ...SymbolLoad) {
		t.Helper()
		s := p.Snapshot()
		if s.Stats.Ranked != ranked || !ranked && s.Stats.Top != nil {
			t.Errorf("ranked %v with %v, want %v", s.Stats.Ranked, s.Stats.Top, ranked)
		}
		p.Return(s) // a checkpoint that failed takes nothing with it
		again := p.Snapshot()
		if again.Stats.Ranked != ranked {
			t.Errorf("ranked %v after a checkpoint that failed, want %v", again.Stats.Ranked, ranked)
		}
		for _, part := range again.Stats.Split(1) {
			topic.Fold(part)
		}
		if got := topic.ranksOf(0).Top; !reflect.DeepEqual(got, want) {
			t.Errorf("the topic lists %v, want %v", got, want)
		}
		restored := NewTopic("ticks", 1, &l)
		for key := range map[string]bool{"t": true, "p/0": true, "r/0": true} {
			restored.Restore(topic.row(key))
		}
		if got := restored.ranksOf(0).Top; !reflect.DeepEqual(got, want) {
			t.Errorf("after a restart the topic lists %v, want %v", got, want)
		}
	}
	tick("QXA", 0)
	checkpoint(true, SymbolLoad{"QXA", 1})
	for i := range 3 {
		tick("QXB", int64(i))
	}
	checkpoint(false, SymbolLoad{"QXA", 1})
	tick("QXA", 2*int64(l.ReportInterval))
	tick("QXA", 4*int64(l.ReportInterval))
	checkpoint(true, SymbolLoad{"QXA", 3}, SymbolLoad{"QXB", 3})
	for i := range 4 {
		tick("QXB", 4*int64(l.ReportInterval)+int64(i))
	}
	checkpoint(false, SymbolLoad{"QXA", 3}, SymbolLoad{"QXB", 3})
	p.Close(NoTime)
	checkpoint(true, SymbolLoad{"QXB", 7}, SymbolLoad{"QXA", 3})
	if got := fmt.Sprint(topic.row("r/0").Key, topic.row("p/0").Part.Stats.Top); got != "r/0[]" {
		t.Errorf("rows are %s", got)
	}
}
