package engine

import "fmt"

// detectClockSkew judges ticks ahead of the clock. The partition keeps the
// episode; the topic tells of it, once for all partitions.
func detectClockSkew(p *Partition, s *symbol, t *Tick) {
	if p.early == NoTime || t.EventTime-p.early <= int64(p.limits.ClockSkewTolerance) {
		p.onTime(ClockSkew, t)
		return
	}
	ahead := t.EventTime - p.late
	if p.fresh {
		p.both(func(c *Counts) { c.Ahead++ })
	}
	p.fault(ClockSkew, t, "", s.name, ShowBytes(s.name), ahead)
	p.skewed(t, ahead)
}

// Clocks that are off by a constant. TAI is 37 s ahead of UTC since 2017 and
// GPS 18 s (BIPM, IERS Bulletin C 52), TAI 19 s ahead of GPS; terrestrial time
// is 32.184 s ahead of TAI.
var skewConstants = []struct {
	ns, near int64
	hint     string
}{
	{37 * second, 2 * second, "a host on TAI instead of UTC is (37 s)"},
	{18 * second, second / 2, "GPS time taken for UTC is (18 s)"},
	{19 * second, second / 2, "TAI taken for GPS time is (19 s)"},
	{69_184_000_000, second, "terrestrial time taken for UTC is (69.184 s)"},
}

// skewHint names a known constant that the offset is close to: time scales,
// and zones, which are whole hours or half ones.
func skewHint(ns int64) string {
	const near, half, hour = 2 * second, 1800 * second, 3600 * second
	for _, c := range skewConstants {
		if d := ns - c.ns; -c.near < d && d < c.near {
			return ", as " + c.hint
		}
	}
	h := floor(ns+near, half)
	switch {
	case h < hour || h > 14*hour || ns-h >= near || h-ns >= near:
		return ""
	case h%hour == 0:
		return fmt.Sprintf(", as local time taken for UTC is (%d h)", h/hour)
	}
	return fmt.Sprintf(", as local time taken for UTC is (%.1f h)", float64(h)/float64(hour))
}
