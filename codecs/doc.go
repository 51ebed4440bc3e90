// Package codecs turns bytes into engine values and back: tick formats,
// state rows, table keys, reports and the headers around them.
//
// Tick decoders are total. Any bytes become a tick that says what they are;
// bytes that are wrong become a reason, never an error or a panic. Byte
// layouts of what the program itself stores are versioned, documented where
// they are written, and held by golden tests; a stored row that is damaged is
// an error that names the damage.
//
// Nothing here knows Kafka clients, files or configuration. It imports the
// engine and the standard library only.
package codecs

import "github.com/auditstream/auditstream/engine"

// TickDecoder reads one record's value into t.
//
// Decode sets Kind, Reason, Symbol, EventTime and Unit, and where it is
// configured to find them Venue, the sequence and Content, which come in as
// zero; it leaves the other fields alone and may read them: RecordTime stands
// in for a time that the value does not have. Slices are views on value or on
// a buffer of the decoder, valid until value changes or Decode or Next is
// called again, so a decoder serves one goroutine. A nil value is a tombstone,
// one of no bytes is unreadable.
type TickDecoder interface {
	Decode(value []byte, t *engine.Tick)
}

// ItemDecoder is a TickDecoder of values that may hold several ticks. Decode
// reads the first; each call of Next reads a further one in the same way, and
// is false when there is none. What is wrong with the value as a whole is told
// by Decode, and then it has no items.
type ItemDecoder interface {
	TickDecoder
	Next(t *engine.Tick) bool
}

// RecordDecoder is a TickDecoder that needs more of the record than its value,
// such as a schema id that stands in a header. DecodeRecord is called in place
// of Decode.
type RecordDecoder interface {
	TickDecoder
	DecodeRecord(r *Record, t *engine.Tick)
}
