package engine

import (
	"fmt"
	"slices"
	"time"
)

// ObserveRebalances takes the times at which a group's rebalances began,
// nanoseconds on a monotonic clock, those told before included or not. now is
// the same clock. It is called about once a second; a storm is over after 60 s
// without another rebalance.
func (t *Topic) ObserveRebalances(group string, at []int64, now int64) {
	times, seen := t.rebalance[group], t.rebalanced[group]
	for _, n := range slices.Sorted(slices.Values(at)) {
		if n > seen {
			times, seen = append(times, n), n
		}
	}
	t.rebalanced[group] = seen
	ds := make([]time.Duration, len(times))
	for i, n := range times {
		ds[i] = time.Duration(n)
	}
	storms := Storms(ds, time.Duration(now))
	keep := now - int64(stormWindow)
	for i := range storms {
		if s := &storms[i]; s.Resolved {
			keep = max(keep, int64(s.Last)+1)
		} else {
			keep = min(keep, int64(s.First))
		}
		t.storm(group, &storms[i], ds)
	}
	if f := t.find("storm/" + group); f != nil && len(storms) == 0 {
		t.close("storm/" + group) // of a clock that started anew
	}
	t.rebalance[group] = slices.DeleteFunc(times, func(n int64) bool { return n < keep })
}

// storm brings the group's finding to what the storm says.
func (t *Topic) storm(group string, s *Storm, times []time.Duration) {
	subject := "storm/" + group
	f := t.find(subject)
	opened := f == nil
	if opened {
		f = t.newFinding(RebalanceStorm, subject, -1)
		f.Group = group
		f.Threshold, f.Unit = stormRebalances, "rebalances"
	}
	grew := int64(s.Count) > f.Count
	f.Count = max(f.Count, int64(s.Count))
	f.Observed = float64(f.Count)
	if grew {
		f.Evidence["seconds"] = stormSeconds(s, times)
		f.Evidence["clock"] = "monotonic"
		if n, known := t.members[group]; known && n != Unknown {
			f.Evidence["members"] = n
		}
		f.Cause = fmt.Sprintf("group %q has rebalanced %d times within %s: its partitions stand still meanwhile",
			group, s.Count, (s.Last - s.First).Round(time.Second))
	}
	switch {
	case opened:
		t.openFinding(subject, f)
	case grew:
		t.changed["f/"+subject] = true
	}
	if s.Resolved {
		t.close(subject)
	}
}

// stormSeconds are the times of a storm's last rebalances in seconds after
// its first.
func stormSeconds(s *Storm, times []time.Duration) []float64 {
	var out []float64
	for _, at := range times {
		if at >= s.First && at <= s.Last {
			out = append(out, (at - s.First).Seconds())
		}
	}
	return out[max(0, len(out)-16):]
}
