package calendar

import (
	"math"
	"slices"
	"time"
)

// interval is open time from one instant up to another, in nanoseconds since
// the epoch.
type interval struct{ from, to int64 }

// schedule is when a market is open: intervals that ascend and do not touch,
// with the open time before each.
type schedule struct {
	open   []interval
	before []int64
}

// always is a market that never closes.
var always = newSchedule([]interval{{math.MinInt64 / 4, math.MaxInt64 / 4}})

// newSchedule sorts intervals and joins those that touch.
func newSchedule(open []interval) *schedule {
	slices.SortFunc(open, func(a, b interval) int {
		switch {
		case a.from < b.from:
			return -1
		case a.from > b.from:
			return 1
		}
		return 0
	})
	s := &schedule{}
	var sum int64
	for _, next := range open {
		if next.to <= next.from {
			continue
		}
		if n := len(s.open); n > 0 && next.from <= s.open[n-1].to {
			last := &s.open[n-1]
			sum += max(0, next.to-last.to)
			last.to = max(last.to, next.to)
			continue
		}
		s.open, s.before = append(s.open, next), append(s.before, sum)
		sum += next.to - next.from
	}
	return s
}

// without is the schedule less some intervals.
func (s *schedule) without(closed []interval) *schedule {
	rest := slices.Clone(s.open)
	for _, c := range closed {
		var next []interval
		for _, o := range rest {
			if c.to <= o.from || o.to <= c.from {
				next = append(next, o)
				continue
			}
			next = append(next, interval{o.from, min(o.to, c.from)}, interval{max(o.from, c.to), o.to})
		}
		rest = next
	}
	return newSchedule(rest)
}

// at is the index of the last interval that begins at or before t, -1: none.
func (s *schedule) at(t int64) int {
	i, _ := slices.BinarySearchFunc(s.open, t, func(o interval, t int64) int {
		if o.from <= t {
			return -1
		}
		return 1
	})
	return i - 1
}

// until is the open time before t.
func (s *schedule) until(t int64) int64 {
	i := s.at(t)
	if i < 0 {
		return 0
	}
	return s.before[i] + min(t, s.open[i].to) - s.open[i].from
}

// Open is the open time between two instants, 0 when to is not after from.
func (s *schedule) Open(from, to int64) time.Duration {
	if to <= from {
		return 0
	}
	return time.Duration(s.until(to) - s.until(from))
}

// After is the first instant by which so much open time has passed since from,
// the greatest one there is when that never comes.
func (s *schedule) After(from int64, open time.Duration) int64 {
	target := s.until(from) + int64(open)
	i, _ := slices.BinarySearch(s.before, target)
	if i--; i < 0 {
		return max(from, math.MinInt64/4)
	}
	if at := s.open[i].from + target - s.before[i]; at <= s.open[i].to {
		return max(at, from)
	}
	return math.MaxInt64
}
