package engine

import "bytes"

// FitTicks counts records whose key fits a set of functions.
type FitTicks struct {
	Fits  Fits  `json:"fits"`
	Ticks int64 `json:"ticks"`
}

// oddPerSnapshot bounds the odd symbols told in one snapshot; the others wait
// for the next.
const oddPerSnapshot = 300

// fitState is what a partition keeps to find out which functions placed its
// records. A symbol's key is hashed once; its state holds the outcome, 6 bytes
// a symbol. All else is of constant size.
type fitState struct {
	ticks     [1 << familyCount]int64   // records by the functions that their key fits
	placed    int                       // symbols whose key was hashed
	hits      [familyCount]int          // of them, those that fit each function
	lead      Fits                      // the function that most of them fit, 0: not clear yet
	producers map[string]map[Fits]int64 // records by producer, where producers are named
	odd       []int32                   // symbols to be told although their count is no power of ten
}

// place notes which functions fit the tick's key and reports whether the
// symbol's key is hashed for the first time at this partition count. Records
// that were put back by hand and keys of no bytes prove nothing.
func (p *Partition) place(s *symbol, t *Tick) (first bool) {
	if len(t.Key) == 0 || t.Origin != nil {
		p.noteOdd(s) // it goes on all the same
		return false
	}
	sum := uint32(0)
	if !bytes.Equal(t.Key, t.Symbol) {
		sum = fnv1a(t.Key) | 1
	}
	if !s.placed || sum != s.keySum {
		first = !s.placed
		s.fits, s.keySum, s.placed = fitsOf(t.Key, p.id, p.partitions), sum, true
		if first {
			p.fit.add(s.fits, p.partitions)
		}
	}
	if p.fresh {
		p.fit.ticks[s.fits]++
		if t.Producer != nil {
			p.fit.produced(t.Producer, s.fits)
		}
	}
	p.noteOdd(s)
	return first
}

// noteOdd sees to it that the topic is told of a symbol's tick when its key
// does not fit the function that most others follow.
func (p *Partition) noteOdd(s *symbol) {
	if s.placed && s.fits&p.fit.lead == 0 && !s.odd {
		s.odd = true
		p.fit.odd = append(p.fit.odd, p.current)
	}
}

// add counts a symbol's key.
func (g *fitState) add(fits Fits, n int32) {
	g.placed++
	best := familyMurmur2
	for f := range familyCount {
		if fits.has(f) {
			g.hits[f]++
		}
		if g.hits[f] > g.hits[best] {
			best = f
		}
	}
	if g.lead = 0; bits(float64(g.hits[best]), float64(g.placed), n) > sureBits {
		g.lead = 1 << best
	}
}

// list is the count of records by functions, without those that are 0.
func (g *fitState) list() (out []FitTicks) {
	for fits, n := range g.ticks {
		if n > 0 {
			out = append(out, FitTicks{Fits(fits), n})
		}
	}
	return out
}

// oddSightings tells the symbols whose key does not fit the function that most
// others follow, and that have ticked: a split, or a move, is judged by when
// and with which event time each of its places ticked last.
func (p *Partition) oddSightings() {
	n := min(len(p.fit.odd), oddPerSnapshot)
	for _, i := range p.fit.odd[:n] {
		s := p.symbols[i]
		if s.odd = false; s.sighted {
			p.sightings = append(p.sightings, p.sighting(s))
		}
	}
	p.fit.odd = append([]int32(nil), p.fit.odd[n:]...)
}

// sighting is the symbol as it stands, without its key.
func (p *Partition) sighting(s *symbol) Sighting {
	return Sighting{
		Symbol: ShowBytes(s.name), Offset: s.first, Count: s.keyed(), Time: s.lastSeen,
		FirstEvent: NoTime, LastEvent: s.lastEvent, Seen: s.lastSeen, Venues: p.venueTimes(p.number(s.name)),
	}
}

// closingSightings tell the exact counts of all symbols whose count is no power
// of ten, as nothing will follow.
func (p *Partition) closingSightings() {
	for _, s := range p.symbols {
		if s.sighted && s.keyed() != sightAt[max(s.told, 1)-1] {
			g := p.sighting(s)
			g.Closing = true
			p.sightings = append(p.sightings, g)
		}
	}
}

// restorePlace takes from a symbol's row how its key was placed. A row of a
// smaller partition count says where the symbol stood when the topic grew: the
// topic is told, as the symbol may go on elsewhere.
func (p *Partition) restorePlace(s *symbol, r *SymbolRow) {
	grown := r.Partitions > 0 && r.Partitions < p.partitions
	s.fits, s.keySum, s.placed = r.Fits, r.KeySum, r.Placed && !grown
	if s.placed {
		p.fit.add(s.fits, p.partitions)
	}
	if grown && s.sighted {
		g := p.sighting(s)
		g.Before = true
		p.sightings = append(p.sightings, g)
		p.markDirty(p.current)
		p.changed = true
	}
}

// restoreFits takes from a partition's row what was counted at the partition
// count that still holds.
func (p *Partition) restoreFits(r *PartitionRow) {
	p.fit.ticks, p.fit.producers = [1 << familyCount]int64{}, nil
	if r.Partitions != p.partitions {
		return
	}
	for _, f := range r.Fits {
		p.fit.ticks[f.Fits] = f.Ticks
	}
	p.fit.restoreProducers(r.Producers)
}
