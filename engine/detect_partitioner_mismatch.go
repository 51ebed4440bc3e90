package engine

import "fmt"

const subjectMismatch = "partitioner/pinned"

// pinned is the function that the configuration names; ok is false for auto,
// and for a client that ignores keys.
func (l *Limits) pinned() (f family, ok bool) {
	if l.Partitioner == "" || l.Partitioner == "auto" {
		return noFamily, false
	}
	p, err := PartitionerByName(l.Partitioner)
	if err != nil {
		return noFamily, false
	}
	return familyOf(p.Hash)
}

// judgeMismatch opens PARTITIONER_MISMATCH when a key does not lie where the
// pinned function puts it. What growth explains, or may still explain while
// history is being read, is no contradiction.
func (t *Topic) judgeMismatch() {
	pinned, ok := t.limits.pinned()
	if !ok {
		return
	}
	var keys, ticks float64
	var symbols []string
	for _, c := range t.classes() {
		if c.fits.has(pinned) {
			continue
		}
		list, against := t.placing.witness[c.fits], 0
		for i := range list {
			w := &list[i]
			if t.before(pinned, w) || !t.settled() && t.mayBeBefore(pinned, w) {
				continue
			}
			if against++; len(symbols) < symbolsOut {
				symbols = append(symbols, w.symbol)
			}
		}
		if len(list) > 0 {
			keys += c.keys * float64(against) / float64(len(list))
			ticks += c.ticks * float64(against) / float64(len(list))
		}
	}
	if keys < 0.5 {
		delete(t.counted.waits, subjectMismatch)
		return
	}
	f := t.find(subjectMismatch)
	opened := f == nil
	if opened && !t.countHolds(subjectMismatch) {
		return
	}
	if opened {
		f = t.newFinding(PartitionerMismatch, subjectMismatch, -1)
		f.FirstTime = Time(t.latest())
		f.Threshold, f.Unit = 0, "keys"
	}
	before := f.Count
	f.Count = max(f.Count, int64(ticks+0.5), 1)
	f.Observed = max(f.Observed, float64(int64(keys+0.5)))
	if !opened && f.Count == before {
		return
	}
	f.LastTime = max(f.LastTime, Time(t.latest()))
	if f.Symbol == "" {
		f.Symbol = symbols[0]
	}
	rest := t.whatKeysFollow()
	if e := &t.placing.explained; e.verdict == Decided && e.members[0].family == pinned {
		rest = "the other keys follow it"
	}
	lie := "lie"
	if f.Observed == 1 {
		lie = "lies"
	}
	f.Cause = fmt.Sprintf("%s of %s %s where %s, which partitioner=%s names, does not put keys like %s; %s",
		plural(int64(f.Observed), "key"), t.name, lie, pinned, t.limits.Partitioner, symbols[0], rest)
	f.Evidence["expected"], f.Evidence["seen"] = pinned.String(), t.partitionerSeen()
	f.Evidence["functions"], f.Evidence["symbols"] = t.functions(), symbols
	if producers := t.producers(func(fits Fits) bool { return !fits.has(pinned) }); len(producers) > 0 {
		f.Evidence["producers"] = producers
	}
	if opened {
		t.openFinding(subjectMismatch, f)
	} else {
		t.update(subjectMismatch)
	}
}

// mayBeBefore reports whether a growth that is not known yet could explain the
// witness.
func (t *Topic) mayBeBefore(f family, w *witness) bool {
	seen := t.seen(w)
	for n := t.state.Partitions - 1; n > w.partition; n-- {
		first := t.leftBy(n)
		if first == NoTime && t.spoken(n) || first != NoTime && seen > first || w.key == "" {
			continue
		}
		if placesOf([]byte(w.key), n)[f] == w.partition {
			return true
		}
	}
	return false
}
