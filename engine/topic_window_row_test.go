package engine

import "testing"

// A window's row that a process wrote late, after it had stood still, takes
// none of the loads back that its successor had heard of; a window that is
// closed, and one of another topic by that name, begin anew.
func TestAWindowsRowTakesNoLoadBack(t *testing.T) {
	row := func(id string, partitions ...int32) TopicRow {
		w := &TopicWindow{Start: t0, Loads: map[int32]*WindowLoad{}, TopicID: id}
		for _, p := range partitions {
			w.Loads[p] = &WindowLoad{Start: t0, Ticks: int64(p) + 1}
		}
		return TopicRow{Key: windowKey(t0), Window: w}
	}
	closed := TopicRow{Key: windowKey(t0)}
	for name, c := range map[string]struct {
		rows []TopicRow
		want []int32
	}{
		"in order":            {[]TopicRow{row("a", 0), row("a", 0, 1)}, []int32{0, 1}},
		"late":                {[]TopicRow{row("a", 0, 1), row("a", 0)}, []int32{0, 1}},
		"closed before":       {[]TopicRow{row("a", 0, 1), closed, row("a", 0)}, []int32{0}},
		"of another topic":    {[]TopicRow{row("a", 0, 1), row("b", 0)}, []int32{0}},
		"closed, and no more": {[]TopicRow{row("a", 0, 1), closed}, nil},
	} {
		l := DefaultLimits()
		topic := NewTopic("ticks", 2, &l)
		for _, r := range c.rows {
			topic.Restore(r)
		}
		w := topic.windows[t0]
		if (w == nil) != (c.want == nil) || w != nil && len(w.Loads) != len(c.want) {
			t.Errorf("%s: %+v, want the loads of %v", name, w, c.want)
			continue
		}
		for _, p := range c.want {
			if w.Loads[p] == nil || w.Loads[p].Ticks != int64(p)+1 {
				t.Errorf("%s: partition %d has %+v", name, p, w.Loads[p])
			}
		}
	}
}

// Nor do late rows of the topic and of a partition set back what was durable.
func TestLateRowsSetNothingBack(t *testing.T) {
	l := DefaultLimits()
	topic := NewTopic("ticks", 2, &l)
	state := func(id string, closed int64) TopicRow {
		return TopicRow{Key: "t", State: &TopicState{TopicID: id, Partitions: 2, ClosedTo: closed}}
	}
	part := func(id string, through int64) TopicRow {
		return TopicRow{Key: partKey(1), Part: &TopicPart{Last: through, Stats: PartitionStats{TopicID: id, Through: through}}}
	}
	for i, c := range []struct {
		id       string
		says, is int64 // closed to, and through
	}{
		{id: "a", says: 20, is: 20},
		{id: "a", says: 30, is: 30},
		{id: "a", says: 20, is: 30},
		{id: "b", says: 10, is: 10}, // made anew
	} {
		topic.Restore(state(c.id, c.says))
		topic.Restore(part(c.id, c.says))
		if topic.state.ClosedTo != c.is || topic.parts[1].Stats.Through != c.is || topic.parts[1].Last != c.is {
			t.Errorf("row %d of %s: closed to %d, partition through %d, want %d", i, c.id, topic.state.ClosedTo, topic.parts[1].Stats.Through, c.is)
		}
	}
}

// A split whose symbol's row was lost, while its finding's was not, stays as it
// is until the symbol is heard of again.
func TestASplitOutlivesItsSymbolsRow(t *testing.T) {
	l := DefaultLimits()
	topic := NewTopic("ticks", 2, &l)
	topic.Restore(TopicRow{Key: "f/split/QXA", Episode: &TopicEpisode{Subject: "split/QXA", Finding: Finding{ID: "id", Code: SymbolSplit, Symbol: "QXA"}}})
	topic.Restore(TopicRow{Key: "s/QXA", Symbol: &TopicSymbol{Partitions: 2, Places: []SymbolPlace{{Partition: 0, Old: true}, {Partition: 1, Old: true}}}})
	topic.placing.touched["QXA"] = true
	topic.judgePlaces()
	if f := topic.find("split/QXA"); f == nil || f.ID != "id" || f.Partition != nil {
		t.Errorf("the finding has become %+v", f)
	}
}
