package demo

import (
	"strconv"
	"time"

	"github.com/auditstream/auditstream/engine"
)

// Message is what a producer writes: a tick, or in its place raw bytes.
type Message struct {
	Tick
	Event     time.Duration // event time since the market opened; Tick.At unless a fault has moved it
	Partition int32
	Second    bool   // written by the second producer
	Micros    bool   // the event time is spelled in microseconds
	Halted    bool   // it tells that trading of the symbol is halted
	Raw       []byte // the value as it is, in place of the tick; nil: the tick
}

// message is a tick as the market's own producers write it: keyed by its
// symbol, placed by murmur2 as Java's and most other clients do.
func message(t Tick) Message {
	return Message{Tick: t, Event: t.At, Partition: partitionOf(engine.HashMurmur2, t.Symbol)}
}

func partitionOf(hash engine.Hash, symbol string) int32 {
	return hash.Partition([]byte(symbol), partitionCount)
}

// Value is the JSON of the message when the market opened at the given Unix
// time in nanoseconds: about 170 bytes.
func (m *Message) Value(opened int64) []byte {
	if m.Raw != nil {
		return m.Raw
	}
	b := make([]byte, 0, 192)
	b = append(b, `{"symbol":"`...)
	b = append(b, m.Symbol...)
	b = append(b, `","timestamp_ns":`...)
	if at := opened + int64(m.Event); m.Micros {
		b = strconv.AppendInt(b, at/1000, 10)
	} else {
		b = strconv.AppendInt(b, at, 10)
	}
	b = append(b, `,"bid_price":`...)
	b = appendCents(b, m.Bid)
	b = append(b, `,"ask_price":`...)
	b = appendCents(b, m.Ask)
	b = append(b, `,"bid_size":`...)
	b = strconv.AppendInt(b, m.BidSize, 10)
	b = append(b, `,"ask_size":`...)
	b = strconv.AppendInt(b, m.AskSize, 10)
	b = append(b, `,"venue":"DEMO","currency":"USD","sequence":`...)
	b = strconv.AppendInt(b, m.Sequence, 10)
	b = m.appendFeed(b)
	return append(b, '}')
}

// appendFeed adds what the feeds of single symbols have: a number of each
// message, or whether trading goes on.
func (m *Message) appendFeed(b []byte) []byte {
	switch {
	case m.Symbol == symbolGap:
		b = append(b, `,"feed_sequence":`...)
		b = strconv.AppendInt(b, m.Sequence, 10)
	case m.Halted:
		b = append(b, `,"trading":"halted"`...)
	case m.Symbol == symbolHalted:
		b = append(b, `,"trading":"open"`...)
	}
	return b
}

// appendCents writes cents as a decimal number with two places.
func appendCents(b []byte, cents int64) []byte {
	b = strconv.AppendInt(b, cents/100, 10)
	return append(b, '.', byte('0'+cents/10%10), byte('0'+cents%10))
}
