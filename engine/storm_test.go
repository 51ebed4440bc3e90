package engine

import (
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func seconds(at ...float64) (times []time.Duration) {
	for _, s := range at {
		times = append(times, time.Duration(s*float64(time.Second)))
	}
	return times
}

func TestStorms(t *testing.T) {
	const s = time.Second
	for _, c := range []struct {
		name  string
		times []time.Duration
		now   time.Duration
		want  []Storm
	}{
		{"none", nil, 100 * s, nil},
		{"two", seconds(0, 1), 2 * s, nil},
		{"three in 60 s", seconds(0, 30, 60), 60 * s, []Storm{{0, 60 * s, 60 * s, 3, false}}},
		{"three in just more", seconds(0, 30, 60.001), 61 * s, nil},
		{"not before the third", seconds(0, 30, 60), 59 * s, nil},
		{"goes on with rebalances that alone were none", seconds(0, 1, 2, 50, 105, 160), 200 * s, []Storm{{0, 160 * s, 2 * s, 6, false}}},
		{"resolved after 60 s without one", seconds(0, 1, 2), 62 * s, []Storm{{0, 2 * s, 2 * s, 3, true}}},
		{"not resolved before", seconds(0, 1, 2), 61999 * time.Millisecond, []Storm{{0, 2 * s, 2 * s, 3, false}}},
		{"one after it is no new storm", seconds(0, 1, 2, 62, 63), 63 * s, []Storm{{0, 2 * s, 2 * s, 3, true}}},
		{"a second storm", seconds(0, 1, 2, 100, 101, 102), 103 * s, []Storm{{0, 2 * s, 2 * s, 3, true}, {100 * s, 102 * s, 102 * s, 3, false}}},
		{"a window that slides", seconds(0, 50, 70, 100), 100 * s, []Storm{{50 * s, 100 * s, 100 * s, 3, false}}},
		{"all at once", seconds(5, 5, 5), 5 * s, []Storm{{5 * s, 5 * s, 5 * s, 3, false}}},
	} {
		if got := Storms(c.times, c.now); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestRebalances(t *testing.T) {
	const a, r, l = PartitionsAssigned, PartitionsRevoked, PartitionsLost
	for _, c := range []struct {
		name  string
		kinds []RebalanceKind // one a second
		want  []time.Duration
	}{
		{"none", nil, nil},
		{"joining is none", []RebalanceKind{a}, nil},
		{"a revoke and the assign after it are one", []RebalanceKind{a, r, a}, seconds(1)},
		{"a revoke alone is one already", []RebalanceKind{a, r}, seconds(1)},
		{"a loss and the assign after it", []RebalanceKind{a, l, a, r, a}, seconds(1, 3)},
		{"two revokes", []RebalanceKind{a, r, r, a}, seconds(1, 2)},
		{"more partitions without a revoke", []RebalanceKind{a, a, r, a, a}, seconds(1, 2, 4)},
	} {
		var events []RebalanceEvent
		for i, kind := range c.kinds {
			events = append(events, RebalanceEvent{At: time.Duration(i) * time.Second, Kind: kind})
		}
		if got := Rebalances(events); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// A member that keeps only what it must judges like one that keeps all.
func TestStormsOfRecentTimes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		steps := rapid.SliceOfN(rapid.IntRange(0, 70), 0, 30).Draw(t, "seconds between rebalances")
		var all, kept []time.Duration
		now := time.Duration(0)
		for _, step := range steps {
			now += time.Duration(step) * time.Second
			kept = drop(kept, now)
			all, kept = append(all, now), append(kept, now)
			a, b := Storms(all, now), Storms(kept, now)
			if len(a) == 0 || a[len(a)-1].Resolved {
				if len(b) > 0 {
					t.Fatalf("%v of %v: %v, with all of them %v", kept, all, b, a)
				}
			} else if len(b) != 1 || b[0] != a[len(a)-1] {
				t.Fatalf("%v of %v: %v, with all of them %v", kept, all, b, a)
			}
		}
	})
}

// drop removes the times that the rule of Storms lets go.
func drop(times []time.Duration, now time.Duration) []time.Duration {
	from := now - stormWindow
	for _, storm := range Storms(times, now) {
		if !storm.Resolved {
			from = storm.First
		} else {
			from = max(from, storm.Last+1)
		}
	}
	for len(times) > 0 && times[0] < from {
		times = times[1:]
	}
	return times
}
