package codecs

import (
	"bytes"
	"errors"
	"slices"

	"github.com/auditstream/auditstream/engine"
)

// JSON decodes ticks that are JSON objects (RFC 8259).
//
// The whole value must be well-formed, since a record that no other reader
// can read is a fault even when both fields stand before the damage:
//
//  1. A value that ends too early is ReasonTruncated, any other fault of form
//     is ReasonSyntax. Bytes that are no UTF-8 are kept as they are.
//  2. Names are compared byte by byte after their escapes are resolved; "t"
//     is not "T". When a name is repeated, the last one counts, as in most
//     readers.
//  3. The symbol is a string, or an integer, which is taken as written.
//  4. The event time is a number, a number in a string, or, with the units
//     auto and iso, an ISO 8601 text; see number times and text times below.
//
// A number is read as decimal digits, never through a float. It may have a
// fraction. UnitAuto takes 10 digits before the point for seconds, 13 for
// milliseconds, 16 for microseconds and 19 for nanoseconds, and refuses every
// other count. Digits below a nanosecond must be 0. An exponent is fine while
// every digit is certain: a double holds whole numbers to 2^53, so a greater
// one with fewer digits than its magnitude has lost some.
//
// A text time is YYYY-MM-DDThh:mm:ss with T, t or a space between, a fraction
// after a point or comma, and Z, ±hh:mm, ±hhmm or ±hh behind. Second 60 is a
// leap second and is accepted at 23:59:60 UTC only; all of it is taken as the
// last nanosecond before midnight, which keeps it between its neighbours.
//
// A message may hold several ticks, in an array that the paths lead into, and
// one that is of no kind that is a tick is engine.Ignored, as is one whose
// array is empty.
//
// Decode allocates nothing once its buffers have grown to the symbols' size.
type JSON struct {
	values
	levels  []*jsonLevel
	slots   uint8 // taken so far
	maps    []jsonMap
	content bool
	halts   Halts
	plain   bool // one kind of message, which is one tick
	talk    []string

	found     [maxSlots]span // by slot: where the value stands, empty: it was not there
	message   []byte         // that is being read
	item      span           // its element that was read last
	chain     []uint8        // levels of the arrays that hold its ticks
	name      []byte         // member name whose escapes are resolved
	venueText []byte
}

// NewJSON compiles the field paths. It fails when a path is empty, has an
// empty step, or when one field's path leads through another's.
func NewJSON(f Fields) (*JSON, error) {
	if err := checkPaths(&f); err != nil {
		return nil, err
	}
	m := feedMap{symbol: f.Symbol, time: f.Timestamp, venue: f.Venue, halt: f.Halt.Path, record: f.TimeOfRecord}
	m.first, m.last = sequenceRange(f.Sequence)
	if m.symbol == "" {
		return nil, errors.New("field.symbol: the path is empty")
	}
	if m.time == "" && !m.record {
		return nil, errors.New("field.timestamp: the path is empty, and the record's time does not stand for it")
	}
	if f.Kind != "" && len(f.Ticks) > 0 {
		m.when = []condition{{path: f.Kind, values: f.Ticks}}
	}
	return newJSONOf(f, []feedMap{m})
}

func newJSONOf(f Fields, maps []feedMap) (*JSON, error) {
	d := &JSON{values: valuesOf(f), levels: []*jsonLevel{{}}, content: f.Content, halts: f.Halt}
	for i := range maps {
		if err := d.compile(&maps[i]); err != nil {
			return nil, err
		}
	}
	d.plain = len(d.maps) == 1 && len(d.maps[0].when) == 0 && len(d.levels) == 1
	return d, nil
}

// Decode implements [TickDecoder].
func (d *JSON) Decode(value []byte, t *engine.Tick) {
	t.Kind, t.Reason, t.Symbol, t.EventTime, t.Unit = engine.Good, engine.ReasonNone, nil, 0, engine.UnitAuto
	d.chain = nil
	if len(value) == 0 {
		t.Kind = engine.Tombstone
		if value != nil {
			t.Kind, t.Reason = engine.Unreadable, engine.ReasonEmpty
		}
		return
	}
	t.Format = engine.PlainJSON
	d.message, d.recordTime = value, t.RecordTime
	d.clear(d.levels[0])
	if end := d.document(value); end < 0 {
		if d.talks(value) {
			t.Kind, t.Format = engine.Ignored, engine.FormatUnknown
			return
		}
		t.Kind, t.Reason = engine.Unreadable, documentReason(value, end)
		if value[0] == frameMagic {
			t.Format = engine.FormatUnknown
			t.SchemaID, _, _ = Frame(value)
		}
		return
	}
	d.first(t)
}

// talks says whether a value is a text that is no message, bare or quoted.
func (d *JSON) talks(value []byte) bool {
	text := bytes.Trim(value, " \t\r\n\"")
	return slices.ContainsFunc(d.talk, func(s string) bool { return s == string(text) })
}

// documentReason says why the value is no JSON object. Bytes of a schema
// registry's frame (0x00 and a four-byte id) are told apart, because then the
// converter is the wrong one rather than the record.
func documentReason(value []byte, end int) engine.Reason {
	if value[0] == 0 {
		if len(value) < 5 {
			return engine.ReasonTruncated
		}
		return engine.ReasonFramed
	}
	switch end {
	case scanCut:
		return engine.ReasonTruncated
	case scanDeep:
		return engine.ReasonDepth
	case scanNotObject:
		return engine.ReasonNotObject
	}
	return engine.ReasonSyntax
}
