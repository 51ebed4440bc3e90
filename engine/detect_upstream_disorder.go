package engine

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// detectUpstreamDisorder judges whether a symbol's event time went back. A tick
// that is judged by its record's time has none.
func detectUpstreamDisorder(p *Partition, s *symbol, t *Tick) {
	if t.Origin != nil {
		return
	}
	if p.limits.feeds() {
		p.judgeStream(s, t)
		return
	}
	if t.Unit == UnitRecord {
		return
	}
	if back := p.behindIn(&s.order, t); back > 0 {
		p.lateTick(s, t, back, false)
	}
}

// behindIn is by how much the tick lies behind the others of an order. Where the
// record's time is far off from those before it, the tick alone cannot say which
// of them is wrong: one that is behind is none to judge by, and with one that is
// ahead, and may be right, a tick that is as well waits for the next record.
func (p *Partition) behindIn(o *order, t *Tick) int64 {
	record, clock := t.RecordTime, p.early
	switch {
	case p.leaping && t.EventTime-p.held > aheadJitter:
		return 0
	case p.held != NoTime && t.EventTime-p.held > aheadMin:
		record, clock = NoTime, p.held // not by leads, which differ within a burst that was read at once
	case p.held != NoTime:
		record = p.held
	case record != NoTime && p.mark-record > leapMin && t.EventTime-record > leapMin:
		if t.EventTime-p.mark > aheadMin {
			return 0
		}
		record, clock = NoTime, NoTime
	}
	return o.take(t.EventTime, record, clock, int64(p.limits.ClockSkewTolerance))
}

// lateTick judges a tick that lies behind by back; numbered says that its sequence
// number shows it as well.
func (p *Partition) lateTick(s *symbol, t *Tick, back int64, numbered bool) {
	l := p.limits
	switch {
	case !numbered && p.coarse(t, back):
	case back <= int64(l.LateTolerance) && (len(l.LateVenues) == 0 || l.reportsLate(t.Venue)):
		if p.fresh {
			p.both(func(c *Counts) { c.LateReports++ })
		}
	case p.backfilled(s, t, back):
	default:
		p.outOfOrder(s, t, back, numbered)
	}
}

// outOfOrder counts a tick that is out of order and notes it in its symbol's
// episode. back is 0 when only its sequence number shows it.
func (p *Partition) outOfOrder(s *symbol, t *Tick, back int64, numbered bool) {
	if s.disorder == 0 && p.fresh {
		p.row.Disordered++
	}
	s.disorder++
	p.unrank(p.current) // an earlier detector may have told, and so ranked
	if p.fresh {
		p.both(func(c *Counts) { c.Disorder++ })
	}
	at, mark := p.recordTime(t), p.mark
	d := p.disorders[p.current]
	if d != nil && mark-d.Step > episodeQuiet {
		p.endDisorder(p.current, d)
		d = nil
	}
	opened := d == nil
	if opened {
		d = &DisorderRow{FirstOffset: t.Offset, FirstTime: at, Told: mark, WorstOffset: t.Offset}
		p.disorders[p.current] = d
	}
	d.Count++
	d.LastOffset, d.LastTime, d.Step = t.Offset, at, mark
	if back > d.Worst {
		d.Worst, d.WorstOffset = back, t.Offset
	}
	if numbered {
		d.Numbered++
	}
	if p.limits.OrderByVenue {
		tallyIn(&d.Venues, ShowBytes(string(t.Venue)), p.limits.SpellingsPerEvidence, 1)
	}
	switch {
	case opened:
		p.tell(p.disorderFinding(s, d, Opened))
	case mark-d.Told >= updateEvery:
		d.Told = mark
		p.tell(p.disorderFinding(s, d, Updated))
	}
}

// endDisorders resolves the episodes that were quiet up to time at, in the
// order of their offsets.
func (p *Partition) endDisorders(at, quiet int64) {
	var over []int32
	for i, d := range p.disorders {
		if at-d.Step > quiet {
			over = append(over, i)
		}
	}
	slices.SortFunc(over, func(a, b int32) int {
		return cmp.Compare(p.disorders[a].FirstOffset, p.disorders[b].FirstOffset)
	})
	for _, i := range over {
		p.endDisorder(i, p.disorders[i])
	}
}

func (p *Partition) endDisorder(i int32, d *DisorderRow) {
	delete(p.disorders, i)
	s := p.symbols[i]
	p.markDirty(i)
	p.tell(p.disorderFinding(s, d, Resolved))
}

func (p *Partition) disorderFinding(s *symbol, d *DisorderRow, state State) Finding {
	id := p.id
	f := Finding{
		ID:   findingID(p.topic, UpstreamDisorder, "symbol/"+p.idText+"/"+s.name+p.life(), d.FirstOffset),
		Code: UpstreamDisorder, State: state, Severity: Warning, Topic: p.topic, Partition: &id,
		Symbol: ShowBytes(s.name), FirstOffset: d.FirstOffset, LastOffset: d.LastOffset,
		FirstTime: Time(d.FirstTime), LastTime: Time(d.LastTime), Count: d.Count,
		Observed: millis(d.Worst), Threshold: 0, Unit: "ms",
		Cause: fmt.Sprintf("event time of %s on %s/%d went back %s, by %s at worst (offset %d): the ticks were out of order when they were written",
			ShowBytes(s.name), p.topic, p.id, plural(d.Count, "time"), showDuration(d.Worst), d.WorstOffset),
		Action: UpstreamDisorder.Info().Action,
		Evidence: map[string]any{
			"worst_step_ns": d.Worst, "worst_offset": d.WorstOffset, "judged_by": "symbol",
			"symbol_ticks": s.count, "symbol_disorder": s.disorder,
			"share": float64(s.disorder) / float64(s.count),
		},
	}
	if p.limits.OrderByVenue {
		f.Evidence["judged_by"], f.Evidence["venues"] = "symbol and venue", maps.Clone(d.Venues)
	}
	if p.limits.Sequences {
		f.Evidence["by_sequence"] = d.Numbered
	}
	if d.Numbered > 0 && d.Worst == 0 {
		f.Cause = fmt.Sprintf("sequence numbers of %s on %s/%d came after greater ones %s, first at offset %d: the ticks were out of order when they were written",
			ShowBytes(s.name), p.topic, p.id, plural(d.Count, "time"), d.FirstOffset)
	}
	if d.Into != "" {
		f.Evidence["resolved_into"] = d.Into
		f.Cause += "; they began a BACKFILL"
	}
	return f
}
