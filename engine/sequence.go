package engine

import (
	"fmt"
	"slices"
	"strconv"
)

// What a tick's sequence number says.
type numberVerdict uint8

const (
	numberFine     numberVerdict = iota // greater than all before, or a new count
	numberRepeated                      // it has been seen
	numberLate                          // it was missing until now
)

// numbersForget is the event time without a tick after which a symbol's
// numbers are taken for those of another session, or another instrument under
// the same name.
const numbersForget = 7 * 24 * 3600 * second

// judgeNumber judges a tick's sequence numbers against those of its stream:
//
//  1. Greater than the last one: those between are missing.
//  2. Among the missing ones: it is late, and out of order.
//  3. The last one again, with other content: some feeds give two trades of one
//     moment the same number. It is fine.
//  4. Not greater, and its event time is later than that of the last one, or
//     the same and it cannot have been seen in this count: the count began anew,
//     as after a reconnect, for a new session or at the turn of the day. One
//     that does so again before it has grown descends: it is out of order.
//  5. Otherwise it is the same tick again.
//
// Ranges, such as those of aggregates and books, may overlap what was seen.
func (p *Partition) judgeNumber(s *symbol, st *stream, t *Tick) numberVerdict {
	n, verdict := &st.numbers, numberFine
	first, last := min(t.SequenceFirst, t.Sequence), t.Sequence
	paused := t.EventTime > n.Event && t.EventTime-numbersForget > n.Event
	switch {
	case !n.Known || paused:
		n.Missing, n.First, n.Anew = nil, first, false
	case last > n.Last:
		n.Anew = false
		if n.Last < first-1 && !p.limits.filters(st.venue) {
			p.missing(s, st, t, Span{n.Last + 1, first - 1})
		}
	case n.fill(first, last):
		p.filled(n, first, last)
		return numberLate
	case last == n.Last && t.Content != n.Content && t.Content != 0 && n.Content != 0:
	case t.EventTime > n.Event, t.EventTime == n.Event && n.unseen(last):
		if n.Anew && last < n.Last {
			verdict = numberLate
		} else {
			n.Resets++
		}
		n.Missing, n.First, n.Anew = nil, first, true
	default:
		n.Repeats++
		return numberRepeated
	}
	n.Known, n.Last, n.Event, n.Content = true, last, t.EventTime, t.Content
	return verdict
}

// burstMost is how many numbers of one symbol may bear the same event time.
const burstMost = 1000

// unseen reports whether a number that is not greater than the last one, and has
// its event time, was not seen in this count: it lies in front of its beginning,
// or further back than the numbers of one moment go.
func (n *NumberRow) unseen(last int64) bool {
	return last < n.First || uint64(n.Last)-uint64(last) > burstMost
}

// filters reports whether the numbers of a venue's ticks have holes by design.
func (l *Limits) filters(venue string) bool {
	for _, v := range l.SequenceFiltered {
		if v == "*" || v == venue {
			return true
		}
	}
	return false
}

// missing notes numbers that a later one has passed over.
func (p *Partition) missing(s *symbol, st *stream, t *Tick, gap Span) {
	n := &st.numbers
	if len(n.Missing) == spansMax {
		n.Missing = slices.Delete(n.Missing, 0, 1)
	}
	n.Missing = append(n.Missing, gap)
	n.Lost = plus(n.Lost, gap.length())
	p.sequenceGap(s, t, st.venue, gap)
}

// fill takes numbers out of the missing ones; false: none of them is missing.
func (n *NumberRow) fill(first, last int64) bool {
	filled := int64(0)
	kept := make([]Span, 0, len(n.Missing)+1)
	for _, m := range n.Missing {
		from, to := max(first, m.From), min(last, m.To)
		if from > to {
			kept = append(kept, m)
			continue
		}
		filled = plus(filled, Span{from, to}.length())
		if m.From < from {
			kept = append(kept, Span{m.From, from - 1})
		}
		if to < m.To {
			kept = append(kept, Span{to + 1, m.To})
		}
	}
	if filled == 0 {
		return false
	}
	n.Missing = kept[max(0, len(kept)-spansMax):]
	n.Filled = plus(n.Filled, filled)
	return true
}

// length is how many numbers the span has.
func (m Span) length() int64 { return plus(m.To-m.From, 1) }

// String is the span as evidence has it.
func (m Span) String() string {
	if m.From == m.To {
		return strconv.FormatInt(m.From, 10)
	}
	return fmt.Sprintf("%d-%d", m.From, m.To)
}

// plus adds counts; numbers that feeds make up may be as far apart as 64 bits
// allow.
func plus(a, b int64) int64 {
	if a < 0 || b < 0 || a+b < 0 {
		return 1<<63 - 1
	}
	return a + b
}

// repeated counts a tick whose sequence number was seen before.
func (p *Partition) repeated(s *symbol, t *Tick) {
	if p.fresh {
		p.both(func(c *Counts) { c.Duplicates++ })
	}
	p.fault(Redelivered, t, "", s.name, fmt.Sprintf("%s number %d", ShowBytes(s.name), t.Sequence), 0)
}
