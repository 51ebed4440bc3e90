package codecs

import (
	"time"

	"github.com/auditstream/auditstream/engine"
)

// inZone is the instant, in seconds, of a wall clock's time in a zone, given
// as seconds as if the clock showed UTC. near is a time in nanoseconds that
// the instant should lie by, or engine.NoTime.
//
// A clock that is set back shows an hour twice: of its two readings the one
// nearer to the record's time is meant, and without that the first. An hour
// that a clock skips when it is set forward is a time that no clock of the
// zone has shown.
func inZone(wall int64, zone *time.Location, near int64) (int64, engine.Reason) {
	before, after := zoneOffset(wall-daySeconds, zone), zoneOffset(wall+daySeconds, zone)
	first, second := wall-before, wall-after
	firstIs, secondIs := zoneOffset(first, zone) == before, zoneOffset(second, zone) == after
	switch {
	case !firstIs && !secondIs:
		return 0, engine.ReasonTimeSkipped
	case !firstIs:
		return second, engine.ReasonNone
	case !secondIs || first == second || near == engine.NoTime:
		return first, engine.ReasonNone
	}
	if at := near / 1e9; absolute(at-second) < absolute(at-first) {
		return second, engine.ReasonNone
	}
	return first, engine.ReasonNone
}

// zoneOffset is how many seconds the zone is east of UTC at an instant.
func zoneOffset(seconds int64, zone *time.Location) int64 {
	_, offset := time.Unix(seconds, 0).In(zone).Zone()
	return int64(offset)
}

func absolute(n int64) int64 {
	if n < 0 {
		return -n
	}
	return n
}

// numberOfDay dates a time of day, a number of the configured unit since
// midnight of the zone, UTC where none is configured.
func (v *values) numberOfDay(s []byte) (int64, engine.Unit, engine.Reason) {
	const day = daySeconds * int64(1e9)
	if v.unit == engine.UnitAuto {
		return 0, v.unit, engine.ReasonTimeRange // digits of a time of day tell no unit
	}
	since, unit, reason := decimalTime(s, v.unit)
	if reason != engine.ReasonNone && reason != engine.ReasonTimeZero {
		return 0, unit, reason
	}
	switch {
	case since >= day:
		return 0, v.unit, engine.ReasonTimeRange
	case v.recordTime == engine.NoTime:
		return 0, v.unit, engine.ReasonTimeDate
	}
	at, reason := v.nearest(since/1e9, since%1e9)
	return at, v.unit, reason
}

// nearest is a time of day on the day of the zone on which it is nearest to the
// record's time, so that a tick of the last second before midnight stays there
// when its record is of the day after.
func (v *values) nearest(seconds, fraction int64) (best int64, reason engine.Reason) {
	zone := v.zone
	if zone == nil {
		zone = time.UTC
	}
	recorded := v.recordTime / 1e9
	today := recorded + zoneOffset(recorded, zone)
	today -= today % daySeconds
	reason = engine.ReasonTimeSkipped
	for _, midnight := range [...]int64{today - daySeconds, today, today + daySeconds} {
		at, r := inZone(midnight+seconds, zone, v.recordTime)
		if r != engine.ReasonNone || at <= 0 {
			continue
		}
		if ns := at*1e9 + fraction; reason != engine.ReasonNone || absolute(ns-v.recordTime) < absolute(best-v.recordTime) {
			best, reason = ns, engine.ReasonNone
		}
	}
	// Nearer days than half of one are there, unless the clock skips the time.
	if reason == engine.ReasonNone && absolute(best-v.recordTime) > 13*3600*int64(1e9) {
		best, reason = 0, engine.ReasonTimeSkipped
	}
	return best, reason
}

// timeOfDay reads hh:mm:ss with a fraction, and with Z or an offset where it is
// not of the configured zone. Second 60 has no date to end, and is refused.
func (v *values) timeOfDay(s []byte) (int64, engine.Reason) {
	if len(s) < len("15:04:05") || s[2] != ':' || s[5] != ':' {
		return 0, engine.ReasonTimeSyntax
	}
	hour, minute, second := twoDigits(s), twoDigits(s[3:]), twoDigits(s[6:])
	if hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59 {
		return 0, engine.ReasonTimeSyntax
	}
	fraction, rest, reason := parseFraction(s[8:])
	if reason != engine.ReasonNone {
		return 0, reason
	}
	if v.recordTime == engine.NoTime {
		return 0, engine.ReasonTimeDate
	}
	seconds := int64(hour)*3600 + int64(minute)*60 + int64(second)
	if len(rest) == 0 {
		return v.nearest(seconds, fraction)
	}
	offset, ok := parseOffset(rest)
	if !ok {
		return 0, engine.ReasonTimeSyntax
	}
	utc := values{recordTime: v.recordTime}
	return utc.nearest((seconds-offset+daySeconds)%daySeconds, fraction)
}
