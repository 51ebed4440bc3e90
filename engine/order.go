package engine

import "math"

// order is what event times of one stream are held against.
type order struct {
	lastEvent int64     // greatest accepted one, NoTime before the first
	lastAhead int64     // the same of ticks far ahead of the clock
	lead      clockLead // greatest one of the ticks behind lastEvent
	aheadLead clockLead // the same of those behind lastAhead; negative once two have shown it, 0: none
}

// clockLead is event time minus record time in tenths of a millisecond. What is off
// by more than two days is off by leadMost: such record times are no clock.
type clockLead int32

const (
	leadUnit = int64(100_000)
	leadMost = clockLead(math.MaxInt32)
)

func leadFrom(ns int64) clockLead {
	return clockLead(min(max(ns/leadUnit, -int64(leadMost)), int64(leadMost)))
}

func (l clockLead) nanos() int64 { return int64(l) * leadUnit }

// beyond reports whether it is greater by more than the jitter of record times.
func (l clockLead) beyond(o clockLead) bool { return l.nanos()-o.nanos() > aheadJitter }

// newOrder is the order of a stream before its first tick.
func newOrder() order { return order{lastEvent: NoTime, lastAhead: NoTime} }

// take accepts an event time, or returns by how much it lies behind the last
// accepted one; equal times are in order. record is the record's time; clock
// is what stands for it where it is NoTime, and may be NoTime as well.
//
// A tick far ahead of its own record time (of the clock, where it has none) is
// ordered among such ticks only: a single wrong one must not make every later
// tick look late. Of ticks with record times two may be ahead by two mistakes,
// one by a wrong event time and one by a wrong record time: they are held
// against one another from the third on that is as far ahead. Where a stream's
// first ticks are all ahead, its producer's clock is: from its third tick on the
// stream is held to its own order, and far ahead is what is further ahead than
// it by more than the jitter of record times.
func (o *order) take(event, record, clock, tolerance int64) (back int64) {
	last := &o.lastEvent
	if record == NoTime {
		if clock != NoTime && event-clock > max(aheadMin, tolerance) {
			last = &o.lastAhead
		}
	} else {
		l := leadFrom(event - record)
		switch far := event-record > max(aheadJitter, tolerance); {
		case far && (o.lastEvent == NoTime || l.beyond(o.lead)):
			if last = o.ahead(event, l); last != nil && o.lastEvent == NoTime {
				*o = order{lastEvent: o.lastAhead, lastAhead: NoTime, lead: -o.aheadLead}
				last = &o.lastEvent
			}
		case o.lastEvent == NoTime:
			o.lead = l
		default:
			o.lead = max(o.lead, l)
		}
	}
	switch {
	case last == nil:
		return 0
	case *last == NoTime || event >= *last:
		*last = event
		return 0
	}
	return *last - event
}

// ahead notes a tick that is far ahead, and gives what it must not lie behind,
// nil: nothing yet. One that is late is less far ahead than those before it.
func (o *order) ahead(event int64, l clockLead) *int64 {
	known, shown := max(o.aheadLead, -o.aheadLead), o.aheadLead < 0
	less := known.beyond(l)
	if shown {
		less = less && l < known/2
	}
	switch {
	case known == 0 || less || l.beyond(known):
		o.lastAhead, o.aheadLead = event, l
		return nil
	case !shown:
		o.lastAhead, o.aheadLead = event, -max(l, known)
		return nil
	}
	o.aheadLead = -max(l, known)
	return &o.lastAhead
}

// retract forgets a time ahead of at that no other shows.
func (o *order) retract(at int64) {
	if last := max(o.lastEvent, o.lastAhead); last != NoTime && last-at > aheadJitter {
		*o = newOrder()
	}
}

// restoredOrder is the order that a row tells of.
func restoredOrder(event, ahead, behindEvent, behindAhead int64) order {
	return order{event, ahead, leadFrom(behindEvent), leadFrom(behindAhead)}
}
