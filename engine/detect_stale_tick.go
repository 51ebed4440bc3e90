package engine

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// The kinds of STALE_TICK.
const (
	kindOld    = "OLD_TICK"
	kindSilent = "SILENT"
)

// detectOldTick judges the age of a tick when it was seen.
func detectOldTick(p *Partition, s *symbol, t *Tick) {
	budget := int64(p.limits.MaxTickAge)
	if budget == 0 || t.Origin != nil || p.late == NoTime {
		return
	}
	if age := p.late - t.EventTime; age > budget {
		if p.fresh {
			p.both(func(c *Counts) { c.Old++ })
		}
		p.fault(StaleTick, t, kindOld, s.name, ShowBytes(s.name), age)
	}
}

// sweepSilence opens a silence for each symbol that has not ticked for
// longer than the budget at time at. It looks at all symbols only when one of
// them can have become silent since the last look.
func (p *Partition) sweepSilence(at int64) {
	budget := int64(p.limits.MaxSymbolSilence)
	if budget == 0 || at <= p.nextSilence {
		return
	}
	next := at + budget
	var over []int32
	for i, s := range p.symbols {
		if s.lastSeen == NoTime || p.silences[int32(i)] != nil {
			continue
		}
		since := s.lastSeen
		if p.progress.live {
			since = max(since, p.progress.since)
		}
		if at-since > budget {
			over = append(over, int32(i))
		} else {
			next = min(next, since+budget)
		}
	}
	p.nextSilence = next
	slices.SortFunc(over, func(a, b int32) int {
		return cmp.Compare(p.symbols[a].through, p.symbols[b].through)
	})
	for _, i := range over {
		p.openSilence(i, p.symbols[i], at)
	}
}

func (p *Partition) openSilence(i int32, s *symbol, at int64) {
	e := &Episode{
		Code: StaleTick, Kind: kindSilent, Symbol: s.name, FirstOffset: s.through, LastOffset: s.through,
		FirstTime: s.lastSeen, LastTime: s.lastSeen, Count: 1, Worst: at - s.lastSeen, Step: at, Told: at,
	}
	p.silences[i] = e
	p.markDirty(i)
	p.tell(p.episodeFinding(e, Opened))
}

// endSilence ends a symbol's silence by its next tick.
func (p *Partition) endSilence(i int32, e *Episode, t *Tick) {
	delete(p.silences, i)
	e.Worst = max(e.Worst, p.symbols[i].lastSeen-e.FirstTime)
	e.LastOffset, e.LastTime = t.Offset, p.recordTime(t)
	p.tell(p.episodeFinding(e, Resolved))
}

func describeStaleTick(p *Partition, e *Episode, f *Finding) {
	f.Observed, f.Unit = millis(e.Worst), "ms"
	if e.Kind == kindSilent {
		silent := e.Worst
		if f.State == Updated && p.row.Watermark != NoTime {
			silent = max(silent, p.row.Watermark-e.FirstTime) // it goes on
		}
		f.Observed = millis(silent)
		f.Threshold = millis(int64(p.limits.MaxSymbolSilence))
		f.Cause = fmt.Sprintf("symbol %s on %s/%d is silent: its last tick is at offset %d, and %s passed without one",
			ShowBytes(e.Symbol), p.topic, p.id, e.FirstOffset, showDuration(silent))
		f.Action = "Check the feed's subscription of this symbol and whether it still trades; other symbols of the partition tell whether the feed itself is up."
		f.Evidence["silent_ns"] = silent
		return
	}
	f.Threshold = millis(int64(p.limits.MaxTickAge))
	f.Cause = fmt.Sprintf("%s on %s/%d older than the budget when seen, by %s at worst (symbol %s at offset %d)",
		plural(e.Count, "tick"), p.topic, p.id, showDuration(e.Worst), e.Symbol, e.WorstOffset)
	f.Action = "Look for delay between the venue and the topic: the producer's queue, its host's clock, the network."
	f.Evidence["worst_ns"] = e.Worst
	f.Evidence["symbols"] = maps.Clone(e.Tally)
	f.Evidence["other_symbols"] = e.Beyond
}
