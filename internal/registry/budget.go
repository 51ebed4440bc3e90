package registry

import (
	"time"
)

const (
	// plausible is an id that registries give out: they count from 1 or from
	// 100 000. Bytes that only look like a frame rarely name one so small.
	plausible = 1 << 20
	// beyondKnown is how far beyond the greatest known id the next ones lie.
	beyondKnown = 10_000
	// sightings are how often a name is met before it counts as repeated: once
	// by who waits for a record's schema, once by who decodes it, then again.
	sightings  = 3
	maxSighted = 1000
)

// budget bounds the questions about names that the registry turns out not to
// have, so that a topic of other bytes floods no registry. Questions with
// another answer are given back.
type budget struct {
	left    int
	at      time.Time // when left was last added to
	most    int32     // greatest id that the registry has
	sighted map[name]*sighting
	began   time.Time // of sighted
}

// sighting is a name that was taken for unknown without a question.
type sighting struct {
	first time.Time
	times int
}

// spend takes a question, false when there is none left. wait is how long until
// there is.
func (b *budget) spend(now time.Time, t *timing) (ok bool, wait time.Duration) {
	if n := int(now.Sub(b.at) / t.refill); b.at.IsZero() || n > 0 {
		if b.left = min(b.left+n, t.burst); b.at.IsZero() {
			b.left = t.burst
		}
		b.at = now
	}
	if b.left == 0 {
		return false, t.refill - now.Sub(b.at)
	}
	b.left--
	return true, 0
}

// unlikely says that the name is one of the many that mean nothing, at a time
// when no question is left: it lies far beyond those that the registry has, and
// has not come again after a while.
func (b *budget) unlikely(n name, now time.Time, t *timing) bool {
	if n.GUID != [16]byte{} || n.ID <= plausible || n.ID <= b.most+beyondKnown {
		return false
	}
	if s := b.sighted[n]; s != nil {
		s.times++
		return s.times < sightings || now.Sub(s.first) < t.unknownMin
	}
	if b.sighted == nil || now.Sub(b.began) > 4*t.unknownMin {
		b.sighted, b.began = map[name]*sighting{}, now
	}
	if len(b.sighted) < maxSighted {
		b.sighted[n] = &sighting{now, 1}
	}
	return true
}

// giveBack is for a question that was not about an unknown schema.
func (s *Source) giveBack() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.budget.left = min(s.budget.left+1, s.o.timing.burst)
}

// note keeps that a name is unknown, for a time that grows.
func (s *Source) note(n name, err error) {
	u := s.unknown[n]
	if u == nil {
		s.tellUnknown(n, err)
		if len(s.unknown) >= maxUnknown {
			for other := range s.unknown { // any: all of them are worth one question
				delete(s.unknown, other)
				break
			}
		}
		u = &unknown{}
		s.unknown[n] = u
	}
	u.pause = max(s.o.timing.unknownMin, min(2*u.pause, s.o.timing.unknownMax))
	u.again = time.Now().Add(u.pause)
}

// tellUnknown logs the first unknown names and, of many, how many there are.
func (s *Source) tellUnknown(n name, err error) {
	const first = 5
	now := time.Now()
	if s.untold++; len(s.unknown) >= first && now.Sub(s.toldAt) < s.o.timing.told {
		return
	}
	s.o.Log.Warn().Err(err).Stringer("schema", n).Int("others", s.untold-1).Msg("the schema registry does not know a schema")
	s.untold, s.toldAt = 0, now
}
