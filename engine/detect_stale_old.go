package engine

import (
	"fmt"
	"maps"
)

// detectOldTick judges the age of a tick when it was seen.
func detectOldTick(p *Partition, s *symbol, t *Tick) {
	budget := int64(p.limits.MaxTickAge)
	if budget == 0 || t.Origin != nil || p.late == NoTime {
		return
	}
	age := p.late - t.EventTime
	if !p.fresh {
		return
	}
	if age <= budget {
		p.row.Snapshots = nil
		p.onTime(StaleTick, t)
		return
	}
	p.both(func(c *Counts) { c.Old++ })
	if p.isSnapshot(s, t) {
		p.holdSnapshot(s, t, age)
	} else {
		p.tellSnapshots()
		p.fault(StaleTick, t, kindOld, s.name, ShowBytes(s.name), age)
		if e := p.episodes[StaleTick]; e != nil && e.Kind == kindOld {
			p.offBy(e, t, age, p.judgedBy())
		}
	}
}

func describeOld(p *Partition, e *Episode, f *Finding) {
	f.Threshold = millis(int64(p.limits.MaxTickAge))
	f.Cause = fmt.Sprintf("%s on %s/%d older than the budget when seen, by %s at worst (symbol %s at offset %d)",
		plural(e.Count, "tick"), p.topic, p.id, showDuration(e.Worst), e.Symbol, e.WorstOffset)
	f.Action = "Look for delay between the venue and the topic: the producer's queue, its host's clock, the network."
	f.Evidence["worst_ns"], f.Evidence["least_ns"] = e.Worst, e.Least
	f.Evidence["symbols"] = maps.Clone(e.Tally)
	f.Evidence["other_symbols"] = e.Beyond
	f.Evidence["judged_by"] = p.judgedBy()
	if e.Skew != nil {
		p.explainAge(e, f)
	}
}

// explainAge tells a clock that is off from delay: the former makes every tick
// old by the same, or by an amount that grows evenly. It needs some ticks to be
// told from chance.
func (p *Partition) explainAge(e *Episode, f *Finding) {
	part := p.skewPart(e, false)
	slope, drifting := part.drift()
	constant := part.Count >= sureTicks && part.constant(part.median())
	f.Evidence["median_ns"], f.Evidence["constant"], f.Evidence["drifting"] = part.median(), constant && !drifting, drifting
	for name, m := range map[string]map[string]int64{"producers": part.Producers, "venues": part.Venues} {
		if len(m) > 0 {
			f.Evidence[name] = maps.Clone(m)
		}
	}
	if !constant && !drifting {
		return
	}
	size, form := showDuration(part.median()), "a constant "
	if hint := skewHint(part.median()); hint != "" && !drifting {
		f.Evidence["hint"] = hint[2:]
		size += hint
	}
	if drifting {
		f.Evidence["drift_ms_per_minute"] = slope * 60
		form, size = "an age that drifts", fmt.Sprintf(" by %.3g ms a minute", slope*60)
	}
	who, why := p.attributeAge(&part)
	f.Evidence["attributed_to"] = who
	f.Cause += ": " + form + size + ", as a clock that is off makes rather than delay; " + why
	f.Action = "Compare the clocks of brokers, producers and venue (chronyc tracking, or ntpq -p) before looking for delay."
}

// sureTicks is how many ticks show that something holds for all.
const sureTicks = 10

// attributeAge names the smallest thing that explains ages that are off by a clock.
func (p *Partition) attributeAge(part *SkewPart) (who, why string) {
	whole := part.Count >= sureTicks && float64(part.Count) >= 0.9*float64(part.Ticks)
	switch single := part.single(); {
	case whole && part.Judged["wall_clock"]*2 > part.Count:
		return "the feed", "every tick is old by the audit's clock, so the feed's clock is behind, or the audit's ahead"
	case whole && p.limits.Now != NoTime:
		return "the given clock", "every tick is old by the clock that was given"
	case whole && p.limits.TimestampType == "LogAppendTime":
		return "the broker", "every tick is old by the time of its record, so the clock of the broker, which stamps the records, is ahead, or the feed's is behind"
	case whole:
		return "the receiver", "every tick is old by the time of its record, so the clock of the receiver, which stamps the records, is ahead, or the feed's is behind"
	case single != "":
		return single, "the ticks are those of " + single
	case len(part.Tally) == 1 && part.Beyond == 0:
		return "symbol " + part.Symbol, "the ticks are those of symbol " + part.Symbol
	}
	return "several symbols", "other ticks of the partition are not old"
}
