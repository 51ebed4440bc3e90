package engine

import (
	"fmt"
	"strings"
)

// judgePlaces judges what follows from where keys lie: which functions placed
// them, whether the topic has grown, and which symbols are split.
func (t *Topic) judgePlaces() {
	l := &t.placing
	if !l.made {
		t.makePlacing()
	}
	if settled := t.settled(); l.changed || settled != l.settled {
		l.changed, l.settled = false, settled
		if settled {
			t.inferGrowth()
		}
		l.explained = explain(t.adjusted(), l.kin)
		t.countMovedKeys()
	} else {
		l.explained.count(t.adjusted())
	}
	changed := t.touched()
	t.judgeSplits()
	t.judgeMixed()
	t.judgeMismatch()
	t.followGrowths(changed)
	t.endAcross()
}

// partitionerSeen names the function that keys follow: one, several with the
// largest share first, "undecided", or "none" where no function explains them.
func (t *Topic) partitionerSeen() string {
	e := &t.placing.explained
	switch e.verdict {
	case Decided:
		return e.members[0].family.String()
	case Mixed:
		names := make([]string, 0, len(e.members))
		for _, m := range e.members {
			names = append(names, m.family.String())
		}
		return strings.Join(names, "+")
	case NoFunction:
		return "none"
	}
	if f, known := t.follows(); known {
		return f.String()
	}
	return "undecided"
}

// partitioner is what reports name: what is pinned, or what keys follow.
func (t *Topic) partitioner() string {
	t.makeIfNeeded(t.state.Partitions)
	if t.limits.Partitioner != "auto" && t.limits.Partitioner != "" {
		return t.limits.Partitioner
	}
	return t.partitionerSeen()
}

// partitionerNote says how sure that is.
func (t *Topic) partitionerNote() string {
	if t.limits.Partitioner != "auto" && t.limits.Partitioner != "" {
		return fmt.Sprintf("partitioner: %s by configuration; %s", t.limits.Partitioner, t.whatKeysFollow())
	}
	e := &t.placing.explained
	switch e.verdict {
	case Decided:
		m := &e.members[0]
		n := fmt.Sprintf("partitioner: %s by %s, odds against it %.1g", m.family, plural(m.distinct(), "key"), odds(m.bits))
		if same := t.placing.kin.same(m.family); len(same) > 0 {
			n += fmt.Sprintf(" (the same as %s over %d partitions)", strings.Join(same, ", "), t.placing.kin.n)
		}
		if e.leftKeys > 0.5 {
			n += ", keys on " + plural(int64(e.leftKeys+0.5), "other place")
			if t.find(subjectMixed) != nil {
				n += ", see PARTITIONER_MIXED"
			}
		}
		return n
	case Mixed:
		return "partitioner: several functions, see PARTITIONER_MIXED"
	case NoFunction:
		if f := t.find(subjectMixed); f != nil && f.Unit == "partitions" {
			return fmt.Sprintf("partitioner: keys are ignored (%s), see PARTITIONER_MIXED", t.keysAndPlaces())
		}
		return fmt.Sprintf("partitioner: no known function explains where keys lie (%s)", t.keysAndPlaces())
	}
	if f, known := t.follows(); known {
		return fmt.Sprintf("partitioner: %s, which keys followed before the topic grew; since then %s", f, t.undecidedNote())
	}
	return "partitioner: " + t.undecidedNote()
}

// whatKeysFollow is that as a sentence has it.
func (t *Topic) whatKeysFollow() string {
	e := &t.placing.explained
	switch e.verdict {
	case Decided:
		return "keys follow " + e.members[0].family.String()
	case Mixed:
		names := make([]string, 0, len(e.members))
		for _, m := range e.members {
			names = append(names, m.family.String())
		}
		return "keys follow " + strings.Join(names, " and ")
	case NoFunction:
		if f := t.find(subjectMixed); f != nil && f.Unit == "partitions" {
			return "keys are ignored"
		}
		return "no known function explains where keys lie"
	}
	if f, known := t.follows(); known {
		return fmt.Sprintf("keys followed %s before the topic grew, and too few were seen since to tell", f)
	}
	return "too few keys were seen to tell which function they follow"
}

// keysAndPlaces counts the keys that were seen, and on how many partitions
// they lie where that is more.
func (t *Topic) keysAndPlaces() string {
	n := plural(t.distinct(), "key")
	if t.placing.several > 0 {
		n += fmt.Sprintf(" on %s", plural(t.distinct()+t.placing.several, "place"))
	}
	return n
}

func (t *Topic) undecidedNote() string {
	e := &t.placing.explained
	if t.state.Partitions < 2 {
		return "undecided, as one partition shows nothing"
	}
	if e.keys == 0 {
		return "undecided, no key was seen"
	}
	names := make([]string, 0, len(e.candidates))
	for _, f := range e.candidates {
		names = append(names, f.String())
	}
	among := "no known function fits all"
	if len(names) > 0 {
		among = strings.Join(names, ", ") + " fit"
	}
	n := fmt.Sprintf("undecided by %s, %s", t.keysAndPlaces(), among)
	if e.moreKeys > 0 {
		n += fmt.Sprintf("; about %s would decide", plural(int64(e.moreKeys), "more key"))
	}
	return n
}
