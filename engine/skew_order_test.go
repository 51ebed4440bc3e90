package engine

import (
	"slices"
	"strings"
	"testing"
)

// Skews a minute apart on two partitions are two findings, and one over both
// is one, in whatever order and pieces the topic hears of the partitions.
func TestSkewsAreTheSameInAnyOrderOfPartitions(t *testing.T) {
	l := DefaultLimits()
	l.Replay = true
	ahead := map[int32][]int{0: {70, 140}, 1: {5, 76, 77}, 2: {300}} // seconds at which a tick is ahead
	heard := func(order []int, pieces int) []string {
		w := newWorld(t, 3, &l)
		w.pieces = pieces
		for id := range int32(3) {
			for n := range 310 {
				r := record0(n, "QX"+string('A'+id), t0+int64(n)*second)
				if r.partition = id; slices.Contains(ahead[id], n) {
					r.tick.EventTime += 5 * second
				}
				w.produce(r)
			}
		}
		for _, id := range order {
			for range 155 {
				w.step(id)
			}
			w.checkpoint(id, true)
		}
		for id := range w.parts {
			for w.step(id) {
			}
		}
		return outcome(w.reports, w.finish())
	}
	want := heard([]int{0, 1, 2}, 1<<30)
	skews := 0
	for _, r := range want {
		if strings.Contains(r, "CLOCK_SKEW Q") || strings.Contains(r, "CLOCK_SKEW p") {
			skews++
		}
	}
	if skews != 4 {
		t.Fatalf("%d skews, want 4: %q", skews, want)
	}
	for _, order := range [][]int{{2, 1, 0}, {1, 0, 1, 2}, {0, 0, 2, 1}, {}} {
		if got := heard(order, 1); !slices.Equal(got, want) {
			t.Errorf("heard %v\n  %s\nwant\n  %s", order, without(got, want), without(want, got))
		}
	}
}
