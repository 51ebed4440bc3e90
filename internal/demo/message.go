package demo

import (
	"strconv"
	"time"

	"github.com/auditstream/auditstream/engine"
)

// Message is what a producer writes: a tick, and what faults have made of it.
type Message struct {
	Tick
	Event     time.Duration // event time since the market opened; Tick.At unless a fault has moved it
	Partition int32
	Second    bool // written by the second producer
	Micros    bool // the event time is spelled in microseconds
	Halted    bool // it tells that trading of the symbol is halted
	Cut       bool // the value ends in the middle
	Stray     bool // the value is of another format
}

// message is a tick as the market's own producers write it: keyed by its
// symbol, placed by murmur2 as Java's and most other clients do.
func message(t Tick) Message {
	return Message{Tick: t, Event: t.At, Partition: partitionOf(engine.HashMurmur2, t.Symbol)}
}

func partitionOf(hash engine.Hash, symbol string) int32 {
	return hash.Partition([]byte(symbol), partitionCount)
}

// spelled is an event time in the unit in which the producer spells it, which
// is nanoseconds unless a fault has changed it.
func (m *Message) spelled(event int64) int64 {
	if m.Micros {
		return event / 1e3
	}
	return event
}

// feedSequence is the number that the feed gives its messages; only that of
// one symbol does.
func (m *Message) feedSequence() (int64, bool) { return m.Sequence, m.Symbol == symbolGap }

// trading is what the message tells of trading in its symbol; only the feed of
// one symbol tells.
func (m *Message) trading() string {
	switch {
	case m.Halted:
		return "halted"
	case m.Symbol == symbolHalted:
		return "open"
	}
	return ""
}

// appendCents writes cents as a decimal number with two places.
func appendCents(b []byte, cents int64) []byte {
	b = strconv.AppendInt(b, cents/100, 10)
	return append(b, '.', byte('0'+cents/10%10), byte('0'+cents%10))
}
