package engine

import (
	"cmp"
	"fmt"
	"slices"
)

// detectUpstreamDisorder judges whether a symbol's event time went back. A tick
// that is judged by its record's time has none.
func detectUpstreamDisorder(p *Partition, s *symbol, t *Tick) {
	if t.Origin != nil || t.Unit == UnitRecord {
		return
	}
	back := s.take(t.EventTime, t.RecordTime, p.early, int64(p.limits.ClockSkewTolerance))
	if back == 0 {
		return
	}
	if s.disorder == 0 && p.fresh {
		p.row.Disordered++
	}
	s.disorder++
	p.unrank(p.current) // an earlier detector may have told, and so ranked
	if p.fresh {
		p.both(func(c *Counts) { c.Disorder++ })
	}
	p.disordered(s, t, back)
}

// disordered notes a step back in the symbol's episode.
func (p *Partition) disordered(s *symbol, t *Tick, step int64) {
	at, mark := p.recordTime(t), p.mark
	d := p.disorders[p.current]
	if d != nil && mark-d.Step > episodeQuiet {
		p.endDisorder(p.current, d)
		d = nil
	}
	opened := d == nil
	if opened {
		d = &DisorderRow{FirstOffset: t.Offset, FirstTime: at, Told: mark}
		p.disorders[p.current] = d
	}
	d.Count++
	d.LastOffset, d.LastTime, d.Step = t.Offset, at, mark
	if step > d.Worst {
		d.Worst, d.WorstOffset = step, t.Offset
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
	return Finding{
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
}
