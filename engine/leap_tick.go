package engine

// LeapTick is a tick whose record and event time lie more than an hour ahead of
// its partition's time, or are its first, until others show whether they are
// right: a record as far ahead shows a pause, two that are not show that the
// tick is ahead of the clock. That rests on the log alone, so that every reading
// of it finds the same.
type LeapTick struct {
	Symbol  string `json:"symbol,omitempty"` // escaped; empty: there is none
	Offset  int64  `json:"offset,omitempty"`
	Event   int64  `json:"event,omitempty"`
	Record  int64  `json:"record,omitempty"`
	Mark    int64  `json:"mark,omitempty"` // the partition's time without it, NoTime: not known yet
	Against int    `json:"against,omitempty"`
}

// leapAgainst is how many records show that one ahead of them is wrong. One may
// be late itself.
const leapAgainst = 2

// weighLeap holds a fresh record against the tick that waits, before the record
// moves the partition to the time that is believed.
func (p *Partition) weighLeap(t *Tick, now, believed int64) {
	if t.RecordTime == NoTime || p.limits.Now != NoTime {
		return
	}
	k := &p.row.LeapTick
	if k.Symbol != "" {
		if t.RecordTime < k.Record-leapMin {
			k.oppose(t.RecordTime)
			if k.Against == leapAgainst {
				p.tellLeap(*k)
				*k = LeapTick{}
			}
			return
		}
		*k = LeapTick{}
	}
	first := p.row.Watermark == NoTime
	shown := now != NoTime || p.byWall || t.EventTime-t.RecordTime-recordTick > int64(p.limits.ClockSkewTolerance)
	if t.Kind == Good && !shown && (first || p.leaping && t.EventTime-believed > leapMin) {
		*k = LeapTick{Symbol: ShowBytes(string(t.Symbol)), Offset: t.Offset, Event: t.EventTime, Record: t.RecordTime, Mark: NoTime}
		if !first {
			k.Mark = believed
		}
	}
}

func (k *LeapTick) oppose(record int64) {
	if k.Mark == NoTime {
		k.Mark = record
	}
	k.Against++
}

// tellLeap judges the tick by the time of those around it.
func (p *Partition) tellLeap(k LeapTick) {
	ahead := k.Event - k.Mark
	if ahead <= max(leapMin, int64(p.limits.ClockSkewTolerance)) {
		return
	}
	t := &Tick{Offset: k.Offset, RecordTime: k.Mark, EventTime: k.Event}
	p.both(func(c *Counts) { c.Ahead++ })
	p.fault(ClockSkew, t, "", k.Symbol, k.Symbol, ahead)
	if e := p.episodes[ClockSkew]; e != nil {
		p.offBy(e, t, ahead, "other_records")
	}
}
