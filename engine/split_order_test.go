package engine

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// heardSplits audits the logs, read in the order of ids, with a checkpoint
// where the draw says, and gives what the FINAL report tells of splits and
// spellings.
func heardSplits(t testing.TB, logs [][]record, order []int, live bool, boundary func() bool) (out []string) {
	l := DefaultLimits()
	l.Replay = !live
	w := newWorld(t, len(logs), &l)
	for _, log := range logs {
		for _, r := range log {
			w.produce(r)
		}
	}
	asked := int64(0)
	for _, id := range order {
		if w.step(id) && boundary() {
			w.checkpoint(id, true)
			if live {
				asked++
				w.topic.HasPartitions(int32(len(logs)), asked, asked)
			}
			if boundary() {
				w.restart(id)
			}
		}
	}
	for id := range w.parts {
		for w.step(id) {
		}
	}
	final := w.finish()
	for _, f := range final.Findings {
		if f.Code == SymbolSplit || f.Code == KeyMismatch && f.Unit == "spellings" {
			partition := int32(-1)
			if f.Partition != nil {
				partition = *f.Partition
			}
			out = append(out, fmt.Sprintf("%s %s p%d first %d %d last %d count %d %v: %s", f.ID, f.Symbol, partition, f.FirstOffset, f.FirstTime, f.LastOffset, f.Count, f.Observed, f.Cause))
		}
	}
	slices.Sort(out)
	return append(out, fmt.Sprint(final.Symbols, " symbols"))
}

// What is told of a split and of spellings, its id, its place and its counts,
// does not depend on the order in which partitions are read, on checkpoints or
// restarts, nor on whether the audit is live.
func TestSplitsAreTheSameInAnyOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(2, 5).Draw(rt, "partitions")
		logs := make([][]record, n)
		var byTime []int
		for i := range rapid.IntRange(2, 60).Draw(rt, "records") {
			name := rapid.SampledFrom([]string{"QXA", "qxa", "QX-A", "QXB", "ZTKR"}).Draw(rt, "symbol")
			id := rapid.IntRange(0, n-1).Draw(rt, "partition")
			r := at(int64(len(logs[id])), int64(i/rapid.IntRange(1, 4).Draw(rt, "same time"))*1e9, name)
			r.partition = int32(id)
			if rapid.IntRange(0, 9).Draw(rt, "no key") == 0 {
				r.tick.Key = nil
			}
			logs[id] = append(logs[id], r)
			byTime = append(byTime, id)
		}
		never := func() bool { return false }
		want := heardSplits(t, logs, byTime, false, never)
		sorted := slices.Sorted(slices.Values(byTime))
		down := slices.Clone(sorted)
		slices.Reverse(down)
		sometimes := func() bool { return rapid.IntRange(0, 5).Draw(rt, "boundary") == 0 }
		order := [][]int{byTime, sorted, down}[rapid.IntRange(0, 2).Draw(rt, "order")]
		live := rapid.Bool().Draw(rt, "live")
		if got := heardSplits(t, logs, order, live, sometimes); !slices.Equal(got, want) {
			rt.Fatalf("live %v, order %v\n  %v\nwant\n  %v", live, order, got, want)
		}
	})
}
