package engine

import (
	"cmp"
	"slices"
)

// StreamRow is what is known of the ticks of a symbol that come from one
// venue, or of all of them where no venue is configured.
type StreamRow struct {
	Venue     string // exact bytes
	Through   int64  // offset of its last tick
	LastEvent int64  // as in [SymbolRow]; held where venues are configured
	LastAhead int64
	Lead      int64
	AheadLead int64
	Numbers   NumberRow
}

// NumberRow is what is known of the sequence numbers of a stream.
type NumberRow struct {
	Known   bool   // a number has been seen
	Anew    bool   // the count began anew and has not grown since
	First   int64  // first number since the last reset
	Last    int64  // greatest number since the last reset
	Event   int64  // event time of its tick
	Content uint64 // what the tick of that number said, 0: not known
	Missing []Span // numbers that have not come, ascending
	Lost    int64  // numbers that were missing when a later one came
	Filled  int64  // of them those that came later
	Repeats int64
	Resets  int64
}

// Span is a range of sequence numbers, both ends included.
type Span struct{ From, To int64 }

const (
	// streamsMax bounds the venues of one symbol that are told apart. The
	// one that has been quiet longest gives way, and begins anew.
	streamsMax = 32
	// spansMax bounds the missing ranges that are remembered of a stream.
	// A number of a range that is forgotten is taken for a repeat.
	spansMax = 16
)

// stream is the state of a symbol's ticks from one venue.
type stream struct {
	venue   string
	through int64
	order
	numbers NumberRow
}

// feeds reports whether streams are kept at all.
func (l *Limits) feeds() bool { return l.OrderByVenue || l.Sequences }

// stream finds or adds the stream of the tick's venue.
func (p *Partition) stream(t *Tick) *stream {
	venue := t.Venue
	if !p.limits.OrderByVenue {
		venue = nil
	}
	held := p.streams[p.current]
	for _, st := range held {
		if st.venue == string(venue) {
			return st
		}
	}
	st := &stream{venue: string(venue), order: newOrder()}
	p.newVenue = p.limits.OrderByVenue
	if len(held) < streamsMax {
		p.streams[p.current] = append(held, st)
		return st
	}
	quietest := 0
	for i := range held {
		if held[i].through < held[quietest].through {
			quietest = i
		}
	}
	held[quietest] = st
	return st
}

// judgeStream judges a tick of a feed whose venues or sequence numbers are
// configured.
func (p *Partition) judgeStream(s *symbol, t *Tick) {
	st := p.stream(t)
	verdict := numberFine
	if p.limits.Sequences && t.HasSequence {
		verdict = p.judgeNumber(s, st, t)
		if p.fresh {
			p.row.Shared.take(s.name, st.venue, min(t.SequenceFirst, t.Sequence), t.Sequence)
		}
	}
	st.through = t.Offset
	if verdict == numberRepeated {
		p.passive = true
		p.repeated(s, t)
		return
	}
	back := int64(0)
	if t.Unit != UnitRecord {
		back = p.streamBack(s, st, t)
	}
	switch numbered := verdict == numberLate; {
	case back > 0:
		p.lateTick(s, t, back, numbered)
	case numbered:
		p.outOfOrder(s, t, 0, true)
	}
}

// streamBack is by how much the tick lies behind the last one of its venue, or
// of its symbol, where order goes by that or the venue reports late.
func (p *Partition) streamBack(s *symbol, st *stream, t *Tick) int64 {
	back := p.behindIn(&s.order, t)
	if !p.limits.OrderByVenue {
		return back
	}
	ofVenue := p.behindIn(&st.order, t)
	if p.limits.reportsLate(t.Venue) {
		return back
	}
	return ofVenue
}

// reportsLate reports whether the venue is one of those that report late by
// rule.
func (l *Limits) reportsLate(venue []byte) bool {
	for _, v := range l.LateVenues {
		if v == string(venue) {
			return true
		}
	}
	return false
}

// streamRows are the streams of a symbol, the quietest first.
func (p *Partition) streamRows(i int32) (rows []StreamRow) {
	for _, st := range p.streams[i] {
		r := StreamRow{
			Venue: st.venue, Through: st.through, Numbers: st.numbers,
			LastEvent: st.lastEvent, LastAhead: st.lastAhead, Lead: st.lead.nanos(), AheadLead: st.aheadLead.nanos(),
		}
		r.Numbers.Missing = slices.Clone(st.numbers.Missing)
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(a, b StreamRow) int {
		return cmp.Or(cmp.Compare(a.Through, b.Through), cmp.Compare(a.Venue, b.Venue))
	})
	return rows
}

func (p *Partition) restoreStreams(i int32, rows []StreamRow) {
	delete(p.streams, i)
	if !p.limits.feeds() {
		return // the fields are configured no longer
	}
	for _, r := range rows {
		st := &stream{venue: r.Venue, through: r.Through, order: restoredOrder(r.LastEvent, r.LastAhead, r.Lead, r.AheadLead), numbers: r.Numbers}
		st.numbers.Missing = slices.Clone(r.Numbers.Missing)
		p.streams[i] = append(p.streams[i], st)
	}
}
