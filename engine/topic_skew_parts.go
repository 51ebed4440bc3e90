package engine

import (
	"cmp"
	"slices"
)

const skewSubject = "clock"

// skewPartsMax bounds the parts that wait for other partitions to be read as
// far.
const skewPartsMax = 16

// TopicSkew is what a partition has told of ticks ahead of the clock, but for
// findings that are over.
type TopicSkew struct {
	Open  *SkewPart  `json:"open,omitempty"`  // the part that goes on
	Parts []SkewPart `json:"parts,omitempty"` // those that are over, ascending
	Next  int64      `json:"next,omitempty"`  // a part that began before this offset has been heard to its end
}

// hearSkews takes the parts of a partition, in order.
func (t *Topic) hearSkews(p *TopicPart, parts []SkewPart) {
	k := &p.Skew
	for i := range parts {
		part := &parts[i]
		goesOn := k.Open != nil && part.FirstOffset == k.Open.FirstOffset
		if part.FirstOffset < k.Next || goesOn && part.Count < k.Open.Count {
			continue // a repeat
		}
		part.Placed = goesOn && k.Open.Placed
		if k.Open = part; part.Over {
			k.Parts = append(k.Parts, *part)
			k.Open, k.Next = nil, part.FirstOffset+1
		}
		if len(k.Parts) > skewPartsMax {
			joined := SkewPart{Placed: k.Parts[0].Placed || k.Parts[1].Placed, Over: true}
			joined.add(&k.Parts[0])
			joined.add(&k.Parts[1])
			k.Parts = append([]SkewPart{joined}, k.Parts[2:]...)
		}
	}
}

// placedSkew is a part with its partition.
type placedSkew struct {
	*SkewPart
	partition int32
}

// judgeSkews brings the one finding that can be open to what the parts of all
// partitions say; heard says that there are new ones. Skews are told in the
// order of time, so that they come out the same in whatever order partitions
// are heard.
func (t *Topic) judgeSkews(heard bool) {
	for {
		group, reach := t.nextSkew()
		if len(group) == 0 {
			return
		}
		opened := t.find(skewSubject) == nil
		if opened && !t.skewIsNext(group) {
			return
		}
		if opened || heard {
			t.tellSkew(group, opened)
		}
		goesOn := slices.ContainsFunc(group, func(p placedSkew) bool { return !p.Over })
		if goesOn || !t.heardPast(reach+episodeQuiet) {
			return
		}
		t.close(skewSubject)
		for id := range t.summed().skewed {
			p := t.parts[id]
			over := func(s SkewPart) bool { return s.Placed }
			if slices.ContainsFunc(p.Skew.Parts, over) {
				p.Skew.Parts = slices.DeleteFunc(p.Skew.Parts, over)
				t.changed[partKey(id)] = true
				t.sums.noteSkew(id, p)
			}
		}
	}
}

// nextSkew are the parts of the skew that is told of, or else of the first in
// time, and the time of its last tick: parts that follow one another within
// 10 s are one skew, whatever partitions they are of.
func (t *Topic) nextSkew() (group []placedSkew, reach int64) {
	reach = NoTime
	for id := range t.summed().skewed {
		p := t.parts[id]
		for i := range p.Skew.Parts {
			group = append(group, placedSkew{&p.Skew.Parts[i], id})
		}
		if p.Skew.Open != nil {
			group = append(group, placedSkew{p.Skew.Open, id})
		}
	}
	if len(group) == 0 {
		return nil, reach
	}
	slices.SortFunc(group, func(a, b placedSkew) int {
		return cmp.Or(cmp.Compare(a.Told, b.Told), cmp.Compare(a.partition, b.partition), cmp.Compare(a.FirstOffset, b.FirstOffset))
	})
	for _, s := range group {
		if s.Placed {
			reach = max(reach, s.Step)
		}
	}
	if reach == NoTime {
		reach = group[0].Step
	}
	n, goesOn := 0, false
	for n < len(group) && (group[n].Told <= reach+episodeQuiet || t.ending && goesOn) {
		reach, goesOn = max(reach, group[n].Step), goesOn || !group[n].Over
		n++
	}
	return group[:n], reach
}

// skewIsNext reports whether no skew before this one can be heard of any more.
// What live partitions tell is of now, and does not wait for others.
func (t *Topic) skewIsNext(group []placedSkew) bool {
	for _, s := range group {
		if t.parts[s.partition].Stats.CaughtUp {
			return true
		}
	}
	return t.heardPast(group[0].Told - episodeQuiet)
}

// heardPast reports whether every partition has told of all up to a time.
func (t *Topic) heardPast(at int64) bool {
	if t.ending {
		return true
	}
	for id := range t.state.Partitions {
		p := t.parts[id]
		if p == nil {
			return false
		}
		s := &p.Stats
		if max(s.Passed, s.Watermark) <= at && (!s.CaughtUp || s.Passed != NoTime) {
			return false
		}
	}
	return true
}

// tellSkew opens the finding of a skew, or brings it up to date.
func (t *Topic) tellSkew(group []placedSkew, opened bool) {
	var all SkewPart
	var places []int32
	for _, s := range group {
		if all.add(s.SkewPart); !s.Placed {
			s.Placed, t.changed[partKey(s.partition)] = true, true
		}
		places = append(places, s.partition)
	}
	slices.Sort(places)
	places = slices.Compact(places)
	all.Ticks = max(all.Ticks, all.Count) + t.besides(places, all.FirstTime, all.LastTime)
	f := t.find(skewSubject)
	if opened {
		f = t.newFinding(ClockSkew, skewSubject, -1)
	}
	t.describeSkew(f, &all, places)
	if opened {
		t.openFinding(skewSubject, f)
	} else {
		t.update(skewSubject)
	}
}
