package engine

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// liveGrowth is an audit that runs while its topic grows. Producers know of new
// partitions before it does, or long after.
type liveGrowth struct {
	*world
	random  *rand.Rand
	now     int64
	asked   int64
	last    [16]int64          // next offset of each partition
	off     bool               // nothing is audited
	clocked bool               // ticks are seen by a clock, some time after they were written
	waiting map[int32][]record // in partitions that the audit does not know yet
}

// write has every symbol tick so many times, placed by a count that its
// producer knows. What lies on partitions that the audit does not know yet
// waits there.
func (g *liveGrowth) write(rounds int, symbols map[string]family, known ...int32) {
	names := slices.Sorted(maps.Keys(symbols))
	for range rounds {
		for i, name := range names {
			g.now += 2e6
			p := placesOf([]byte(name), known[i%len(known)])[symbols[name]]
			r := at(g.last[p], g.now, name)
			r.partition = p
			g.last[p]++
			if g.clocked {
				r.now = t0 + g.now + 700e6
			}
			if int(p) >= len(g.parts) {
				g.waiting[p] = append(g.waiting[p], r)
			} else {
				g.produce(r)
			}
		}
		if !g.off {
			g.audit()
		}
	}
}

// audit reads what there is, in pieces.
func (g *liveGrowth) audit() {
	for _, id := range g.random.Perm(len(g.parts)) {
		for g.step(id) {
			if g.random.IntN(15) == 0 {
				g.checkpoint(id, true)
			}
		}
		g.parts[id].Progress(g.last[id], t0+g.now)
		g.checkpoint(id, true)
	}
}

// look asks the brokers for the partition count.
func (g *liveGrowth) look(n int32) {
	g.asked++
	g.topic.HasPartitions(n, g.asked, g.asked)
	g.checkpointTopic()
}

// know has the audit start anew with n partitions.
func (g *liveGrowth) know(n int) {
	g.grow(n)
	for id := range int32(n) {
		for _, r := range g.waiting[id] {
			g.produce(r)
		}
		delete(g.waiting, id)
	}
}

func newLiveGrowth(t testing.TB, seed uint64, partitions int, l *Limits) *liveGrowth {
	g := &liveGrowth{world: newWorld(t, partitions, l), random: rand.New(rand.NewPCG(seed, 1)), waiting: map[int32][]record{}}
	g.look(int32(partitions))
	return g
}

func openedCodes(reports []*Report, codes ...Code) (out []string) {
	for _, r := range reports {
		for i := range r.Findings {
			if f := &r.Findings[i]; f.State == Opened && slices.Contains(codes, f.Code) {
				out = append(out, fmt.Sprintf("%s %s: %s", f.Code, f.Symbol, f.Cause))
			}
		}
	}
	return out
}

var placingCodes = []Code{SymbolSplit, PartitionerMixed, PartitionerMismatch, UpstreamDisorder, KeyMismatch}

// A topic that grows twice within seconds, under producers that know of it
// before the audit does, and others that do not know for a while, has two
// growths and nothing else: not even for a moment.
func TestTwoGrowthsWithinSecondsOpenNothingElse(t *testing.T) {
	for seed := range uint64(3) {
		for _, pinned := range []string{"auto", "murmur2"} {
			l := DefaultLimits()
			l.Partitioner = pinned
			all := placedBy(familyMurmur2, "SY", 40)
			g := newLiveGrowth(t, seed, 3, &l)
			g.write(20, all, 3)
			g.write(3, all, 4, 3) // some producers know already
			g.look(4)
			g.know(4)
			g.write(4, all, 4, 3)
			g.write(3, all, 6, 4, 3)
			g.look(6)
			g.know(6)
			g.write(10, all, 6, 4, 3)
			g.look(6)
			g.look(6)
			g.write(20, all, 6)
			g.look(6)
			g.look(6)
			final := g.finish()
			where := fmt.Sprintf("seed %d, partitioner %s", seed, pinned)
			for _, opened := range openedCodes(g.reports, placingCodes...) {
				t.Errorf("%s: %s", where, opened)
			}
			if got := growths(final); !slices.Equal(got, []string{"3 to 4", "4 to 6"}) {
				t.Errorf("%s: growths %v", where, got)
			}
			if final.Partitioner != "murmur2" || final.Symbols != 40 {
				t.Errorf("%s: partitioner %q, %d symbols; %s", where, final.Partitioner, final.Symbols, final.Notes)
			}
		}
	}
}

// What waits for the count is told once the brokers have said, asked after it
// was seen, that the topic has not grown; and at the end whatever they say.
func TestASplitWaitsForTheCount(t *testing.T) {
	for _, end := range []bool{false, true} {
		l := DefaultLimits()
		g := newLiveGrowth(t, 1, 3, &l)
		g.write(5, placedBy(familyMurmur2, "SY", 40), 3)
		g.look(3)
		strays := placedBy(familyCRC32, "SY", 12)
		g.write(1, strays, 3)
		if opened := openedCodes(g.reports, placingCodes...); len(opened) > 0 {
			t.Fatalf("before the brokers were asked: %v", opened)
		}
		if end {
			if len(found(g.finish(), SymbolSplit)) == 0 {
				t.Error("no split in the end")
			}
			continue
		}
		g.topic.HasPartitions(3, 2, 1) // an answer to a question put before
		g.topic.HasPartitions(3, 2, 2)
		g.checkpointTopic()
		if opened := openedCodes(g.reports, placingCodes...); len(opened) > 0 {
			t.Fatalf("by an answer from before: %v", opened)
		}
		g.topic.HasPartitions(3, 3, 3)
		g.checkpointTopic()
		opened := strings.Join(openedCodes(g.reports, placingCodes...), "\n")
		if !strings.Contains(opened, "SYMBOL_SPLIT") || !strings.Contains(opened, "PARTITIONER_MIXED") {
			t.Errorf("once the count is known: %s", opened)
		}
	}
}

// The program was off while the topic grew twice: a single rise is seen, and
// the count between is found by where keys lie.
func TestTwoGrowthsBetweenTwoRuns(t *testing.T) {
	for seed := range uint64(3) {
		l := DefaultLimits()
		all := placedBy(familyMurmur2, "SY", 40)
		g := newLiveGrowth(t, seed, 3, &l)
		g.write(20, all, 3)
		g.off = true
		g.write(10, all, 6)
		g.write(10, all, 7)
		g.know(7)
		g.look(7)
		g.audit()
		g.look(7)
		g.look(7)
		final := g.finish()
		for _, opened := range openedCodes(g.reports, placingCodes...) {
			t.Errorf("seed %d: %s", seed, opened)
		}
		if got := growths(final); !slices.Equal(got, []string{"3 to 6", "6 to 7"}) {
			t.Errorf("seed %d: growths %v", seed, got)
		}
	}
}

// A symbol's first tick on an old partition to which a growth has moved it may
// be audited before the growth is known: it is held to the symbol's order all
// the same.
func TestAStepBackBeforeTheGrowthIsKnown(t *testing.T) {
	for seed := range uint64(4) {
		l := DefaultLimits()
		all := placedBy(familyMurmur2, "SY", 40)
		g := newLiveGrowth(t, seed, 3, &l)
		g.write(10, all, 3)
		const name = "SY012" // on 2 of three partitions, on 0 of four
		g.now += 2e6
		r := at(g.last[0], g.now, name)
		r.tick.EventTime -= 1500e6
		late := g.last[0]
		g.last[0]++
		g.produce(r)
		g.audit()
		g.write(3, all, 4)
		g.look(4)
		g.know(4)
		g.write(10, all, 4)
		g.look(4)
		g.look(4)
		g.finish()
		opened := openedCodes(g.reports, placingCodes...)
		if len(opened) != 1 || !strings.Contains(opened[0], "SY012 went back by 1.4") {
			t.Errorf("seed %d: %v", seed, opened)
		}
		for _, r := range g.reports {
			if f := r.Findings; r.Trigger == TriggerFinding && f[0].Code == UpstreamDisorder && (*f[0].Partition != 0 || f[0].FirstOffset != late) {
				t.Errorf("seed %d: %s", seed, showFinding(&f[0]))
			}
		}
	}
}

// The topic grows twice before the audit knows of either: it sees one rise, and
// that some keys lay by the count between, as of its own clock.
func TestACountBetweenThatTheAuditNeverKnew(t *testing.T) {
	for seed := range uint64(3) {
		for _, pinned := range []string{"auto", "murmur2"} {
			l := DefaultLimits()
			l.Partitioner = pinned
			all := placedBy(familyMurmur2, "SY", 60)
			g := newLiveGrowth(t, seed, 3, &l)
			g.clocked = true
			g.write(20, all, 3)
			g.off = true
			g.write(3, all, 4)
			g.write(2, all, 6)
			g.know(6)
			g.look(6)
			g.audit()
			g.off = false
			for range 5 {
				g.write(4, all, 6)
				g.look(6)
			}
			final := g.finish()
			for _, opened := range openedCodes(g.reports, placingCodes...) {
				t.Errorf("seed %d, %s: %s", seed, pinned, opened)
			}
			if got := growths(final); !slices.Equal(got, []string{"3 to 4", "4 to 6"}) {
				t.Errorf("seed %d, %s: growths %v", seed, pinned, got)
			}
		}
	}
}
