package engine

import (
	"cmp"
	"slices"
	"strings"
)

// venueTimes are the last event times of a symbol's ticks by venue. They go to
// the topic with each sighting, since order goes by symbol and venue where
// field.venue is set, and a symbol that moves takes that along.
func (p *Partition) venueTimes(i int32) (out []VenueTimes) {
	if !p.limits.OrderByVenue {
		return nil
	}
	for _, st := range p.streams[i] {
		out = append(out, VenueTimes{Venue: ShowBytes(st.venue), FirstEvent: NoTime, LastEvent: st.lastEvent})
	}
	slices.SortFunc(out, func(a, b VenueTimes) int { return cmp.Compare(a.Venue, b.Venue) })
	return out
}

// beginVenue notes that the tick is the first of its venue.
func (g *Sighting) beginVenue(t *Tick, at int64) {
	venue := ShowBytes(string(t.Venue))
	for i := range g.Venues {
		if v := &g.Venues[i]; v.Venue == venue {
			v.FirstEvent, v.Offset, v.Time = t.EventTime, t.Offset, at
		}
	}
}

// hearVenues brings a place's venues up to date.
func (p *SymbolPlace) hearVenues(venues []VenueTimes) {
	for _, v := range venues {
		i, found := slices.BinarySearchFunc(p.Venues, v.Venue, func(w VenueTimes, name string) int { return strings.Compare(w.Venue, name) })
		if !found {
			if len(p.Venues) < streamsMax {
				p.Venues = slices.Insert(p.Venues, i, v)
			}
			continue
		}
		w := &p.Venues[i]
		w.LastEvent = max(w.LastEvent, v.LastEvent)
		if w.FirstEvent == NoTime {
			w.FirstEvent, w.Offset, w.Time = v.FirstEvent, v.Offset, v.Time
		}
	}
}

// stepsBack are the venues whose first tick at home lies behind their last one
// on another partition that the symbol has left, by the offset of that tick.
// Venues that report late by rule are left out.
func (t *Topic) stepsBack(s *TopicSymbol, home *SymbolPlace) (steps []stepBack) {
	if !t.limits.OrderByVenue {
		if from, last := lastElsewhere(s, home, func(p *SymbolPlace) int64 { return unset(p.LastEvent) }); from >= 0 {
			steps = append(steps, stepBack{from: from, last: last, first: unset(home.FirstEvent), offset: home.Offset, at: home.Since})
		}
	}
	for i := range home.Venues {
		v := &home.Venues[i]
		if name, _ := hidden(v.Venue); t.limits.reportsLate([]byte(name)) || !t.limits.OrderByVenue {
			continue
		}
		if from, last := lastElsewhere(s, home, func(p *SymbolPlace) int64 { return p.lastOf(v.Venue) }); from >= 0 {
			steps = append(steps, stepBack{v.Venue, from, last, v.FirstEvent, v.Offset, v.Time})
		}
	}
	steps = slices.DeleteFunc(steps, func(b stepBack) bool {
		return b.first == NoTime || b.first >= b.last
	})
	slices.SortFunc(steps, func(a, b stepBack) int { return cmp.Compare(a.offset, b.offset) })
	return steps
}

// stepBack is a step back in time by a move.
type stepBack struct {
	venue       string // escaped; "": no venue is configured, or it has no name
	from        int32
	last, first int64 // event times: the last one there, the first one at home
	offset, at  int64 // of that first tick, and its record time
}

// lastElsewhere is the greatest time of the symbol's other places.
func lastElsewhere(s *TopicSymbol, home *SymbolPlace, of func(*SymbolPlace) int64) (from int32, last int64) {
	from, last = -1, NoTime
	for i := range s.Places {
		if p := &s.Places[i]; p.Partition != home.Partition && of(p) > last {
			from, last = p.Partition, of(p)
		}
	}
	return from, last
}

func (p *SymbolPlace) lastOf(venue string) int64 {
	for i := range p.Venues {
		if p.Venues[i].Venue == venue {
			return p.Venues[i].LastEvent
		}
	}
	return NoTime
}
