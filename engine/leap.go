package engine

// leapMin is how far ahead of the partition's time a record time must be not
// to be believed by itself while no wall clock can tell. Brokers take none that
// is further ahead of theirs, unless configured otherwise
// (message.timestamp.after.max.ms, KIP-937).
const leapMin = 3600 * second

// believed is the time to which a record moves a partition that is not live. A
// leap far ahead is a pause, or a wrong record time, which would hold up all
// windows and episodes after it. The next record tells: when it is as far
// ahead, it was a pause.
func (p *Partition) believed(at int64) int64 {
	mark := p.row.Watermark
	if at == NoTime || mark == NoTime || at-mark <= leapMin {
		if p.fresh && at != NoTime {
			p.row.Leap = 0
		}
		return at
	}
	if !p.fresh {
		return mark // it was not believed when it was read first
	}
	if p.row.Leap == 0 || at < p.row.Leap-leapMin {
		p.row.Leap = at
		return mark
	}
	p.row.Leap = 0
	return at
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
