package engine

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestGuardAdmits(t *testing.T) {
	type record struct {
		generation, partition int32
		offset                int64
		key                   string
	}
	for _, c := range []struct {
		name   string
		before []record
		asked  record
		want   Admission
	}{
		{"the next offset", nil, record{1, 0, 100, "a"}, Admitted},
		{"after a gap", nil, record{1, 0, 500, "a"}, Admitted},
		{"below what was committed", nil, record{1, 0, 99, "a"}, RefusedOffset},
		{"the last offset again", []record{{1, 0, 100, "a"}}, record{1, 0, 100, "b"}, RefusedOffset},
		{"below the last", []record{{1, 0, 100, "a"}, {1, 0, 110, "b"}}, record{1, 0, 105, "c"}, RefusedOffset},
		{"a seen key", []record{{1, 0, 100, "a"}}, record{1, 0, 101, "a"}, RefusedDuplicate},
		{"a seen key before a low offset", []record{{1, 0, 100, "a"}}, record{1, 0, 100, "a"}, RefusedDuplicate},
		{"another partition's key", []record{{1, 0, 100, "a"}}, record{1, 1, 0, "a"}, Admitted},
		{"no key is never seen", []record{{1, 0, 100, ""}}, record{1, 0, 101, ""}, Admitted},
		{"no commit yet", nil, record{1, 1, 0, "a"}, Admitted},
		{"a negative offset", nil, record{1, 1, -1, "a"}, RefusedOffset},
		{"a partition of someone else", nil, record{1, 7, 5, "a"}, RefusedFenced},
		{"another generation", nil, record{0, 0, 100, "a"}, RefusedFenced},
		{"another generation before a seen key", []record{{1, 0, 100, "a"}}, record{2, 0, 100, "a"}, RefusedFenced},
		{"being revoked", []record{{1, 2, 0, "a"}}, record{1, 2, 1, "b"}, RefusedFenced},
		{"being revoked before a seen key", []record{{1, 2, 0, "a"}}, record{1, 2, 0, "a"}, RefusedFenced},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := NewGuard(10)
			g.Assign(1, 0, 100)
			g.Assign(1, 1, -1)
			g.Assign(1, 2, 0)
			for _, r := range c.before {
				if got := g.Admit(r.generation, r.partition, r.offset, r.key); got != Admitted {
					t.Fatalf("%+v: %v", r, got)
				}
			}
			g.Revoke([]int32{2})
			if got := g.Admit(c.asked.generation, c.asked.partition, c.asked.offset, c.asked.key); got != c.want {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

func TestGuardRefusalChangesNothing(t *testing.T) {
	g := NewGuard(10)
	g.Assign(1, 0, 5)
	g.Admit(1, 0, 5, "a")
	g.Admit(1, 0, 4, "b")   // refused: its key must not count as seen
	g.Admit(1, 0, 900, "a") // refused: its offset must not become the last
	if got := g.Admit(1, 0, 6, "b"); got != Admitted {
		t.Errorf("%v after refusals", got)
	}
}

func TestGuardRevokes(t *testing.T) {
	g := NewGuard(10)
	for p := range int32(4) {
		g.Assign(3, p, 10)
	}
	g.Admit(3, 0, 10, "a")
	g.Admit(3, 1, 14, "b")
	g.Admit(3, 2, 11, "c")
	drains := g.Revoke([]int32{2, 1, 3, 9, 2})
	if want := []Drain{{1, 14}, {2, 11}, {3, 9}}; !reflect.DeepEqual(drains, want) {
		t.Fatalf("drains %v, want %v", drains, want)
	}
	broken := errors.New("broker gone")
	g.Drained(1, nil)
	g.Drained(2, broken)
	g.Drained(2, nil) // a second try does not undo the first failure
	g.Drained(3, nil)
	g.Drained(0, broken) // not revoked
	commits, err := g.Settle()
	if want := []Commit{{1, 15}}; !reflect.DeepEqual(commits, want) {
		t.Errorf("commits %v, want %v: 2 failed alone, 3 has nothing new", commits, want)
	}
	if !errors.Is(err, broken) || err.Error() != "partition 2 is not committed: broker gone" {
		t.Errorf("error %v", err)
	}
	if got := g.Admit(3, 0, 11, "d"); got != Admitted {
		t.Errorf("the partition that stayed: %v", got)
	}
	if commits, err := g.Settle(); commits != nil || err != nil {
		t.Errorf("settled twice: %v, %v", commits, err)
	}
}

// All partitions are fenced before the first is drained, and all failures are
// told together.
func TestGuardFencesAllFirst(t *testing.T) {
	g := NewGuard(0)
	for p := range int32(3) {
		g.Assign(1, p, 0)
		g.Admit(1, p, 0, "")
	}
	for _, d := range g.Revoke([]int32{0, 1, 2}) {
		for p := range int32(3) {
			if got := g.Admit(1, p, 1, ""); got != RefusedFenced {
				t.Errorf("partition %d while %d is drained: %v", p, d.Partition, got)
			}
		}
		if d.Partition != 1 {
			g.Drained(d.Partition, fmt.Errorf("flush of %d", d.Partition))
		}
	}
	commits, err := g.Settle()
	if commits != nil || err == nil {
		t.Fatalf("%v, %v", commits, err)
	}
	for _, told := range []string{"flush of 0", "partition 1 is not committed: it was not drained", "flush of 2"} {
		if !strings.Contains(err.Error(), told) {
			t.Errorf("%q is not told in %v", told, err)
		}
	}
}

func TestGuardLoses(t *testing.T) {
	g := NewGuard(10)
	g.Assign(1, 0, 0)
	g.Assign(1, 1, 0)
	g.Admit(1, 0, 0, "a")
	g.Admit(1, 1, 0, "a")
	g.Revoke([]int32{0})
	g.Lose([]int32{0, 1, 5})
	g.Drained(0, nil) // too late
	if commits, err := g.Settle(); commits != nil || err != nil {
		t.Errorf("lost partitions: %v, %v", commits, err)
	}
	if got := g.Admit(1, 1, 1, "b"); got != RefusedFenced {
		t.Errorf("a lost partition: %v", got)
	}
	// What was lost comes again and is no duplicate.
	g.Assign(2, 1, 0)
	if got := g.Admit(2, 1, 0, "a"); got != Admitted {
		t.Errorf("the same record in the next generation: %v", got)
	}
}

func TestGuardForgetsOldKeys(t *testing.T) {
	g := NewGuard(3)
	g.Assign(1, 0, 0)
	for i := range int64(10) {
		if got := g.Admit(1, 0, i, fmt.Sprint(i)); got != Admitted {
			t.Fatalf("key %d: %v", i, got)
		}
		if n := len(g.held[0].seen.index); n > 3 {
			t.Fatalf("%d keys remembered", n)
		}
	}
	for key, want := range map[string]Admission{"9": RefusedDuplicate, "8": RefusedDuplicate, "7": RefusedDuplicate} {
		if got := g.Admit(1, 0, 10, key); got != want {
			t.Errorf("key %s: %v, want %v", key, got, want)
		}
	}
	if got := g.Admit(1, 0, 10, "6"); got != Admitted {
		t.Errorf("a forgotten key: %v", got)
	}
}

// naiveGuard keeps every record it was asked about and decides from that.
type naiveGuard struct {
	remember int
	held     map[int32]*naiveHolding
}

type naiveHolding struct {
	generation int32
	next       int64
	offsets    []int64
	keys       []string
	revoked    bool
	outcomes   []error
}

func (n *naiveGuard) admit(generation, partition int32, offset int64, key string) Admission {
	h := n.held[partition]
	if h == nil || h.revoked || h.generation != generation {
		return RefusedFenced
	}
	if key != "" && slices.Contains(h.keys[max(0, len(h.keys)-n.remember):], key) {
		return RefusedDuplicate
	}
	if offset < h.next || len(h.offsets) > 0 && offset <= slices.Max(h.offsets) {
		return RefusedOffset
	}
	h.offsets = append(h.offsets, offset)
	if key != "" {
		h.keys = append(h.keys, key)
	}
	return Admitted
}

func (n *naiveGuard) settle() (commits []Commit, failures int) {
	for p := range int32(4) {
		h := n.held[p]
		if h == nil || !h.revoked {
			continue
		}
		delete(n.held, p)
		failed := len(h.outcomes) == 0
		for _, err := range h.outcomes {
			failed = failed || err != nil
		}
		switch {
		case failed:
			failures++
		case len(h.offsets) > 0:
			commits = append(commits, Commit{p, slices.Max(h.offsets) + 1})
		}
	}
	return commits, failures
}

func TestGuardAgreesWithNaiveTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		remember := rapid.IntRange(0, 3).Draw(t, "remember")
		g := NewGuard(remember)
		twin := &naiveGuard{remember: remember, held: map[int32]*naiveHolding{}}
		partitions := rapid.Int32Range(0, 3)
		some := rapid.SliceOfN(partitions, 0, 4)
		generation := int32(0)
		t.Repeat(map[string]func(*rapid.T){
			"assign": func(t *rapid.T) {
				p, next := partitions.Draw(t, "partition"), rapid.Int64Range(-1, 20).Draw(t, "next")
				generation++
				g.Assign(generation, p, next)
				twin.held[p] = &naiveHolding{generation: generation, next: max(next, 0)}
			},
			"admit": func(t *rapid.T) {
				p, offset := partitions.Draw(t, "partition"), rapid.Int64Range(-1, 40).Draw(t, "offset")
				key := rapid.SampledFrom([]string{"", "a", "b", "c", "d"}).Draw(t, "key")
				of := generation
				if h := twin.held[p]; h != nil && rapid.IntRange(0, 9).Draw(t, "stale") > 0 {
					of = h.generation
				}
				if got, want := g.Admit(of, p, offset, key), twin.admit(of, p, offset, key); got != want {
					t.Fatalf("partition %d offset %d key %q: %v, want %v", p, offset, key, got, want)
				}
			},
			"admit a run": func(t *rapid.T) {
				p, first := partitions.Draw(t, "partition"), rapid.Int64Range(0, 40).Draw(t, "first")
				last := first + rapid.Int64Range(0, 5).Draw(t, "more")
				of := generation
				if h := twin.held[p]; h != nil {
					of = h.generation
				}
				from, got := g.AdmitRun(of, p, first, last)
				wantFrom := int64(0)
				for offset := last; offset >= first; offset-- { // the last decides, the first ones may be repeats
					if h := twin.held[p]; h == nil || len(h.offsets) == 0 || offset > slices.Max(h.offsets) {
						if h != nil && offset >= h.next {
							wantFrom = offset
						}
					}
				}
				want := twin.admit(of, p, last, "")
				if want != Admitted {
					wantFrom = 0
				}
				if got != want || from != wantFrom {
					t.Fatalf("partition %d, %d to %d: %v from %d, want %v from %d", p, first, last, got, from, want, wantFrom)
				}
			},
			"seek": func(t *rapid.T) {
				p, next := partitions.Draw(t, "partition"), rapid.Int64Range(0, 40).Draw(t, "next")
				h := twin.held[p]
				of := generation
				if h != nil {
					of = h.generation
				}
				g.Seek(of, p, next)
				g.Seek(of-1, p, next+7) // of another generation
				if h != nil && !h.revoked {
					h.next, h.offsets = min(h.next, next), nil
					if next > h.next {
						h.offsets = []int64{next - 1}
					}
				}
			},
			"revoke": func(t *rapid.T) {
				revoked := some.Draw(t, "partitions")
				g.Revoke(revoked)
				for _, p := range revoked {
					if h := twin.held[p]; h != nil {
						h.revoked = true
					}
				}
			},
			"drained": func(t *rapid.T) {
				p := partitions.Draw(t, "partition")
				var failure error
				if rapid.Bool().Draw(t, "fails") {
					failure = errors.New("flush")
				}
				g.Drained(p, failure)
				if h := twin.held[p]; h != nil && h.revoked {
					h.outcomes = append(h.outcomes, failure)
				}
			},
			"lose": func(t *rapid.T) {
				lost := some.Draw(t, "partitions")
				g.Lose(lost)
				for _, p := range lost {
					delete(twin.held, p)
				}
			},
			"settle": func(t *rapid.T) {
				commits, err := g.Settle()
				want, failures := twin.settle()
				told := 0
				if err != nil {
					told = strings.Count(err.Error(), "is not committed")
				}
				if !reflect.DeepEqual(commits, want) || told != failures {
					t.Fatalf("commits %v with %v, want %v with %d failures", commits, err, want, failures)
				}
			},
		})
	})
}
