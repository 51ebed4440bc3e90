package codecs

import (
	"strconv"
	"time"

	"github.com/auditstream/auditstream/engine"
)

// Form is how a field's value stood in a record.
type Form uint8

// The forms of a Scalar.
const (
	Absent Form = iota // there is no such field
	Null
	Text    // in Text
	Integer // in Int
	Float   // in Float
	Other   // a value that is neither, such as a record
)

// Scalar is the value of one field before it is known what it means, as
// formats with a schema give it. Text is a view on the record's bytes.
type Scalar struct {
	Form  Form
	Text  []byte
	Int   int64
	Float float64
	Unit  engine.Unit // the unit of a time that the schema itself gives, or UnitAuto
	Fixed bool        // Unit is a part of the type: none that is configured counts before it
	Local bool        // a time by a wall clock whose zone is not said
}

// Scalars are the fields of a tick that were found in one record.
type Scalars struct{ Symbol, Time, Sequence, Venue Scalar }

// Meaning turns scalars into a tick's fields by the same rules as a JSON
// tick's. It keeps buffers, so it serves one goroutine.
type Meaning struct {
	text   JSON // the rules of text and numbers, and their buffers
	number []byte
}

// NewMeaning takes unit, zone and spelling from f.
func NewMeaning(f Fields) *Meaning {
	return &Meaning{text: JSON{values: valuesOf(f)}}
}

// Fill sets the tick's symbol, time and unit, and its kind and reason where
// one of them is not usable.
func (m *Meaning) Fill(t *engine.Tick, s *Scalars) {
	symbol, reason := m.symbol(&s.Symbol)
	event, unit, timeReason := m.time(&s.Time)
	t.Symbol, t.EventTime, t.Unit = symbol, event, unit
	if reason == engine.ReasonNone {
		reason = timeReason
	}
	if t.Kind, t.Reason = engine.Good, reason; reason != engine.ReasonNone {
		t.Kind = engine.Unusable
	}
}

// symbol is the spelling of a text, or of an integer as it would be written.
func (m *Meaning) symbol(s *Scalar) ([]byte, engine.Reason) {
	m.text.scratch = m.text.scratch[:0]
	raw := s.Text
	switch s.Form {
	case Absent:
		return nil, engine.ReasonSymbolMissing
	case Null:
		return nil, engine.ReasonSymbolNull
	case Integer:
		m.text.scratch = strconv.AppendInt(m.text.scratch, s.Int, 10)
		raw = m.text.scratch
	case Text:
	default:
		return nil, engine.ReasonSymbolType
	}
	if m.text.upper {
		raw = m.text.upperCase(raw)
	}
	switch {
	case len(raw) == 0:
		return nil, engine.ReasonSymbolEmpty
	case len(raw) > engine.MaxSymbolBytes:
		return nil, engine.ReasonSymbolLong
	}
	return raw, engine.ReasonNone
}

// time is in nanoseconds. A unit that is configured counts before the
// schema's: schemas say timestamp-millis of what are microseconds, too.
func (m *Meaning) time(s *Scalar) (int64, engine.Unit, engine.Reason) {
	unit := m.text.unit
	if unit == engine.UnitAuto || s.Fixed {
		unit = s.Unit
	}
	switch s.Form {
	case Absent:
		return 0, engine.UnitAuto, engine.ReasonTimeMissing
	case Null:
		return 0, engine.UnitAuto, engine.ReasonTimeNull
	case Text:
		return m.textTime(s.Text)
	case Integer, Float:
	default:
		return 0, engine.UnitAuto, engine.ReasonTimeSyntax
	}
	if unit == engine.UnitISO {
		return 0, engine.UnitAuto, engine.ReasonTimeSyntax
	}
	ns, unit, reason := m.numberTime(s, unit)
	if reason == engine.ReasonNone && s.Local {
		ns, reason = atWallClock(ns, m.text.zone)
	}
	return ns, unit, reason
}

func (m *Meaning) textTime(s []byte) (int64, engine.Unit, engine.Reason) {
	if len(s) == 0 || skipNumber(s, 0) != len(s) {
		return m.text.textTime(s)
	}
	if m.text.unit == engine.UnitISO {
		return 0, engine.UnitAuto, engine.ReasonTimeSyntax
	}
	return decimalTime(s, m.text.unit)
}

// numberTime reads a whole number exactly. A float is read by the shortest
// decimal that means it, so what it cannot hold is told as lost.
func (m *Meaning) numberTime(s *Scalar, unit engine.Unit) (int64, engine.Unit, engine.Reason) {
	if s.Form == Float {
		if s.Float-s.Float != 0 { // not finite
			return 0, engine.UnitAuto, engine.ReasonTimeSyntax
		}
		m.number = strconv.AppendFloat(m.number[:0], s.Float, 'e', -1, 64)
		return decimalTime(m.number, unit)
	}
	switch v := s.Int; {
	case v < 0:
		return 0, engine.UnitAuto, engine.ReasonTimeNegative
	default:
		return wholeTime(uint64(v), decimalDigits(uint64(v)), unit)
	}
}

// decimalDigits is the number of digits that v is written with.
func decimalDigits(v uint64) int {
	n := 1
	for ; v >= 10; v /= 10 {
		n++
	}
	return n
}

// atWallClock takes nanoseconds of a wall clock for a time in the zone. Of an
// hour that a clock shows twice it is the first, as in [time.Date].
func atWallClock(ns int64, zone *time.Location) (int64, engine.Reason) {
	if zone == nil {
		return 0, engine.ReasonTimeZone
	}
	w := time.Unix(0, ns).UTC()
	at := time.Date(w.Year(), w.Month(), w.Day(), w.Hour(), w.Minute(), w.Second(), w.Nanosecond(), zone)
	return at.UnixNano(), engine.ReasonNone
}
