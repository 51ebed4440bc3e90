package codecs

import (
	"bytes"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/auditstream/auditstream/engine"
)

// values are the rules by which the fields of a record become those of a
// tick, the same for every format, and their buffers.
type values struct {
	unit  engine.Unit
	zone  *time.Location
	dated bool // a time of day takes its date from the record
	upper bool

	recordTime int64  // of the record that is being read, or engine.NoTime
	scratch    []byte // symbol that is not spelled in the value as it is compared
}

func valuesOf(f Fields) values {
	return values{unit: f.Unit, zone: f.Zone, dated: f.DateOfRecord, upper: f.Normalize == NormalizeUpper, recordTime: engine.NoTime}
}

// symbolText is a symbol of these bytes, without quotes and escapes.
func (v *values) symbolText(raw []byte) ([]byte, engine.Reason) {
	if v.upper {
		raw = v.upperCase(raw)
	}
	switch {
	case len(raw) == 0:
		return nil, engine.ReasonSymbolEmpty
	case len(raw) > engine.MaxSymbolBytes:
		return nil, engine.ReasonSymbolLong
	}
	return raw, engine.ReasonNone
}

// upperCase spells s as NormalizeUpper says. s may lie in the scratch buffer.
// Bytes that are no UTF-8 stay as they are.
func (v *values) upperCase(s []byte) []byte {
	s = bytes.TrimSpace(s)
	same := true
	for _, c := range s {
		same = same && c < utf8.RuneSelf && (c < 'a' || c > 'z')
	}
	if same {
		return s
	}
	start := len(v.scratch)
	out := v.scratch
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRune(s[i:])
		if r == utf8.RuneError && n == 1 {
			out = append(out, s[i])
		} else {
			out = utf8.AppendRune(out, unicode.ToUpper(r))
		}
		i += n
	}
	v.scratch = out
	return out[start:]
}

// time reads an event time from its text, a number or a text time.
func (v *values) time(text []byte) (int64, engine.Unit, engine.Reason) {
	if len(text) == 0 || !isDigit(text[0]) && text[0] != '-' || skipNumber(text, 0) != len(text) {
		return v.textTime(text)
	}
	return v.numberTime(text)
}

// numberTime reads a well-formed number, exactly.
func (v *values) numberTime(s []byte) (int64, engine.Unit, engine.Reason) {
	if v.unit == engine.UnitISO {
		return 0, engine.UnitAuto, engine.ReasonTimeSyntax
	}
	if v.dated {
		return v.numberOfDay(s)
	}
	if n, ok := wholeNumber(s); ok {
		return wholeTime(n, len(s), v.unitFor(len(s)))
	}
	return decimalTime(s, v.unitFor(wholeDigits(s)))
}

// textTime reads a time that is no number.
func (v *values) textTime(s []byte) (int64, engine.Unit, engine.Reason) {
	if v.unit != engine.UnitAuto && v.unit != engine.UnitISO {
		return 0, engine.UnitAuto, engine.ReasonTimeSyntax
	}
	var ns int64
	var reason engine.Reason
	if v.dated {
		ns, reason = v.timeOfDay(s)
	} else {
		ns, reason = v.isoTime(s)
	}
	if reason != engine.ReasonNone {
		return 0, engine.UnitAuto, reason
	}
	return ns, engine.UnitISO, engine.ReasonNone
}

// wholeSequence reads a sequence number: a whole number of 64 bits with a
// sign.
func wholeSequence(s []byte) (n int64, ok bool) {
	negative := len(s) > 0 && s[0] == '-'
	if negative {
		s = s[1:]
	}
	u, ok := wholeNumber(s)
	if !ok || len(s) == 0 || u > 1<<63-1 {
		return 0, false
	}
	if n = int64(u); negative {
		n = -n
	}
	return n, true
}

// unitFor is the unit of a number with that many digits before the point: the
// configured one, unless so many digits are today's times in another. A feed
// that has changed its unit would otherwise be read as the far past or future.
func (v *values) unitFor(digits int) engine.Unit {
	if v.unit != engine.UnitAuto {
		if u := unitOf(digits); u != engine.UnitAuto {
			return u
		}
	}
	return v.unit
}

// wholeDigits is the number of digits of a well-formed number before its
// point; 0 where an exponent may move the point.
func wholeDigits(s []byte) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	for _, c := range s[n:] {
		if c == 'e' || c == 'E' {
			return 0
		}
	}
	return n
}
