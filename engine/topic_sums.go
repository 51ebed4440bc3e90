package engine

import "math"

// partSums are what is asked of all partitions each time that one of them tells
// something: a topic of thousands would look at all of them as often. What
// changes a partition in another way than [Topic.Fold] forgets them.
type partSums struct {
	known      bool
	partitions int32                   // the topic's, for which it was made
	ticks      [1 << familyCount]int64 // with a key, by the functions that put it there; of partitions that know today's count
	passed     map[int64]int32         // partitions by the time that their windows have passed
	waiting    int32                   // partitions of which no window has passed, and that are not at their end
	unsettled  int32                   // partitions that have not been read to their end once
	skewed     map[int32]bool          // partitions with parts of skews
}

// summed is the sums as they stand.
func (t *Topic) summed() *partSums {
	if y := &t.sums; y.known && y.partitions == t.state.Partitions {
		return y
	}
	t.sums = partSums{known: true, partitions: t.state.Partitions, passed: map[int64]int32{}, skewed: map[int32]bool{}}
	for id := range t.state.Partitions {
		p := t.parts[id]
		if p == nil {
			t.sums.waiting++
		}
		if p == nil || !p.Settled {
			t.sums.unsettled++
		}
	}
	for id, p := range t.parts {
		t.sums.count(id, &p.Stats, 1)
		t.sums.noteSkew(id, p)
	}
	return &t.sums
}

// count adds a partition's statistics n times, -1 takes them away.
func (y *partSums) count(id int32, s *PartitionStats, n int32) {
	if s.Partitions == 0 || s.Partitions >= y.partitions {
		for _, f := range s.Fits {
			y.ticks[f.Fits] += int64(n) * f.Ticks
		}
	}
	switch {
	case id >= y.partitions:
	case s.Passed != NoTime:
		if y.passed[s.Passed] += n; y.passed[s.Passed] == 0 {
			delete(y.passed, s.Passed)
		}
	case !s.CaughtUp:
		y.waiting += n
	}
}

func (y *partSums) noteSkew(id int32, p *TopicPart) {
	if len(p.Skew.Parts) > 0 || p.Skew.Open != nil {
		y.skewed[id] = true
	} else {
		delete(y.skewed, id)
	}
}

// passed is the time before which every window is whole: all partitions have
// passed it, or are at their end and have nothing to say of it. NoTime: none is.
func (t *Topic) passed() int64 {
	y, least := t.summed(), int64(math.MaxInt64)
	if y.waiting > 0 {
		return NoTime
	}
	for at := range y.passed {
		least = min(least, at)
	}
	return least
}
