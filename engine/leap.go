package engine

import "slices"

// leapMin is how far ahead of the partition's time a record time must be not
// to be believed by itself while no wall clock can tell. Brokers take none that
// is further ahead of theirs, unless configured otherwise
// (message.timestamp.after.max.ms, KIP-937).
const leapMin = 3600 * second

// believed is the time to which a record moves a partition that is not live. A
// leap far ahead is a pause, or a wrong record time, which would hold up all
// windows and episodes after it. The next record tells: when it is as far
// ahead, it was a pause. The partition's first record is believed until the
// second contradicts it.
func (p *Partition) believed(at int64) int64 {
	mark := p.row.Watermark
	switch {
	case at == NoTime:
		return at
	case mark == NoTime:
		if p.fresh {
			p.row.Leap = at
		}
		return at
	case at-mark > leapMin:
		return p.leapt(at)
	case p.fresh && p.row.Leap == mark && mark-at > leapMin:
		p.retract(at)
	case p.fresh:
		p.row.Leap = 0
	}
	return at
}

// leapt is believed for a record far ahead.
func (p *Partition) leapt(at int64) int64 {
	mark := p.row.Watermark
	if !p.fresh {
		return mark // it was not believed when it was read first
	}
	if p.row.Leap <= mark || at < p.row.Leap-leapMin {
		p.row.Leap = at
		return mark
	}
	if p.row.FirstTime == mark && at-mark > endedAfter {
		p.row.FirstTime = min(at, p.row.Leap) // the first record alone was so far behind
	}
	p.row.Leap = 0
	return at
}

// future is believed, while the audit catches up, for a record that the wall
// clock shows to be far in the future: two in a row move the partition to the
// clock, as does its first record until the second contradicts it.
func (p *Partition) future() int64 {
	switch mark := p.row.Watermark; {
	case mark >= p.wall:
		return p.wall
	case mark != NoTime:
		return p.leapt(p.wall)
	}
	if p.fresh {
		p.row.Leap = p.wall
	}
	return p.wall
}

// itemTime is believed for a further tick of a record that has no time: all of
// them have one source, so none of them shows that another is right.
func (p *Partition) itemTime(at int64) int64 {
	if mark := p.row.Watermark; mark != NoTime && at-mark > leapMin {
		return mark
	}
	return at
}

// retract sets back a partition whose first record alone has moved it, to the
// second record's time, which lies far behind. The first one's is then a leap
// that the third record may show to be right.
func (p *Partition) retract(at int64) {
	r := &p.row
	r.Leap, r.Watermark, r.FirstTime, r.SweptTo = r.Watermark, at, at, NoTime
	r.MaxAge, r.Window.MaxAge, p.nextSilence = NoTime, NoTime, NoTime
	r.Began = min(r.Began, at)
	if start := floor(at, int64(p.limits.ReportInterval)); r.ClosedTo == NoTime && r.Window.Start > start {
		r.Window.Start = start
	}
	for _, e := range p.episodes {
		e.Step, e.Told = min(e.Step, at), min(e.Told, at)
	}
	for i, s := range p.symbols {
		s.retract(at)
		for _, st := range p.streams[int32(i)] {
			st.retract(at)
		}
		p.markDirty(int32(i))
		if s.lastSeen <= at {
			continue
		}
		s.lastSeen = at
		if i < len(p.pulses) {
			u := &p.pulses[i]
			u.since, u.haveTimes = min(u.since, at), false
		}
	}
}

// Reached is the time to which the partitions of a history have come, NoTime
// before their first record: the greatest record time that a second record
// shows, of the same partition or of another. One that is alone, and that no
// later record contradicts, counts while it is within a week of another, so that
// a pause before the last record is one. Of single records far apart the
// greatest is left out.
func Reached(all []*Partition) int64 {
	sure := int64(NoTime)
	var alone []int64
	for _, p := range all {
		mark, leap := p.row.Watermark, p.row.Leap
		switch {
		case mark == NoTime:
			continue
		case leap != mark:
			sure = max(sure, mark)
		}
		if leap >= mark && leap != 0 {
			alone = append(alone, leap)
		}
	}
	slices.Sort(alone)
	slices.Reverse(alone)
	for i, at := range alone {
		if sure != NoTime && at-sure < endedAfter || i+1 < len(alone) && at-alone[i+1] < endedAfter {
			return max(sure, at)
		}
	}
	if sure == NoTime && len(alone) > 0 {
		return alone[min(1, len(alone)-1)]
	}
	return sure
}

// sure is how far a partition without record times has come for certain: a
// single tick that is far ahead makes no history of those after it.
func (p *Partition) sure() *int64 {
	if p.fresh {
		return &p.row.Sure
	}
	return &p.rereadSure
}

// assure takes the time of a record that has none but its tick's, before it
// moves the partition: a step beyond backfillBehind is sure when another
// record shows it too.
func (p *Partition) assure(at int64) {
	mark, sure := p.row.Watermark, p.sure()
	if !p.fresh {
		mark = p.reread
	}
	switch {
	case at == NoTime:
	case mark == NoTime:
		*sure = at
	case at >= mark-backfillBehind:
		*sure = max(*sure, min(at, mark))
	case at-*sure <= backfillBehind:
		*sure = max(*sure, at)
	}
}
