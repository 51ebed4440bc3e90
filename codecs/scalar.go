package codecs

import (
	"slices"
	"strconv"

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
type Scalars struct {
	Symbol, Time, Sequence, SequenceFirst, Venue, Halt, Kind Scalar

	Content uint64 // hash of what the tick says beside symbol, times and sequence; 0: not asked for, or nothing
	Apart   Apart  // where fields stand that are no content, for plans

	Several bool    // the record's ticks are elements of an array, and what is here is none yet
	Type    int     // of the record, for the plan
	Cursors Cursors // where it stands
}

// Reset forgets the record before. Cursors need not be: a plan that uses them
// sets them.
func (s *Scalars) Reset() {
	s.Symbol, s.Time, s.Sequence, s.SequenceFirst = Scalar{}, Scalar{}, Scalar{}, Scalar{}
	s.Venue, s.Halt, s.Kind = Scalar{}, Scalar{}, Scalar{}
	s.Content, s.Apart.n, s.Several = 0, 0, false
}

// Meaning turns scalars into a tick's fields by the same rules as a JSON
// tick's. It keeps buffers, so it serves one goroutine.
type Meaning struct {
	values
	venue   []byte
	missing bool // a record without a time is judged by its record time
	number  []byte
	halts   Halts
	ticks   []string // kinds that are ticks, empty: all
}

// NewMeaning takes the rules from f.
func NewMeaning(f Fields) *Meaning {
	return &Meaning{values: valuesOf(f), missing: f.TimeOfRecord, halts: f.Halt, ticks: f.kinds()}
}

// Fill sets the tick's fields, and its kind and reason where symbol or time is
// not usable, or where the message is of a kind that is no tick.
func (m *Meaning) Fill(t *engine.Tick, s *Scalars) {
	if len(m.ticks) > 0 && !slices.ContainsFunc(m.ticks, func(kind string) bool { return kind == string(m.kind(&s.Kind)) }) {
		t.Kind, t.Reason = engine.Ignored, engine.ReasonNone
		return
	}
	m.recordTime, t.Content = t.RecordTime, s.Content
	symbol, reason := m.symbol(&s.Symbol)
	event, unit, timeReason := m.eventTime(&s.Time)
	if m.missing && t.RecordTime != engine.NoTime && (timeReason == engine.ReasonTimeMissing || timeReason == engine.ReasonTimeNull) {
		event, unit, timeReason = t.RecordTime, engine.UnitRecord, engine.ReasonNone
	}
	t.Symbol, t.EventTime, t.Unit = symbol, event, unit
	if reason == engine.ReasonNone {
		reason = timeReason
	}
	if t.Kind, t.Reason = engine.Good, reason; reason != engine.ReasonNone {
		t.Kind = engine.Unusable
	}
	if last, ok := sequenceOf(&s.Sequence); ok {
		t.HasSequence, t.Sequence, t.SequenceFirst = true, last, last
		if first, ok := sequenceOf(&s.SequenceFirst); ok && first <= last {
			t.SequenceFirst = first
		}
	}
	t.Halt = m.halts.ofScalar(&s.Halt)
	if v := &s.Venue; v.Form == Text && len(v.Text) > 0 {
		t.Venue = v.Text
	} else if v.Form == Integer {
		m.venue = strconv.AppendInt(m.venue[:0], v.Int, 10)
		t.Venue = m.venue
	}
}

// kind is the spelling of what kind a message is.
func (m *Meaning) kind(s *Scalar) []byte {
	switch s.Form {
	case Text:
		return s.Text
	case Integer:
		m.number = strconv.AppendInt(m.number[:0], s.Int, 10)
		return m.number
	}
	return nil
}

func sequenceOf(s *Scalar) (int64, bool) {
	switch s.Form {
	case Integer:
		return s.Int, true
	case Text:
		return wholeSequence(s.Text)
	}
	return 0, false
}

// symbol is the spelling of a text, or of an integer as it would be written.
func (m *Meaning) symbol(s *Scalar) ([]byte, engine.Reason) {
	m.scratch = m.scratch[:0]
	switch s.Form {
	case Absent:
		return nil, engine.ReasonSymbolMissing
	case Null:
		return nil, engine.ReasonSymbolNull
	case Integer:
		m.scratch = strconv.AppendInt(m.scratch, s.Int, 10)
		return m.symbolText(m.scratch)
	case Text:
		return m.symbolText(s.Text)
	}
	return nil, engine.ReasonSymbolType
}

// eventTime is in nanoseconds. A unit that is configured counts before the
// schema's: schemas say timestamp-millis of what are microseconds, too.
func (m *Meaning) eventTime(s *Scalar) (int64, engine.Unit, engine.Reason) {
	configured := m.unit
	if m.unit == engine.UnitAuto || s.Fixed {
		m.unit = s.Unit
	}
	ns, unit, reason := m.scalarTime(s)
	m.unit = configured
	if s.Local && reason == engine.ReasonNone {
		ns, reason = m.wallClock(ns)
	}
	return ns, unit, reason
}

func (m *Meaning) scalarTime(s *Scalar) (int64, engine.Unit, engine.Reason) {
	switch s.Form {
	case Absent:
		return 0, engine.UnitAuto, engine.ReasonTimeMissing
	case Null:
		return 0, engine.UnitAuto, engine.ReasonTimeNull
	case Text:
		return m.time(s.Text)
	case Integer:
		m.number = strconv.AppendInt(m.number[:0], s.Int, 10)
		return m.numberTime(m.number)
	case Float:
		if s.Float-s.Float != 0 { // not finite
			break
		}
		// The shortest decimal that means it, so what a double cannot hold is
		// told as lost.
		m.number = strconv.AppendFloat(m.number[:0], s.Float, 'e', -1, 64)
		return m.numberTime(m.number)
	}
	return 0, engine.UnitAuto, engine.ReasonTimeSyntax
}

// wallClock takes nanoseconds that a clock of the configured zone has shown
// for the instant.
func (m *Meaning) wallClock(ns int64) (int64, engine.Reason) {
	if m.zone == nil {
		return 0, engine.ReasonTimeZone
	}
	at, reason := inZone(ns/1e9, m.zone, m.recordTime)
	return at*1e9 + ns%1e9, reason
}
