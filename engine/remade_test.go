package engine

import "testing"

// TestFindingsOfATopicMadeAnew holds that a late tick at the same offset of a
// topic that was made anew is another finding, and that ids do not depend on
// the topic's id otherwise.
func TestFindingsOfATopicMadeAnew(t *testing.T) {
	l := DefaultLimits()
	id := func(topicID string, anew bool) string {
		p := NewPartition("ticks", 0, 1, &l)
		if anew {
			p.MarkReset()
		}
		p.SetTopicID(topicID)
		row := p.Snapshot().PartitionRow // the mark outlives a restart
		p = NewPartition("ticks", 0, 1, &l)
		p.RestorePartition(row)
		for i, at := range []int64{5e9, 4e9} {
			p.Observe(&Tick{Offset: int64(i), RecordTime: t0 + 5e9, EventTime: t0 + at, Symbol: []byte("QXA"), Key: []byte("QXA"), Value: []byte("{}")}, NoTime)
		}
		for _, r := range p.Snapshot().Reports {
			for _, f := range r.Findings {
				if f.Code == UpstreamDisorder {
					return f.ID
				}
			}
		}
		t.Fatal("no disorder")
		return ""
	}
	plain := id("", false)
	if got := id("first", false); got != plain {
		t.Errorf("the id of an ordinary run depends on the topic's: %s, %s", got, plain)
	}
	second, third := id("second", true), id("third", true)
	if second == plain || second == third {
		t.Errorf("ids %s, %s and %s are not three", plain, second, third)
	}
}

// TestFindingsEndWithTheirTopic holds that what was open of a topic is resolved
// by the state of the one made anew in its place.
func TestFindingsEndWithTheirTopic(t *testing.T) {
	l := DefaultLimits()
	p := NewPartition("ticks", 0, 1, &l)
	p.SetTopicID("old")
	for i, at := range []int64{5e9, 4e9} {
		p.Observe(&Tick{Offset: int64(i), RecordTime: t0 + 5e9, EventTime: t0 + at, Symbol: []byte("QXA"), Key: []byte("QXA"), Value: []byte("{}")}, NoTime)
	}
	p.Lost(2, 9)
	p.Truncate(1)
	open := map[string]State{}
	note := func(p *Partition) {
		for _, r := range p.Snapshot().Reports {
			for _, f := range r.Findings {
				open[f.Code.String()+f.ID] = f.State
			}
		}
	}
	note(p)
	if len(open) < 3 {
		t.Fatalf("told only %v", open)
	}
	next := p.Succeed(2)
	if next.SetTopicID("new"); next.Next() != 0 || next.Symbols() != 0 || !next.Changed() {
		t.Errorf("the new topic begins at %d with %d symbols, changed %v", next.Next(), next.Symbols(), next.Changed())
	}
	note(next)
	for id, state := range open {
		if state != Resolved {
			t.Errorf("%s is left %s", id, state)
		}
	}
}
