package engine

import (
	"math"
	"slices"
)

// inferGrowth finds out whether the topic had fewer partitions before the
// audit began: keys that do not lie where the function of all others puts them
// do so at one smaller count, or at a few that followed one another, and each
// ticked there last before any partition from that count on had its first
// record. What another function explains at today's count needs no growth. It
// is asked when the past has been read, so that its answer rests on all of it.
func (t *Topic) inferGrowth() {
	raw := t.classes()
	keys, _, _ := hits(raw)
	members := explain(raw, t.placing.kin).members
	best, lead := 0.0, noFamily
	var counts []int32
	for g := range familyCount + 1 { // beside another function that growth has hidden; noFamily: there is none
		g := (g + familyCount) % (familyCount + 1)
		beside := members
		if g != noFamily {
			beside = append(slices.Clone(members), member{family: g})
		}
		for f := range familyCount {
			if f.faulty() || f == g || g.faulty() && g != noFamily {
				continue
			}
			c, moved := t.formerCounts(f, raw, beside)
			// The function that explains most keys at all counts together.
			if moved >= 2 && keys[f]+float64(moved) > best {
				best, lead, counts = keys[f]+float64(moved), f, c
			}
		}
		if lead != noFamily {
			break // the smallest explanation
		}
	}
	width := math.Log2(float64(max(t.state.Partitions, 1)))
	if lead == noFamily || (best-1)*width < sureBits {
		return
	}
	slices.Sort(counts)
	for _, n := range counts {
		t.addGrowth(n, lead.String())
	}
	t.changed["t"] = true
}

// addGrowth notes a count that the topic had.
func (t *Topic) addGrowth(n int32, lead string) {
	g := Growing{From: n, To: t.state.Partitions, Time: t.firstIn(n), Lead: lead}
	for i := range t.state.Growths {
		switch h := &t.state.Growths[i]; {
		case h.From == n:
			return
		case h.From > n:
			g.To = min(g.To, h.From)
		case n < h.To:
			g.To, h.To = h.To, n
			g.Seen, g.Between, h.Between = h.Seen, h.Seen, h.Seen
		}
	}
	t.state.Growths = append(t.state.Growths, g)
	slices.SortStableFunc(t.state.Growths, func(a, b Growing) int { return int(a.From - b.From) })
}

// formerCounts are partition counts, below today's, at which the function put
// nine in ten of the keys that neither it nor another member explains today,
// and how many of them; none where there are none.
func (t *Topic) formerCounts(f family, classes []fitClass, members []member) (counts []int32, moved int) {
	var odd []witness
	for _, c := range classes {
		if c.fits.has(f) || explains(members, c.fits) {
			continue
		}
		for _, w := range t.placing.witness[c.fits] {
			if !t.before(f, &w) {
				odd = append(odd, w)
			}
		}
	}
	left := odd
	for range growthsMax {
		n := t.formerCount(f, left, members)
		if n == 0 {
			break
		}
		counts = append(counts, n)
		rest := left[:0:0]
		for _, w := range left {
			switch {
			case !t.lay(&w, n):
				rest = append(rest, w)
			case placesOf([]byte(w.key), n)[f] == w.partition:
				moved++
			case !explains(members, fitsOf([]byte(w.key), w.partition, n)): // else another member has moved it, by the same growth
				rest = append(rest, w)
			}
		}
		left = rest
	}
	rest := len(left)
	if moved < 9*rest {
		return nil, 0
	}
	return counts, moved
}

// growthsMax bounds the growths that are inferred at once.
const growthsMax = 4

// formerCount is the one count that explains most of the keys among those that
// may have been written at it, 0: none does.
func (t *Topic) formerCount(f family, odd []witness, members []member) (n int32) {
	most := 1
	for count := t.state.Partitions - 1; count > 0; count-- {
		fit, misfit := 0, 0
		for i := range odd {
			w := &odd[i]
			if !t.lay(w, count) {
				continue
			}
			if at := fitsOf([]byte(w.key), w.partition, count); at.has(f) {
				fit++
			} else if !explains(members, at) {
				misfit++
			}
		}
		// Where the new partitions are empty, no time speaks for a growth.
		if fit <= most || fit < 9*misfit || t.firstIn(count) == NoTime && float64(fit)*math.Log2(float64(count)) < sureBits+faultyBits {
			continue
		}
		n, most = count, fit
	}
	return n
}

// lay reports whether the key may have been written to its partition when the
// topic had that many: it ticked there last before any partition beyond had a
// record. Of a count between those of a growth that was seen, which live the
// audit may not have known of while it judged by its own clock, it is enough
// that it ticked there first by then: keys that came later may be those of a
// later count, or of a producer of another kind.
func (t *Topic) lay(w *witness, count int32) bool {
	if w.key == "" || w.partition >= count {
		return false
	}
	first, seen := t.firstIn(count), t.seen(w)
	if first == NoTime {
		return true
	}
	if t.liesBetween(count) {
		p := t.symbols[w.symbol].place(w.partition)
		return p != nil && p.Since < first
	}
	return seen != NoTime && seen <= first
}

// leftBy is when a key must have ticked last on a partition to have been put
// there at that count: before the first record in a partition beyond, NoTime
// when there is none. For a count between those of a growth that was seen
// producers have the time that any growth leaves them.
func (t *Topic) leftBy(count int32) int64 {
	first := t.firstIn(count)
	if first != NoTime && t.liesBetween(count) {
		return first + growthSlack
	}
	return first
}

// liesBetween reports whether the count lies between those of a growth that was
// seen.
func (t *Topic) liesBetween(count int32) bool {
	return slices.ContainsFunc(t.state.Growths, func(g Growing) bool { return g.Seen && g.From < count && count < g.To })
}

func explains(members []member, fits Fits) bool {
	return slices.ContainsFunc(members, func(m member) bool { return fits.has(m.family) })
}
