package engine

import (
	"fmt"
	"slices"
	"time"
)

// ObserveRebalances takes the times at which a group's rebalances began,
// nanoseconds on a monotonic clock, those told before included or not. now is
// the same clock. It is called about once a second; a storm is over after 60 s
// without another rebalance. One that was open when the audit ended goes on
// from the first call, as if it had rebalanced then: times of another clock say
// nothing.
func (t *Topic) ObserveRebalances(group string, at []int64, now int64) {
	if t.resumeStorm(group, at, now) {
		return
	}
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
	t.rebalance[group] = slices.DeleteFunc(times, func(n int64) bool { return n < keep })
}

// resumeStorm takes up a storm that is open from before, unless the times tell
// of it themselves: those of the first call may, when another state watched the
// group on the same clock. It reports whether it has.
func (t *Topic) resumeStorm(group string, at []int64, now int64) bool {
	_, known := t.rebalanced[group]
	f := t.find("storm/" + group)
	if known || f == nil {
		return false
	}
	seen := int64(0)
	times := make([]time.Duration, 0, len(at))
	for _, n := range slices.Sorted(slices.Values(at)) {
		times, seen = append(times, time.Duration(n)), n
	}
	if len(Storms(times, time.Duration(now))) > 0 {
		return false
	}
	t.rebalanced[group] = max(seen, now)
	t.rebalance[group] = slices.Repeat([]int64{now}, stormRebalances)
	t.stormsBefore[group] = f.Count - stormRebalances
	return true
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
	before, resumed := t.stormsBefore[group]
	count := before + int64(s.Count)
	grew := count > f.Count
	f.Count = max(f.Count, count)
	f.Observed = float64(f.Count)
	if grew {
		skip := 0
		if resumed {
			skip = stormRebalances
		}
		f.Evidence["seconds"] = stormSeconds(s, times, skip)
		f.Evidence["clock"] = "monotonic"
		if n, known := t.members[group]; known && n != Unknown {
			f.Evidence["members"] = n
		}
		f.Cause = fmt.Sprintf("group %q has rebalanced %d times within %s: its partitions stand still meanwhile",
			group, s.Count, (s.Last - s.First).Round(time.Second))
		if resumed {
			f.Cause = fmt.Sprintf("group %q has rebalanced %d times, %d of them since the audit went on: its partitions stand still meanwhile",
				group, count, s.Count-stormRebalances)
		}
	}
	switch {
	case opened:
		t.openFinding(subject, f)
	case grew:
		t.changed["f/"+subject] = true
	}
	if s.Resolved {
		t.close(subject)
		delete(t.stormsBefore, group)
	}
}

// stormSeconds are the times of a storm's last rebalances in seconds after
// its first, without the first few.
func stormSeconds(s *Storm, times []time.Duration, skip int) []float64 {
	var out []float64
	for _, at := range times {
		if at >= s.First && at <= s.Last {
			out = append(out, (at - s.First).Seconds())
		}
	}
	out = out[min(skip, len(out)):]
	return out[max(0, len(out)-16):]
}
