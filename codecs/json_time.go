package codecs

import (
	"encoding/binary"
	"math"

	"github.com/auditstream/auditstream/engine"
)

// eventTime reads the event time from its value's bytes, which are
// well-formed, or empty when there is none. The result is in nanoseconds.
func (d *JSON) eventTime(raw []byte) (int64, engine.Unit, engine.Reason) {
	if len(raw) == 0 {
		return 0, engine.UnitAuto, engine.ReasonTimeMissing
	}
	switch {
	case raw[0] == '"':
		return d.time(raw[1 : len(raw)-1])
	case raw[0] == 'n':
		return 0, engine.UnitAuto, engine.ReasonTimeNull
	case !isDigit(raw[0]) && raw[0] != '-':
		return 0, engine.UnitAuto, engine.ReasonTimeSyntax
	}
	return d.numberTime(raw)
}

// unitDigits is the number of decimal digits from a unit down to nanoseconds.
func unitDigits(u engine.Unit) int {
	switch u {
	case engine.UnitSeconds:
		return 9
	case engine.UnitMillis:
		return 6
	case engine.UnitMicros:
		return 3
	}
	return 0
}

// unitOf is the unit in which today's times have that many digits before the
// point, which holds from 2001 to 2286; UnitAuto for another count.
func unitOf(digits int) engine.Unit {
	switch digits {
	case 10:
		return engine.UnitSeconds
	case 13:
		return engine.UnitMillis
	case 16:
		return engine.UnitMicros
	case 19:
		return engine.UnitNanos
	}
	return engine.UnitAuto
}

// wholeNumber reads at most 19 digits and nothing else.
func wholeNumber(s []byte) (v uint64, ok bool) {
	if len(s) > 19 {
		return 0, false
	}
	for len(s) >= 8 {
		w := binary.LittleEndian.Uint64(s)
		// A byte is a digit when its high half is 3 and stays so when 6 is added.
		if (w&(w+0x0606060606060606))&0xf0f0f0f0f0f0f0f0 != 0x3030303030303030 {
			return 0, false
		}
		v, s = v*1e8+eightDigits(w), s[8:]
	}
	for _, c := range s {
		if !isDigit(c) {
			return 0, false
		}
		v = v*10 + uint64(c-'0')
	}
	return v, true
}

// eightDigits is the number that eight ASCII digits spell, joined in pairs,
// fours and eights within one word.
func eightDigits(w uint64) uint64 {
	w -= 0x3030303030303030
	w = w*10 + w>>8
	const low = 0x000000ff000000ff
	return ((w&low)*(100+1e6<<32) + (w>>16&low)*(1+1e4<<32)) >> 32 & math.MaxUint32
}

// wholeTime scales a whole number of the given count of digits.
func wholeTime(v uint64, digits int, unit engine.Unit) (int64, engine.Unit, engine.Reason) {
	if v == 0 {
		return 0, engine.UnitAuto, engine.ReasonTimeZero
	}
	if unit == engine.UnitAuto {
		if unit = unitOf(digits); unit == engine.UnitAuto {
			return 0, unit, engine.ReasonTimeRange
		}
	}
	scale := uint64(1)
	for range unitDigits(unit) {
		scale *= 10
	}
	if v > math.MaxInt64/scale {
		return 0, unit, engine.ReasonTimeRange
	}
	if v*scale >= uint64(unsetSeconds)*1e9 {
		return 0, unit, engine.ReasonTimeUnset
	}
	return int64(v * scale), unit, engine.ReasonNone
}

// decimal is a number as its digits stand: mantissa digits, and the position
// of the point counted from the first of them.
type decimal struct {
	whole, fraction []byte // digits before and after the written point
	point           int    // the point's position with the exponent applied
	exponent        bool   // an exponent was written
	negative        bool
}

// splitDecimal takes a well-formed number apart.
func splitDecimal(s []byte) (n decimal) {
	if s[0] == '-' {
		n.negative, s = true, s[1:]
	}
	i := 0
	for i < len(s) && isDigit(s[i]) {
		i++
	}
	n.whole, n.point, s = s[:i], i, s[i:]
	if len(s) > 0 && s[0] == '.' {
		for i = 1; i < len(s) && isDigit(s[i]); i++ {
		}
		n.fraction, s = s[1:i], s[i:]
	}
	if len(s) == 0 {
		return n
	}
	n.exponent, s = true, s[1:]
	sign := 1
	if s[0] == '-' || s[0] == '+' {
		sign, s = int(',')-int(s[0]), s[1:] // ',' lies between '+' and '-'
	}
	exponent := 0
	for _, c := range s {
		exponent = min(exponent*10+int(c-'0'), 1e6)
	}
	n.point += sign * exponent
	return n
}

// digit is the k-th mantissa digit, 0 beyond the last.
func (n *decimal) digit(k int) uint64 {
	if k < len(n.whole) {
		return uint64(n.whole[k] - '0')
	}
	if k -= len(n.whole); k < len(n.fraction) {
		return uint64(n.fraction[k] - '0')
	}
	return 0
}

// unsetUnsigned is the greatest number of 64 bits without a sign, which stands
// for no time as the greatest one with a sign does.
const unsetUnsigned = "18446744073709551615"

// decimalTime scales a well-formed number of any form by its digits.
func decimalTime(s []byte, unit engine.Unit) (int64, engine.Unit, engine.Reason) {
	n := splitDecimal(s)
	written := len(n.whole) + len(n.fraction)
	first := 0
	for first < written && n.digit(first) == 0 {
		first++
	}
	switch {
	case first == written:
		return 0, engine.UnitAuto, engine.ReasonTimeZero
	case n.negative:
		return 0, engine.UnitAuto, engine.ReasonTimeNegative
	case string(s) == unsetUnsigned:
		return 0, unit, engine.ReasonTimeUnset
	}
	if unit == engine.UnitAuto {
		if unit = unitOf(n.point - first); unit == engine.UnitAuto {
			return 0, unit, engine.ReasonTimeRange
		}
	}
	last := n.point + unitDigits(unit) // one behind the nanoseconds' digit
	if last-first > 19 {
		return 0, unit, engine.ReasonTimeRange
	}
	var ns, whole uint64
	for k := first; k < last; k++ {
		if k == n.point {
			whole = ns
		}
		ns = ns*10 + n.digit(k)
	}
	if last <= n.point {
		whole = ns
	}
	for k := max(last, first); k < written; k++ {
		if n.digit(k) != 0 {
			return 0, unit, engine.ReasonTimePrecision
		}
	}
	if n.exponent && n.point > written && whole >= 1<<53 {
		return 0, unit, engine.ReasonTimePrecision
	}
	if ns > math.MaxInt64 {
		return 0, unit, engine.ReasonTimeRange
	}
	if ns >= uint64(unsetSeconds)*1e9 {
		return 0, unit, engine.ReasonTimeUnset
	}
	return int64(ns), unit, engine.ReasonNone
}
