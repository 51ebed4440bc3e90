package engine

// sightAt are the counts at which a symbol is sighted.
var sightAt = func() (powers [19]int64) {
	power := int64(1)
	for i := range powers {
		powers[i] = power
		power *= 10
	}
	return powers
}()

// keyed is the number of ticks that show where the symbol's key lies.
func (s *symbol) keyed() int64 { return s.count - int64(s.aside) }

// tell notes that the topic has been told of the symbol at its count.
func (s *symbol) tell() {
	for int(s.told) < len(sightAt)-1 && sightAt[s.told] <= s.keyed() {
		s.told++
	}
}

// sight tells the topic that a keyed symbol is on this partition: when its key
// is placed, and at each power of ten of its keyed ticks. Of a symbol whose
// first tick shows no place for its key the topic is told that there is one.
func (p *Partition) sight(s *symbol, t *Tick, placed bool) {
	if len(t.Key) == 0 || t.Origin != nil {
		if s.aside++; s.count == 1 {
			p.sightings = append(p.sightings, Sighting{Symbol: ShowBytes(s.name), Keyless: true})
		}
		return
	}
	if !s.sighted {
		s.sighted = true
		s.first = t.Offset
	} else if s.keyed() < sightAt[s.told] && !placed && !p.newVenue {
		return
	}
	s.tell()
	g := p.sighting(s)
	if p.newVenue && t.Unit != UnitRecord {
		g.beginVenue(t, p.recordTime(t))
	}
	g.Key, g.Fits, g.Time = firstBytes(t.Key), s.fits, p.recordTime(t)
	if g.Spelled = s.keySum == 0; placed && s.lastEvent != NoTime && !p.limits.OrderByVenue {
		g.FirstEvent = t.EventTime
	}
	p.sightings = append(p.sightings, g)
}
