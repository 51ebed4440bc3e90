package engine

import (
	"cmp"
	"math"
	"slices"
)

// fitClass is what was seen of keys that fit the same set of functions.
type fitClass struct {
	fits  Fits
	keys  float64 // distinct keys on a partition
	main  float64 // of them, those of the partition on which their symbol ticks most
	ticks float64 // records
}

// Verdict says what an Explanation comes to.
type Verdict uint8

// The verdicts.
const (
	Undecided  Verdict = iota // too few keys, or keys on which functions agree
	Decided                   // one function explains what was seen
	Mixed                     // two functions or more are needed
	NoFunction                // no known function explains it, or keys are ignored
)

var verdictNames = [...]string{"undecided", "decided", "mixed", "no known function"}

func (v Verdict) String() string { return verdictNames[min(v, NoFunction)] }

// member is a function of the smallest set that explains what was seen.
type member struct {
	family family
	rivals []family // functions that explain the same keys as well
	keys   float64  // keys on a partition that it explains and no member before it does
	ticks  float64
	share  float64 // of the keys that no other member explains
	bits   float64 // how strongly its keys speak for it
	twice  float64 // places beyond the first of a key among keys: growth has moved it
}

// distinct is the number of keys that the member explains, each once however
// many partitions growth has moved it to.
func (m *member) distinct() int64 { return int64(max(m.keys-m.twice, 1) + 0.5) }

// explanation is the smallest set of functions that explains where keys lie.
type explanation struct {
	verdict    Verdict
	members    []member // the one with most records first
	candidates []family // Undecided: functions that fit every key
	moreKeys   int      // Undecided: about how many more keys decide, 0: no number of keys does
	keys       float64  // keys that were seen
	ticks      float64
	leftKeys   float64 // keys that no member explains
	leftTicks  float64
}

// membersMax bounds the set that explains keys: four functions on one topic
// cover so many partitions that a fifth proves nothing.
const membersMax = 4

// explain finds the explanation of classes in a topic of k.n partitions.
//
//  1. The function that explains most keys is taken, then the one that
//     explains most of the keys left, and so on. Of equals the first in the
//     order of families is taken.
//  2. A function whose keys that no other one explains may be there by chance
//     is taken out again, the weakest first.
//  3. One function that no other one equals is Decided; two are Mixed, whatever
//     else may explain their keys as well; none is Undecided while too few
//     keys are known.
func explain(classes []fitClass, k *kinship) explanation {
	e := explanation{}
	var taken []family
	left := classes
	for range membersMax {
		f := lead(left, k).family
		if f == noFamily {
			break
		}
		taken = append(taken, f)
		left = unexplained(left, f)
	}
	e.members = prove(classes, taken, k)
	// A key on which members agree counts for the one with most records.
	slices.SortStableFunc(e.members, func(a, b member) int { return cmp.Compare(b.ticks, a.ticks) })
	e.count(classes)
	switch {
	case len(e.members) > 1:
		e.verdict = Mixed
	case len(e.members) == 1 && len(e.members[0].rivals) == 0:
		e.verdict = Decided
	case len(e.members) == 1:
		e.candidates = append([]family{e.members[0].family}, e.members[0].rivals...)
		e.moreKeys = k.moreKeys(e.candidates, e.members[0].bits)
	default:
		e.undecided(classes, k)
	}
	return e
}

// prove takes functions out until the keys of each that is left are no
// accident.
func prove(classes []fitClass, taken []family, k *kinship) []member {
	for len(taken) > 0 {
		members := make([]member, len(taken))
		weakest, lack := -1, 0.0
		for i, f := range taken {
			rest := classes
			for _, g := range taken {
				if g != f {
					rest = unexplained(rest, g)
				}
			}
			members[i] = measured(rest, f, k)
			if l := members[i].threshold() - members[i].bits; l > lack {
				weakest, lack = i, l
			}
		}
		if weakest < 0 {
			return members
		}
		taken = append(append([]family(nil), taken[:weakest]...), taken[weakest+1:]...)
	}
	return nil
}

// count adds up keys and records, each for the first member that explains it.
func (e *explanation) count(classes []fitClass) {
	e.keys, e.ticks, e.leftKeys, e.leftTicks = 0, 0, 0, 0
	for i := range e.members {
		e.members[i].keys, e.members[i].ticks = 0, 0
	}
next:
	for _, c := range classes {
		e.keys += c.keys
		e.ticks += c.ticks
		for i := range e.members {
			if m := &e.members[i]; c.fits.has(m.family) {
				m.keys += c.keys
				m.ticks += c.ticks
				continue next
			}
		}
		e.leftKeys += c.keys
		e.leftTicks += c.ticks
	}
}

// undecided tells which functions fit all keys; where none does although keys
// are many, no function explains them.
func (e *explanation) undecided(classes []fitClass, k *kinship) {
	all := Fits(1<<familyCount - 1)
	for _, c := range classes {
		if c.keys > 0 {
			all &= c.fits
		}
	}
	if e.keys > 0 {
		for f := range familyCount {
			if all.has(f) && !f.faulty() {
				e.candidates = append(e.candidates, f)
			}
		}
	}
	strength := e.keys * math.Log2(float64(max(k.n, 1)))
	if len(e.candidates) == 0 && e.keys >= 8 && strength > 2*sureBits {
		e.verdict = NoFunction
		return
	}
	e.moreKeys = k.moreKeys(e.candidates, strength)
}

// hits are the keys and records that each function explains, and all keys.
func hits(classes []fitClass) (keys, ticks [familyCount]float64, total float64) {
	for _, c := range classes {
		total += c.keys
		for f := range familyCount {
			if c.fits.has(f) {
				keys[f] += c.keys
				ticks[f] += c.ticks
			}
		}
	}
	return keys, ticks, total
}

// lead is the function that explains most keys, then most records. A function
// that no client uses leads only where no other does as well.
func lead(classes []fitClass, k *kinship) member {
	keys, ticks, _ := hits(classes)
	best := noFamily
	for f := range familyCount {
		if keys[f] > 0 && (best == noFamily || keys[f] > keys[best] || keys[f] == keys[best] && ticks[f] > ticks[best] && !f.faulty()) {
			best = f
		}
	}
	if best == noFamily {
		return member{family: noFamily}
	}
	return measured(classes, best, k)
}

// measured is a function with what it explains of the classes.
func measured(classes []fitClass, f family, k *kinship) member {
	keys, ticks, total := hits(classes)
	m := member{family: f, keys: keys[f], ticks: ticks[f], share: keys[f] / max(total, 1), bits: bits(keys[f], total, k.n)}
	// Where the keys of few records are scattered, the places of most are not.
	var main, of float64
	for _, c := range classes {
		if of += c.main; c.fits.has(f) {
			main += c.main
		}
	}
	if at := (member{family: f, share: main / max(of, 1), bits: bits(main, of, k.n)}); at.bits-at.threshold() > m.bits-m.threshold() {
		m.share, m.bits = at.share, at.bits
	}
	for g := range familyCount {
		if g != f && !g.faulty() && keys[g] == keys[f] && k.disagree(f, g) > 0 {
			m.rivals = append(m.rivals, g)
		}
	}
	return m
}

func unexplained(classes []fitClass, f family) (left []fitClass) {
	for _, c := range classes {
		if !c.fits.has(f) {
			left = append(left, c)
		}
	}
	return left
}

// moreKeys is how many more keys decide, with a chance of 99 in 100, between
// functions that agree so far; 0 when none can.
func (k *kinship) moreKeys(candidates []family, have float64) int {
	if k.n < 2 {
		return 0
	}
	more := math.Ceil(max(0, sureBits-have) / math.Log2(float64(k.n)))
	for i, f := range candidates {
		for _, g := range candidates[i+1:] {
			if d := k.disagree(f, g); d > 0 && d < 1 {
				more = max(more, math.Ceil(math.Log(0.01)/math.Log(1-d)))
			}
		}
	}
	return int(max(more, 1))
}
