package engine

import (
	"fmt"
	"maps"
)

// detectClockSkew judges ticks ahead of the clock.
func detectClockSkew(p *Partition, s *symbol, t *Tick) {
	if p.early == NoTime || t.EventTime-p.early <= int64(p.limits.ClockSkewTolerance) {
		return
	}
	ahead := t.EventTime - p.late
	if p.fresh {
		p.both(func(c *Counts) { c.Ahead++ })
	}
	p.fault(ClockSkew, t, "", s.name, ShowBytes(s.name), ahead)
}

func describeClockSkew(p *Partition, e *Episode, f *Finding) {
	f.Observed, f.Threshold, f.Unit = millis(e.Worst), millis(int64(p.limits.ClockSkewTolerance)), "ms"
	f.Cause = fmt.Sprintf("%s on %s/%d ahead of the clock, by %s at worst (symbol %s at offset %d): the clock of their producer or venue is ahead%s",
		plural(e.Count, "tick"), p.topic, p.id, showDuration(e.Worst), e.Symbol, e.WorstOffset, skewHint(e.Worst))
	f.Evidence["worst_ns"] = e.Worst
	f.Evidence["least_ns"] = e.Least
	f.Evidence["constant"] = e.Count > 1 && e.Worst-e.Least <= max(50*recordTick, e.Worst/20)
	f.Evidence["symbols"] = maps.Clone(e.Tally)
	f.Evidence["other_symbols"] = e.Beyond
	if h := skewHint(e.Worst); h != "" {
		f.Evidence["hint"] = h[2:]
	}
}

// skewHint names a known constant that the offset equals within 2 s: TAI is
// 37 s ahead of UTC since 2017 (BIPM, IERS Bulletin C 52); zones are whole
// hours.
func skewHint(ns int64) string {
	const near, hour = 2 * second, 3600 * second
	if d := ns - 37*second; -near < d && d < near {
		return ", as a host on TAI instead of UTC is (37 s)"
	}
	if h := floor(ns+near, hour); h >= hour && h <= 14*hour && ns-h < near && h-ns < near {
		return fmt.Sprintf(", as local time taken for UTC is (%d h)", h/hour)
	}
	return ""
}
