package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// chapter is a time at which a topic had so many partitions, with the symbols
// that ticked. unseen: the audit did not hear of that count while it held.
type chapter struct {
	partitions int32
	symbols    map[string]family
	unseen     bool
}

// auditLive audits the chapters while they are written.
func auditLive(t *testing.T, seed uint64, restarts bool, chapters []chapter) (*liveGrowth, *Report) {
	t.Helper()
	l := DefaultLimits()
	g := newLiveGrowth(t, seed, int(chapters[0].partitions), &l)
	g.clocked = seed%2 == 1
	for i, c := range chapters {
		if g.off = c.unseen; i > 0 && !c.unseen {
			g.look(c.partitions)
			g.know(int(c.partitions))
		}
		g.write(6, c.symbols, c.partitions)
		if c.unseen {
			continue
		}
		g.look(c.partitions)
		g.look(c.partitions)
		if restarts {
			for id := range g.parts {
				at := g.at[id]
				g.restart(id)
				g.at[id] = at
			}
		}
		g.write(4, c.symbols, c.partitions)
		g.look(c.partitions)
	}
	return g, g.finish()
}

// auditAgain audits the logs from their beginning, as a new run or a replay
// does: partition after partition, or in pieces.
func auditAgain(t *testing.T, logs [][]record, replay, restarts bool) *Report {
	t.Helper()
	l := DefaultLimits()
	l.Replay = replay
	w := newWorld(t, len(logs), &l)
	for id := range logs {
		for _, r := range logs[id] {
			r.now = NoTime
			w.produce(r)
		}
	}
	for more := true; more; {
		more = false
		for id := range logs {
			for range 50 {
				more = w.step(id) || more
			}
			w.checkpoint(id, true)
			if restarts {
				w.restart(id)
			}
		}
	}
	return w.finish()
}

// showGrowths shows what is told of growths: what must be the same however a
// topic is audited.
func showGrowths(t *testing.T, r *Report) (out []string) {
	t.Helper()
	for _, f := range found(r, PartitionsChanged) {
		out = append(out, fmt.Sprintf("%s: %v to %v, %d of %v, %s, %v, first %d", f.ID, f.Threshold, f.Observed, f.Count,
			f.Evidence["moved_total"], encode(t, f.Evidence["moved"]), f.Evidence["function"], f.FirstTime))
	}
	slices.Sort(out)
	return out
}

// movesAt are the symbols that had ticked before a chapter and that it moves.
func movesAt(chapters []chapter, i int, f family) (moves []Moving) {
	before := map[string]family{}
	for _, c := range chapters[:i] {
		maps.Copy(before, c.symbols)
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		from, to := placesOf([]byte(name), chapters[i-1].partitions)[f], placesOf([]byte(name), chapters[i].partitions)[f]
		if from != to {
			moves = append(moves, Moving{name, from, to})
		}
	}
	return moves
}

// Each growth of a topic counts the symbols that it moves, silent ones too, and
// none that came later: the same live, by a run from the beginning and by
// replay, whatever the audit saw of the counts between.
func TestEachGrowthCountsWhatItMoves(t *testing.T) {
	for k, f := range []family{familyMurmur2, familyCRC32, familyFNV1aAbs} {
		all := placedBy(f, "SY", 60)
		some := maps.Clone(all)
		maps.DeleteFunc(some, func(name string, _ family) bool { return name[len(name)-1] == '7' }) // silent meanwhile
		more := maps.Clone(some)
		maps.Copy(more, placedBy(f, "NEW", 20))
		last := maps.Clone(more)
		maps.Copy(last, all)
		for name, chapters := range map[string][]chapter{
			"once":                      {{3, all, false}, {6, some, false}},
			"3 to 4 to 6":               {{3, all, false}, {4, some, false}, {6, more, false}},
			"3 to 6 to 12":              {{3, all, false}, {6, more, false}, {12, last, false}},
			"three times":               {{2, all, false}, {3, some, false}, {5, more, false}, {8, last, false}},
			"the middle was not seen":   {{3, all, false}, {4, some, true}, {6, more, false}, {6, last, false}},
			"two of them were unseen":   {{3, all, false}, {5, all, true}, {7, some, true}, {12, more, false}, {12, last, false}},
			"seen, and then one is not": {{3, all, false}, {6, some, false}, {7, more, true}, {9, last, false}},
		} {
			for _, restarts := range []bool{false, true} {
				if restarts && k > 0 {
					continue
				}
				g, live := auditLive(t, uint64(k), restarts, chapters)
				where := fmt.Sprintf("%s, %v, restarts %v", name, f, restarts)
				for _, opened := range openedCodes(g.reports, placingCodes...) {
					t.Errorf("%s: %s", where, opened)
				}
				fs := found(live, PartitionsChanged)
				for i := 1; i < len(chapters); i++ {
					from, to := chapters[i-1].partitions, chapters[i].partitions
					if from == to {
						continue
					}
					moves := movesAt(chapters, i, f)
					k := slices.IndexFunc(fs, func(f Finding) bool { return f.Threshold == float64(from) && f.Observed == float64(to) })
					if k < 0 {
						t.Errorf("%s: %d to %d is missing", where, from, to)
						continue
					}
					want := encode(t, moves[:min(len(moves), movesListed)])
					if got := encode(t, fs[k].Evidence["moved"]); fs[k].Count != int64(len(moves)) || got != want {
						t.Errorf("%s: %d to %d: %d, want %d\n%s\n%s", where, from, to, fs[k].Count, len(moves), got, want)
					}
					fs = slices.Delete(fs, k, k+1)
				}
				for _, f := range fs {
					t.Errorf("%s: %s", where, f.Cause)
				}
				lives := showGrowths(t, live)
				for _, replay := range []bool{false, true} {
					if again := showGrowths(t, auditAgain(t, g.logs, replay, restarts && !replay)); !slices.Equal(again, lives) {
						t.Errorf("%s: live and again, replay %v,\n%s\n%s", where, replay, strings.Join(lives, "\n"), strings.Join(again, "\n"))
					}
				}
			}
		}
	}
}

// What opens says how many symbols move, not only what follows.
func TestAGrowthOpensWithItsCount(t *testing.T) {
	all := placedBy(familyMurmur2, "SY", 60)
	chapters := []chapter{{3, all, false}, {4, all, false}, {6, all, false}}
	g, _ := auditLive(t, 1, false, chapters)
	opened := 0
	for _, r := range g.reports {
		for i := range r.Findings {
			f := &r.Findings[i]
			if f.Code != PartitionsChanged || f.State != Opened {
				continue
			}
			opened++
			if want := len(movesAt(chapters, opened, familyMurmur2)); f.Count != int64(want) {
				t.Errorf("%s: opened with %d, want %d", f.Cause, f.Count, want)
			}
		}
	}
	if opened != 2 {
		t.Errorf("%d were opened", opened)
	}
}

// Without a function that is known only what was seen to go on elsewhere has
// moved, at the growth by which it went.
func TestGrowthsUnderNobodysFunction(t *testing.T) {
	l := DefaultLimits()
	g := newLiveGrowth(t, 1, 3, &l)
	write := func(places map[string]int32) {
		for range 12 {
			for _, name := range slices.Sorted(maps.Keys(places)) {
				g.now += 2e6
				r := at(g.last[places[name]], g.now, name)
				r.partition = places[name]
				g.last[r.partition]++
				g.produce(r)
			}
		}
		g.audit()
	}
	count := func(n int) {
		g.look(int32(n))
		g.know(n)
	}
	write(map[string]int32{"a": 0, "b": 1, "c": 2, "d": 0, "e": 1})
	count(4)
	write(map[string]int32{"a": 3, "b": 1, "c": 2, "d": 0, "e": 3})
	g.look(4)
	g.look(4)
	count(6)
	write(map[string]int32{"a": 5, "b": 4, "c": 2, "d": 0, "e": 3})
	g.look(6)
	g.look(6)
	final := g.finish()
	var got []string
	for _, f := range found(final, PartitionsChanged) {
		got = append(got, fmt.Sprintf("%v to %v: %d, %s", f.Threshold, f.Observed, f.Count, encode(t, f.Evidence["moved"])))
	}
	slices.Sort(got)
	want := []string{
		`3 to 4: 2, [{"symbol":"a","from":0,"to":3},{"symbol":"e","from":1,"to":3}]`,
		`4 to 6: 2, [{"symbol":"a","from":3,"to":5},{"symbol":"b","from":1,"to":4}]`,
	}
	if !slices.Equal(got, want) || final.Partitioner != "undecided" && final.Partitioner != "none" {
		t.Errorf("partitioner %s\n%v\nwant\n%v", final.Partitioner, got, want)
	}
}

// Beside a second function each symbol moves as its own one has it.
func TestGrowthsUnderTwoFunctions(t *testing.T) {
	java, c := placedBy(familyMurmur2, "SY", 50), placedBy(familyCRC32, "C", 30)
	all := maps.Clone(java)
	maps.Copy(all, c)
	chapters := []chapter{{3, all, false}, {4, all, false}, {6, all, false}}
	g, live := auditLive(t, 2, true, chapters)
	lives := showGrowths(t, live)
	xx := auditAgain(t, g.logs, true, false)
	if again := showGrowths(t, xx); !slices.Equal(again, lives) {
		t.Errorf("live and again\n%s\n%s", strings.Join(lives, "\n"), strings.Join(again, "\n"))
	}
	fs := found(live, PartitionsChanged)
	slices.SortFunc(fs, func(a, b Finding) int { return int(a.Threshold - b.Threshold) })
	if len(fs) != 2 {
		t.Fatalf("found %d", len(fs))
	}
	for i := range fs {
		java, c := movesAt([]chapter{{chapters[i].partitions, java, false}, {chapters[i+1].partitions, nil, false}}, 1, familyMurmur2),
			movesAt([]chapter{{chapters[i].partitions, c, false}, {chapters[i+1].partitions, nil, false}}, 1, familyCRC32)
		if want := int64(len(java) + len(c)); fs[i].Count != want {
			t.Errorf("%s, want %d", fs[i].Cause, want)
		}
	}
}
