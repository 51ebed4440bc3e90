package codecs

import (
	"math"

	"github.com/auditstream/auditstream/engine"
)

const daySeconds = 24 * 60 * 60

// unsetSeconds is the last whole second that 64-bit nanoseconds hold, in 2262.
// A time from then on is the greatest number there is, in one unit or another:
// it stands for a time that was not set.
const unsetSeconds = math.MaxInt64 / int64(1e9)

// isoTime reads a text time into nanoseconds; see [JSON] for its form.
func (v *values) isoTime(s []byte) (int64, engine.Reason) {
	if len(s) < len("2006-01-02T15:04:05") || s[4] != '-' || s[7] != '-' || s[13] != ':' || s[16] != ':' ||
		s[10] != 'T' && s[10] != 't' && s[10] != ' ' {
		return 0, engine.ReasonTimeSyntax
	}
	century, year := twoDigits(s[0:]), twoDigits(s[2:])
	month, day := twoDigits(s[5:]), twoDigits(s[8:])
	hour, minute, second := twoDigits(s[11:]), twoDigits(s[14:]), twoDigits(s[17:])
	if century < 0 || year < 0 || month < 1 || month > 12 || hour < 0 || hour > 23 ||
		minute < 0 || minute > 59 || second < 0 || second > 60 {
		return 0, engine.ReasonTimeSyntax
	}
	year += century * 100
	if day < 1 || day > daysIn(year, month) {
		return 0, engine.ReasonTimeSyntax
	}
	if year == 9999 || year == 1 {
		return 0, engine.ReasonTimeUnset
	}
	fraction, rest, reason := parseFraction(s[19:])
	if reason != engine.ReasonNone {
		return 0, reason
	}
	// A leap second is read as second 59 until it is known to end a UTC day.
	leap := second == 60
	seconds := daysSinceEpoch(year, month, day)*daySeconds + int64(hour)*3600 + int64(minute)*60 + int64(min(second, 59))
	if len(rest) == 0 {
		if v.zone == nil {
			return 0, engine.ReasonTimeZone
		}
		if seconds, reason = inZone(seconds, v.zone, v.recordTime); reason != engine.ReasonNone {
			return 0, reason
		}
	} else {
		offset, ok := parseOffset(rest)
		if !ok {
			return 0, engine.ReasonTimeSyntax
		}
		seconds -= offset
	}
	if leap {
		if (seconds+1)%daySeconds != 0 {
			return 0, engine.ReasonTimeSyntax
		}
		fraction = 1e9 - 1
	}
	return joinSeconds(seconds, fraction)
}

// joinSeconds is a time in nanoseconds, when it is usable and fits.
func joinSeconds(seconds, fraction int64) (int64, engine.Reason) {
	switch {
	case seconds < 0:
		return 0, engine.ReasonTimeNegative
	case seconds == 0 && fraction == 0:
		return 0, engine.ReasonTimeZero
	case seconds > (math.MaxInt64-fraction)/1e9:
		return 0, engine.ReasonTimeRange
	case seconds >= unsetSeconds:
		return 0, engine.ReasonTimeUnset
	}
	return seconds*1e9 + fraction, engine.ReasonNone
}

// twoDigits reads the two digits that s begins with, -1 when they are none.
func twoDigits(s []byte) int {
	if !isDigit(s[0]) || !isDigit(s[1]) {
		return -1
	}
	return int(s[0]-'0')*10 + int(s[1]-'0')
}

// parseFraction reads a point or comma and digits, when s begins so, as
// nanoseconds. Digits below a nanosecond must be 0.
func parseFraction(s []byte) (ns int64, rest []byte, _ engine.Reason) {
	if len(s) == 0 || s[0] != '.' && s[0] != ',' {
		return 0, s, engine.ReasonNone
	}
	i, lost := 1, false
	for ; i < len(s) && isDigit(s[i]); i++ {
		if i <= 9 {
			ns = ns*10 + int64(s[i]-'0')
		} else if s[i] != '0' {
			lost = true
		}
	}
	if i == 1 {
		return 0, s, engine.ReasonTimeSyntax
	}
	for k := i; k <= 9; k++ {
		ns *= 10
	}
	if lost {
		return 0, s, engine.ReasonTimePrecision
	}
	return ns, s[i:], engine.ReasonNone
}

// parseOffset reads Z, ±hh:mm, ±hhmm or ±hh as seconds east of UTC.
func parseOffset(s []byte) (seconds int64, ok bool) {
	if len(s) == 1 {
		return 0, s[0]|0x20 == 'z'
	}
	if s[0] != '+' && s[0] != '-' {
		return 0, false
	}
	hour, minute := -1, 0
	switch {
	case len(s) == 3:
		hour = twoDigits(s[1:])
	case len(s) == 5:
		hour, minute = twoDigits(s[1:]), twoDigits(s[3:])
	case len(s) == 6 && s[3] == ':':
		hour, minute = twoDigits(s[1:]), twoDigits(s[4:])
	}
	if hour < 0 || hour > 23 || minute < 0 || minute > 59 {
		return 0, false
	}
	seconds = int64(hour)*3600 + int64(minute)*60
	if s[0] == '-' {
		seconds = -seconds
	}
	return seconds, true
}

// daysIn is the number of days of a month.
func daysIn(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// daysSinceEpoch counts days from 1970-01-01 in the Gregorian calendar. Years
// begin in March, so that the leap day is the last of its year.
func daysSinceEpoch(year, month, day int) int64 {
	if month < 3 {
		year, month = year-1, month+12
	}
	inYear := (153*(month-3)+2)/5 + day - 1
	return int64(365*year+floorDiv(year, 4)-floorDiv(year, 100)+floorDiv(year, 400)+inYear) - 719468
}

// floorDiv divides towards minus infinity; d is positive.
func floorDiv(n, d int) int {
	if n < 0 {
		return -((d - 1 - n) / d)
	}
	return n / d
}
