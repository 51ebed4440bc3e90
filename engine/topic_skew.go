package engine

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// besides is about how many ticks other partitions had meanwhile, by their rates:
// a skew that leaves them out is not of all that is read.
func (t *Topic) besides(places []int32, from, to int64) int64 {
	var ticks int64
	for id, p := range t.parts {
		first, last := p.Stats.FirstTime, p.Stats.Watermark
		if slices.Contains(places, id) || first == NoTime || first > to || last < from {
			continue
		}
		overlap := float64(min(last, to)-max(first, from)+second) / float64(last-first+second)
		ticks += int64(math.Ceil(overlap * float64(p.Stats.Counts.timed())))
	}
	return ticks
}

// describeSkew fills the finding.
func (t *Topic) describeSkew(f *Finding, all *SkewPart, places []int32) {
	f.Partition, f.FirstOffset, f.LastOffset = nil, -1, -1
	where := fmt.Sprintf("%d partitions of %s", len(places), t.name)
	if len(places) == 1 {
		id := places[0]
		f.Partition, f.FirstOffset, f.LastOffset = &id, all.FirstOffset, all.LastOffset
		where = fmt.Sprintf("%s/%d", t.name, id)
	}
	f.Symbol, f.Count = all.Symbol, max(f.Count, all.Count)
	f.FirstTime, f.LastTime = Time(all.FirstTime), Time(all.LastTime)
	f.Observed, f.Threshold, f.Unit = millis(all.Worst), millis(int64(t.limits.ClockSkewTolerance)), "ms"
	size := all.median()
	constant := all.constant(size)
	slope, drifting := all.drift()
	who, why := t.attribute(all)
	e := f.Evidence
	e["worst_ns"], e["least_ns"], e["median_ns"] = all.Worst, all.Least, size
	e["constant"], e["drifting"] = constant && !drifting, drifting
	if all.Count < sureTicks && !drifting {
		e["drifting"] = nil // not known yet
	}
	e["attributed_to"], e["partitions"] = who, places
	e["symbols"], e["other_symbols"] = mostOf(all.Tally, t.limits.SpellingsPerEvidence), all.Beyond
	e["judged_by"] = maps.Clone(all.Judged)
	e["share"] = float64(all.Count) / float64(max(all.Ticks, 1))
	for name, m := range map[string]map[string]int64{"producers": all.Producers, "venues": all.Venues} {
		if len(m) > 0 {
			e[name] = maps.Clone(m)
		}
	}
	form := "by " + showDuration(all.Worst)
	switch {
	case drifting:
		e["drift_ms_per_minute"] = slope * 60
		form = fmt.Sprintf("by %s at worst, drifting by %.3g ms a minute", showDuration(all.Worst), slope*60)
	case constant:
		form = fmt.Sprintf("by a constant %s", showDuration(size))
	case all.Count > 1:
		form = fmt.Sprintf("by %s at worst and %s in the middle", showDuration(all.Worst), showDuration(size))
	}
	hint := skewHint(size)
	if delete(e, "hint"); hint != "" {
		e["hint"] = hint[2:]
	}
	f.Cause = fmt.Sprintf("%s on %s ahead of the clock, %s (worst: symbol %s at offset %d): %s%s",
		plural(all.Count, "tick"), where, form, all.Symbol, all.WorstOffset, why, hint)
}

// rounded leaves out of an offset what its bin does not know.
func rounded(ns int64) int64 {
	if ns < 100e6 {
		return ns
	}
	return (ns + 500_000) / 1e6 * 1e6
}

// drift is the slope of the offsets in milliseconds a second, and whether they
// follow it rather than scatter.
func (s *SkewPart) drift() (slope float64, is bool) {
	slope, explained := s.Trend.slope()
	seconds := float64(s.LastTime-s.FirstTime) / 1e9
	grown := slope * seconds
	return slope, s.Count >= sureTicks && explained > 0.8 && (grown > 2 || grown < -2)
}

// attribute names the smallest thing that explains the skew, and says so.
func (t *Topic) attribute(all *SkewPart) (who, why string) {
	whole := all.Count >= 10 && float64(all.Count) >= 0.9*float64(all.Ticks)
	size := showDuration(rounded(min(max(all.quantile(0.5), all.Least), all.Worst)))
	switch {
	case all.Count == 1:
		return "symbol " + all.Symbol, "a single wrong tick, or the first of more"
	case all.Own*2 > all.Count && float64(all.Count) >= 0.9*float64(all.Ticks):
		return "the audit", "record times are ahead as well, so the audit's own clock is slow by about " + size
	case all.Own*2 > all.Count && t.limits.TimestampType == "LogAppendTime":
		return "the broker", "record times are ahead as well, and other records are not, so the clock of a broker, which stamps the records, is ahead"
	case whole && t.limits.Now != NoTime:
		return "the given clock", "every tick is ahead, so the clock that was given is slow by about " + size + ", or the feed's is ahead"
	case whole && all.Judged["wall_clock"]*2 > all.Count:
		return "the feed", "every tick is ahead of both the audit's clock and record times, so the feed's clock is ahead by about " + size
	case whole && t.limits.TimestampType == "LogAppendTime":
		return "the broker", "every tick is ahead, so the clock of the brokers, which stamp the records, is slow by about " + size + " throughout, or the feed's is ahead"
	case whole:
		return "the receiver", "every tick is ahead, so the clock of the receiver, which stamps the records, is slow by about " + size + " throughout, or the feed's is ahead"
	}
	venue, as := " or venue", ""
	if all.Own*2 > all.Count {
		venue, as = "", ": it has set the record times, which are ahead as well"
	}
	if single := all.single(); single != "" {
		return single, "the clock of " + single + " is ahead" + as
	}
	if len(all.Tally) == 1 && all.Beyond == 0 {
		return "symbol " + all.Symbol, "the clock of its producer" + venue + " is ahead" + as
	}
	names := slices.Sorted(maps.Keys(mostOf(all.Tally, t.limits.SpellingsPerEvidence)))
	return "symbols " + strings.Join(names, ", "), "the clock of the producer" + venue + " that these symbols have in common is ahead" + as
}

// mostOf are the names with most counts.
func mostOf(m map[string]int64, limit int) map[string]int64 {
	if len(m) <= limit {
		return maps.Clone(m)
	}
	loads := make([]SymbolLoad, 0, len(m))
	for n, c := range m {
		loads = append(loads, SymbolLoad{n, c})
	}
	sortLoads(loads)
	out := map[string]int64{}
	for _, l := range loads[:limit] {
		out[l.Symbol] = l.Count
	}
	return out
}
