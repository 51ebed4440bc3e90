package engine

// order is what event times of one stream are held against.
type order struct {
	lastEvent int64 // greatest accepted one, NoTime before the first
	lastAhead int64 // the same of ticks far ahead of the clock
	lead      int64 // greatest event time minus record time of the ticks behind lastEvent
}

// newOrder is the order of a stream before its first tick.
func newOrder() order { return order{lastEvent: NoTime, lastAhead: NoTime} }

// take accepts an event time, or returns by how much it lies behind the last
// accepted one; equal times are in order. record is the record's time; clock
// is what stands for it where it is NoTime, and may be NoTime as well.
func (o *order) take(event, record, clock, tolerance int64) (back int64) {
	last := o.lastOf(event, record, clock, tolerance)
	if *last == NoTime || event >= *last {
		*last = event
		return 0
	}
	return *last - event
}

// lastOf is the event time that the tick must not lie behind. A tick far ahead
// of its own record time (of the clock, where it has none) is ordered among
// such ticks only: a single wrong one must not make every later tick look
// late. Where the stream's ticks are ahead throughout, which two of them
// before any other show, a tick is far ahead only when it is further ahead than
// any of them by more than the jitter of record times: a producer whose clock
// is ahead is held to its own order. That needs record times.
func (o *order) lastOf(event, record, clock, tolerance int64) *int64 {
	if record == NoTime {
		if clock != NoTime && event-clock > max(aheadMin, tolerance) {
			return &o.lastAhead
		}
		return &o.lastEvent
	}
	lead := event - record
	if lead > max(aheadJitter, tolerance) {
		switch {
		case o.lastEvent == NoTime && o.lastAhead == NoTime:
			return &o.lastAhead
		case o.lastEvent == NoTime:
			o.lastEvent, o.lastAhead, o.lead = o.lastAhead, NoTime, lead
		case lead-o.lead > aheadJitter:
			return &o.lastAhead
		}
	}
	if o.lastEvent == NoTime {
		o.lead = lead
	}
	o.lead = max(o.lead, lead)
	return &o.lastEvent
}

// retract takes an accepted time far ahead of at for one that no other shows.
func (o *order) retract(at int64) {
	if o.lastEvent != NoTime && o.lastEvent-at > leapMin {
		o.lastAhead, o.lastEvent, o.lead = o.lastEvent, NoTime, 0
	}
}
