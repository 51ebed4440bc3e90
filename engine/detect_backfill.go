package engine

import "fmt"

// RunRow is a run of old ticks of one symbol behind live ones, ascending among
// themselves: a backfill, once there are enough of them.
type RunRow struct {
	Anchor      int64 `json:"anchor"` // the symbol's last accepted event time when it began
	FirstEvent  int64 `json:"first_event"`
	LastEvent   int64 `json:"last_event"`
	FirstOffset int64 `json:"first_offset"`
	FirstTime   int64 `json:"first_time"` // record time
	FirstMark   int64 `json:"first_mark"` // the partition's record time at the first of them
	Mark        int64 `json:"mark"`       // the same at the last
	Count       int64 `json:"count"`
	Told        bool  `json:"told,omitempty"` // it is part of the symbol's BACKFILL
}

// backfillBehind is how far behind both the symbol's last tick and the
// partition's time a tick must lie to begin a backfill: feeds that are merged
// go back by less again and again.
const backfillBehind = second

// backfilled notes a tick that lies behind by back in its symbol's run, and
// reports whether it is part of a backfill. Live ticks between do not end a
// run; a tick that lies in front of its last one, or no longer behind the
// live ones that it began behind, begins another.
func (p *Partition) backfilled(s *symbol, t *Tick, back int64) bool {
	if p.limits.BackfillMin <= 0 {
		return false
	}
	r := p.runs[p.current]
	mark := p.mark
	if t.RecordTime == NoTime {
		mark = *p.sure()
	}
	old := back > backfillBehind && mark-t.EventTime > backfillBehind
	goesOn := r != nil && p.mark-r.Mark <= episodeQuiet && t.EventTime >= r.LastEvent && t.EventTime < r.Anchor && (old || r.Told)
	switch {
	case goesOn:
	case old:
		r = &RunRow{
			Anchor: t.EventTime + back, FirstEvent: t.EventTime, FirstOffset: t.Offset,
			FirstTime: p.recordTime(t), FirstMark: p.mark,
		}
		p.runs[p.current] = r
	default:
		return false
	}
	r.Count++
	r.LastEvent, r.Mark = t.EventTime, p.mark
	if !r.Told && (r.Count < p.limits.BackfillMin || !r.fast()) {
		return false
	}
	p.backfill(s, t, r)
	return true
}

// fast reports whether the run's event times pass faster than the
// partition's: otherwise it is a feed that is live, and whose clock was set
// back.
func (r *RunRow) fast() bool {
	return r.Mark == r.FirstMark || (r.LastEvent-r.FirstEvent)/2 > r.Mark-r.FirstMark
}

// backfill notes a tick in the symbol's BACKFILL. A disorder that the run's
// first ticks have opened resolves into it.
func (p *Partition) backfill(s *symbol, t *Tick, r *RunRow) {
	p.passive = true
	if p.fresh {
		p.both(func(c *Counts) { c.Backfilled++ })
	}
	e := p.currentEpisode(p.backfills)
	if e == nil {
		e = &Episode{
			Code: Backfill, Symbol: s.name, FirstOffset: r.FirstOffset, FirstTime: r.FirstTime, WorstOffset: r.FirstOffset,
			Worst: r.Anchor - r.FirstEvent, Least: r.FirstEvent,
		}
	}
	if r.Told {
		e.Count++
	} else {
		r.Told = true
		e.Count += r.Count
		e.Least = min(e.Least, r.FirstEvent)
	}
	if back := r.Anchor - r.FirstEvent; back > e.Worst {
		e.Worst, e.WorstOffset = back, r.FirstOffset
	}
	e.Beyond = max(e.Beyond, t.EventTime)
	p.symbolFault(p.backfills, e, t)
	if d := p.disorders[p.current]; d != nil && d.FirstOffset >= r.FirstOffset {
		d.Into = findingID(p.topic, Backfill, p.subject(e), e.FirstOffset)
		p.endDisorder(p.current, d)
	}
}

func describeBackfill(p *Partition, e *Episode, f *Finding) {
	f.Observed, f.Threshold, f.Unit = float64(e.Count), float64(p.limits.BackfillMin), "records"
	f.Cause = fmt.Sprintf("%s of %s on %s/%d, offsets %d to %d, lie up to %s behind ticks that came before them and ascend among themselves: history was written behind live ticks",
		plural(e.Count, "tick"), ShowBytes(e.Symbol), p.topic, p.id, e.FirstOffset, e.LastOffset, showDuration(e.Worst))
	f.Evidence["event_from"], f.Evidence["event_to"] = Time(e.Least).text(), Time(e.Beyond).text()
	f.Evidence["worst_step_ns"] = e.Worst
}
