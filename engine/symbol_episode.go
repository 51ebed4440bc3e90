package engine

import (
	"cmp"
	"maps"
	"slices"
)

// symbolEpisodes are the open episodes of one code, by symbol. A symbol's row
// carries its own.
type symbolEpisodes map[int32]*Episode

// ofSymbol reports whether the episode is about one symbol, whose exact name
// it then has.
func (e *Episode) ofSymbol() bool {
	return e.Kind == kindSilent || e.Kind == kindFrozen || e.Code == SequenceGap || e.Code == Backfill
}

// current is the open episode of the tick's symbol; one whose time is over is
// ended first.
func (p *Partition) currentEpisode(of symbolEpisodes) *Episode {
	e := of[p.current]
	if e != nil && p.mark-e.Step > episodeQuiet {
		p.endSymbolEpisode(of, p.current)
		return nil
	}
	return e
}

// symbolFault notes the tick in its symbol's episode, which is opened when it
// is not among those that are open, and tells of it.
func (p *Partition) symbolFault(of symbolEpisodes, e *Episode, t *Tick) {
	e.LastOffset, e.LastTime, e.Step = t.Offset, p.recordTime(t), p.mark
	switch {
	case of[p.current] != e:
		of[p.current] = e
		e.Told = p.mark
		p.tell(p.episodeFinding(e, Opened))
	case p.mark-e.Told >= updateEvery:
		e.Told = p.mark
		p.tell(p.episodeFinding(e, Updated))
	}
}

func (p *Partition) endSymbolEpisode(of symbolEpisodes, i int32) {
	e := of[i]
	delete(of, i)
	p.markDirty(i)
	p.tell(p.episodeFinding(e, Resolved))
}

// endSymbolEpisodes resolves those that were quiet up to time at, in the order
// of their offsets.
func (p *Partition) endSymbolEpisodes(of symbolEpisodes, at, quiet int64) {
	if len(of) == 0 {
		return
	}
	var over []int32
	for i, e := range of {
		if at-e.Step > quiet {
			over = append(over, i)
		}
	}
	slices.SortFunc(over, func(a, b int32) int { return cmp.Compare(of[a].FirstOffset, of[b].FirstOffset) })
	for _, i := range over {
		p.endSymbolEpisode(of, i)
	}
}

// endQuietSymbols resolves what is open about single symbols and was quiet up
// to time at.
func (p *Partition) endQuietSymbols(at, quiet int64) {
	p.endDisorders(at, quiet)
	p.endSymbolEpisodes(p.backfills, at, quiet)
	p.endSymbolEpisodes(p.gaps, at, quiet)
	for i, r := range p.runs {
		if at-r.Mark > quiet {
			delete(p.runs, i)
			p.markDirty(i)
		}
	}
}

// feedRow fills a symbol's row with what is kept of it beside its order.
func (p *Partition) feedRow(r *SymbolRow, i int32) {
	if u := p.symbols[i].unit; u != p.row.Unit {
		r.Unit = u
	}
	r.Streams = p.streamRows(i)
	if run := p.runs[i]; run != nil {
		c := *run
		r.Run = &c
	}
	r.Backfill, r.Gap = p.backfills[i].copied(), p.gaps[i].copied()
}

// restoreFeed takes it back.
func (p *Partition) restoreFeed(i int32, s *symbol, r *SymbolRow) {
	s.unit = r.Unit
	p.forgetFeed(i)
	p.restoreStreams(i, r.Streams)
	if r.Run != nil {
		c := *r.Run
		p.runs[i] = &c
	}
	if r.Backfill != nil {
		p.backfills[i] = r.Backfill.copied()
		p.backfills[i].Symbol = s.name // no form of a row changes it
	}
	if r.Gap != nil {
		p.gaps[i] = r.Gap.copied()
		p.gaps[i].Symbol = s.name
	}
}

// forgetFeed drops what is kept of a symbol beside its order.
func (p *Partition) forgetFeed(i int32) {
	delete(p.streams, i)
	delete(p.runs, i)
	delete(p.backfills, i)
	delete(p.gaps, i)
}

// copied is the episode with tallies of its own; nil of nil.
func (e *Episode) copied() *Episode {
	if e == nil {
		return nil
	}
	c := e.clone()
	return &c
}

// clone is the episode with tallies of its own.
func (e *Episode) clone() Episode {
	c := *e
	c.Tally, c.Also = maps.Clone(e.Tally), maps.Clone(e.Also)
	if e.Skew != nil {
		c.Skew = e.Skew.clone()
	}
	return c
}

// copied is the episode with a tally of its own.
func (d *DisorderRow) copied() *DisorderRow {
	c := *d
	c.Venues = maps.Clone(d.Venues)
	return &c
}
