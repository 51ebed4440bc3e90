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
// Decode sets Kind, Reason, Symbol, EventTime and Unit and leaves the other
// fields alone. Symbol is a view on value or on a buffer of the decoder,
// valid until value changes or Decode is called again, so a decoder serves
// one goroutine. A nil value is a tombstone, one of no bytes is unreadable.
type TickDecoder interface {
	Decode(value []byte, t *engine.Tick)
}
