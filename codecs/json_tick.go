package codecs

import (
	"time"

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
// Decode allocates nothing once its buffers have grown to the symbols' size.
type JSON struct {
	root    jsonNode
	unit    engine.Unit
	zone    *time.Location
	upper   bool
	scratch []byte // symbol that is not spelled in the value as it is compared
	name    []byte // member name whose escapes are resolved
	shape   jsonShape
}

// NewJSON compiles the field paths. It fails when a path is empty, has an
// empty step, or when one field's path leads through the other.
func NewJSON(f Fields) (*JSON, error) {
	d := &JSON{unit: f.Unit, zone: f.Zone, upper: f.Normalize == NormalizeUpper}
	if err := d.root.add("field.symbol", f.Symbol, leafSymbol); err != nil {
		return nil, err
	}
	if err := d.root.add("field.timestamp", f.Timestamp, leafTime); err != nil {
		return nil, err
	}
	return d, nil
}

// Decode implements [TickDecoder].
func (d *JSON) Decode(value []byte, t *engine.Tick) {
	t.Kind, t.Reason, t.Symbol, t.EventTime, t.Unit = engine.Good, engine.ReasonNone, nil, 0, engine.UnitAuto
	if len(value) == 0 {
		t.Kind = engine.Tombstone
		if value != nil {
			t.Kind, t.Reason = engine.Unreadable, engine.ReasonEmpty
		}
		return
	}
	var at jsonFound
	t.Format = engine.PlainJSON
	if end := d.document(value, &at); end < 0 {
		t.Kind, t.Reason = engine.Unreadable, documentReason(value, end)
		if value[0] == frameMagic {
			t.Format = engine.FormatUnknown
			t.SchemaID, _, _ = Frame(value)
		}
		return
	}
	symbol, reason := d.symbol(value[at.symbol.start:at.symbol.end])
	t.Symbol = symbol
	event, unit, timeReason := d.eventTime(value[at.time.start:at.time.end])
	t.EventTime, t.Unit = event, unit
	if reason == engine.ReasonNone {
		reason = timeReason
	}
	if reason != engine.ReasonNone {
		t.Kind, t.Reason = engine.Unusable, reason
	}
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
