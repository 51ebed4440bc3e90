package engine

import "slices"

// pulseRow is the durable form of a symbol's pulse, nil where none is kept.
func (p *Partition) pulseRow(i int32) *PulseRow {
	if int(i) >= len(p.pulses) {
		return nil
	}
	u := &p.pulses[i]
	r := &PulseRow{
		Halted: u.halted, Ended: u.ended, Frozen: p.frozen[i] != nil, Content: u.content, Same: u.same, From: u.from,
		Since: u.since, Event: u.event, Ticked: NoTime, Changed: NoTime, Gaps: u.gaps.row(), Changes: u.changes.row(),
	}
	if u.haveTimes {
		r.Ticked, r.Changed = u.ticked, u.changed
	}
	return r
}

// restorePulse takes a symbol's pulse from its row, and its frozen content.
func (p *Partition) restorePulse(i int32, r *SymbolRow) {
	delete(p.frozen, i)
	if r.Pulse == nil || !p.limits.judgesSilence() {
		return
	}
	u, from := p.pulseOf(i), r.Pulse
	*u = pulse{
		hours: u.hours, halted: from.Halted, ended: from.Ended, content: from.Content, same: from.Same, from: from.From,
		since: from.Since, event: from.Event, haveTimes: from.Ticked != NoTime,
	}
	if u.haveTimes {
		u.ticked, u.changed = from.Ticked, from.Changed
	}
	copy(u.gaps[:], from.Gaps)
	copy(u.changes[:], from.Changes)
	if from.Frozen {
		p.frozen[i] = &Episode{
			Code: StaleTick, Kind: kindFrozen, Symbol: r.Symbol, FirstOffset: u.from, LastOffset: r.Through,
			FirstTime: u.since, LastTime: r.LastSeen, Count: u.same, Worst: u.open(u.since, r.LastSeen), Least: p.frozenBudget(u),
		}
	}
}

// row is the pace without the bins behind the last that is not empty.
func (c *pace) row() []uint16 {
	n := len(c)
	for n > 0 && c[n-1] == 0 {
		n--
	}
	if n == 0 {
		return nil
	}
	return slices.Clone(c[:n])
}
