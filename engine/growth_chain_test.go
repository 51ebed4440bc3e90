package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// epoch is a time at which a topic had so many partitions: every symbol ticks
// ten times, each placed by its function.
type epoch struct {
	partitions int32
	symbols    map[string]family
}

func placedBy(f family, prefix string, n int) map[string]family {
	out := map[string]family{}
	for i := range n {
		out[fmt.Sprintf("%s%03d", prefix, i)] = f
	}
	return out
}

// history writes the epochs to a topic of n partitions. The partitions are
// read one after another, or all in the order of time.
func history(t *testing.T, n int32, order string, epochs ...epoch) *world {
	t.Helper()
	l := DefaultLimits()
	w := newWorld(t, int(n), &l)
	var byTime []int
	offsets := make([]int64, n)
	now := int64(0)
	for _, e := range epochs {
		names := make([]string, 0, len(e.symbols))
		for name := range e.symbols {
			names = append(names, name)
		}
		slices.Sort(names)
		for range 10 {
			for _, name := range names {
				now += 5e6
				p := placesOf([]byte(name), e.partitions)[e.symbols[name]]
				r := at(offsets[p], now, name)
				r.partition = p
				offsets[p]++
				w.produce(r)
				byTime = append(byTime, int(p))
			}
		}
	}
	switch order {
	case "by time":
		for i, p := range byTime {
			if w.step(p); i%37 == 0 {
				w.checkpoint(p, true)
			}
		}
	default:
		for i := range int(n) {
			id := i
			if order == "down" {
				id = int(n) - 1 - i
			}
			for k := 0; w.step(id); k++ {
				if k%10 == 0 {
					w.checkpoint(id, true)
				}
			}
			w.checkpoint(id, true)
			w.restart(id)
		}
	}
	return w
}

func growths(r *Report) (out []string) {
	for _, f := range found(r, PartitionsChanged) {
		out = append(out, fmt.Sprintf("%v to %v", f.Threshold, f.Observed))
	}
	slices.Sort(out)
	return out
}

func TestATopicThatGrewTwiceBeforeTheAudit(t *testing.T) {
	for i, order := range []string{"by time", "up", "down"} {
		for f := range familyKafkaJSLegacy {
			if f > 0 && int(f)%3 != i {
				continue
			}
			all := placedBy(f, "SY", 40)
			for name, c := range map[string]struct {
				epochs []epoch
				want   []string
			}{
				"3 to 6 to 7":         {[]epoch{{3, all}, {6, all}, {7, all}}, []string{"3 to 6", "6 to 7"}},
				"the last one empty":  {[]epoch{{3, all}, {6, all}}, []string{"3 to 6", "6 to 7"}},
				"2 to 3 to 5 to 7":    {[]epoch{{2, all}, {3, all}, {5, all}, {7, all}}, []string{"2 to 3", "3 to 5", "5 to 7"}},
				"no symbol goes back": {[]epoch{{4, all}, {7, all}}, []string{"4 to 7"}},
			} {
				final := history(t, 7, order, c.epochs...).finish()
				where := fmt.Sprintf("%s, %v, %s", name, f, order)
				for _, code := range []Code{SymbolSplit, PartitionerMixed, UpstreamDisorder} {
					if fs := found(final, code); len(fs) > 0 {
						t.Errorf("%s: %d times %v, %s", where, len(fs), code, fs[0].Cause)
					}
				}
				if got := growths(final); !slices.Equal(got, c.want) {
					t.Errorf("%s: growths %v, want %v; %s", where, got, c.want, final.Notes)
				}
			}
		}
	}
}

// A second function from then on, or all the time, is told beside the growth.
func TestAGrowthAndASecondFunction(t *testing.T) {
	java, c := placedBy(familyMurmur2, "SY", 40), placedBy(familyCRC32, "C", 20)
	both := placedBy(familyMurmur2, "SY", 40)
	for name, f := range c {
		both[name] = f
	}
	for _, order := range []string{"by time", "up", "down"} {
		for name, epochs := range map[string][]epoch{
			"after":   {{3, java}, {6, both}},
			"beside":  {{3, both}, {6, both}},
			"twice":   {{3, java}, {5, both}, {6, both}},
			"as last": {{3, java}, {6, java}, {6, c}},
		} {
			final := history(t, 6, order, epochs...).finish()
			where := name + ", " + order
			if fs := found(final, SymbolSplit); len(fs) > 0 {
				t.Errorf("%s: %d splits, %s", where, len(fs), fs[0].Cause)
			}
			if got := mixtureOf(t, final); !slices.Equal(got, []string{"crc32", "murmur2"}) {
				t.Errorf("%s: functions %v", where, got)
			}
			want := "3 to 6"
			if name == "twice" {
				want = "3 to 5,5 to 6"
			}
			if got := strings.Join(growths(final), ","); got != want {
				t.Errorf("%s: growths %s, want %s", where, got, want)
			}
		}
	}
}

// Keys that a producer puts elsewhere without any growth stay split.
func TestStraysAreNoGrowth(t *testing.T) {
	for _, order := range []string{"by time", "up", "down"} {
		all, few := placedBy(familyMurmur2, "SY", 40), map[string]family{}
		for _, name := range []string{"SY001", "SY002", "SY003", "SY004", "SY005", "SY006", "SY007"} {
			few[name] = familyCRC32
		}
		final := history(t, 7, order, epoch{7, all}, epoch{7, few}, epoch{7, all}).finish()
		none(t, final, PartitionsChanged)
		if len(found(final, SymbolSplit)) < 5 {
			t.Errorf("%s: %d splits", order, len(found(final, SymbolSplit)))
		}
	}
}

// Before the topic grew its new partitions had no load, which is no skew; nor
// are the totals of everything comparable then.
func TestAGrowthIsNoSkew(t *testing.T) {
	all := placedBy(familyMurmur2, "SY", 40)
	epochs := []epoch{}
	for range 40 {
		epochs = append(epochs, epoch{3, all})
	}
	epochs = append(epochs, epoch{12, all}, epoch{12, all})
	for _, order := range []string{"by time", "up", "down"} {
		none(t, history(t, 12, order, epochs...).finish(), PartitionUnbalanced)
	}
}

func TestOneKeyOfAllSymbolsIsSkewThatMovingDoesNotMend(t *testing.T) {
	l := DefaultLimits()
	l.PartitionSkewMin = 10
	w := newFleet(t, 3, &l)
	for i := range 12 {
		w.keyed(fmt.Sprintf("S%02d", i), []byte("all"), 1, 20)
	}
	if f := one(t, w.finish(), PartitionUnbalanced); !strings.HasPrefix(f.Action, "All keys are equal") {
		t.Errorf("advice %s", f.Action)
	}
}
