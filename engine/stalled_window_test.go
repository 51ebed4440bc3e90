package engine

import (
	"fmt"
	"testing"
)

// stalled plays 60 ticks a second on each of four partitions, seen one second
// at a time. Three of them stand still from second 21 on: what they write then
// comes with its record times when they go on. gone lets it never come.
func stalled(t *testing.T, still int64, gone bool) (unbalanced []Finding) {
	t.Helper()
	l := DefaultLimits()
	l.ReportInterval = 2e9
	w := newWorld(t, 4, &l)
	see := func(id int, sec int64) {
		for n := range int64(60) {
			r := record0(len(w.logs[id]), fmt.Sprintf("Q%d-%d", id, n%9), t0+sec*second+n*second/60)
			r.partition, r.now = int32(id), r.tick.RecordTime
			w.produce(r)
			w.step(id)
		}
	}
	const from = 21
	for sec := range int64(50) {
		now := t0 + (sec+1)*second
		for id := range w.parts {
			frozen := id > 0 && sec >= from && (gone || sec < from+still)
			if id > 0 && sec == from+still && !gone {
				for late := int64(from); late < sec; late++ {
					see(id, late)
				}
			}
			if !frozen {
				see(id, sec)
			}
			w.parts[id].Progress(int64(len(w.logs[id])), now)
			w.parts[id].Sweep(now)
			w.checkpoint(id, true)
		}
	}
	for _, r := range w.reports {
		for _, f := range r.Findings {
			if f.Code == PartitionUnbalanced && f.State == Opened {
				unbalanced = append(unbalanced, f)
			}
		}
	}
	return unbalanced
}

// Producers, brokers or the audit stand still for a while: the part of a window
// that is seen by its end, and what comes late into another, are no skew.
func TestWhatStandsStillAWhileIsNoSkew(t *testing.T) {
	for _, still := range []int64{3, 4, 5, 7} {
		for _, f := range stalled(t, still, false) {
			t.Errorf("after %d s of standing still: %s", still, f.Cause)
		}
	}
}

// What stops for good leaves the others unbalanced, and that is told.
func TestWhatStopsForGoodIsSkew(t *testing.T) {
	if found := stalled(t, 0, true); len(found) != 1 {
		t.Errorf("found %v", found)
	}
}
