package demo

import (
	"strconv"

	"github.com/auditstream/auditstream/engine"
)

// jsonFormat is about 170 bytes a message.
var jsonFormat = Format{
	Name: "json", Says: "plain JSON",
	settings: fieldSettings,
	value:    jsonValue, cut: half, venue: venueOf,
	other: framedAvro, strays: unreadableFrame,
}

func jsonValue(m *Message, event int64) []byte {
	b := make([]byte, 0, 224)
	b = append(b, `{"symbol":"`...)
	b = append(b, m.Symbol...)
	b = append(b, `","timestamp_ns":`...)
	b = strconv.AppendInt(b, m.spelled(event), 10)
	b = append(b, `,"bid_price":`...)
	b = appendCents(b, m.Bid)
	b = append(b, `,"ask_price":`...)
	b = appendCents(b, m.Ask)
	b = append(b, `,"bid_size":`...)
	b = strconv.AppendInt(b, m.BidSize, 10)
	b = append(b, `,"ask_size":`...)
	b = strconv.AppendInt(b, m.AskSize, 10)
	b = append(b, `,"venue":"`...)
	b = append(b, venueOf(m.Symbol)...)
	b = append(b, `","currency":"USD","sequence":`...)
	b = strconv.AppendInt(b, m.Sequence, 10)
	if n, ok := m.feedSequence(); ok {
		b = append(b, `,"feed_sequence":`...)
		b = strconv.AppendInt(b, n, 10)
	}
	if trading := m.trading(); trading != "" {
		b = append(b, `,"trading":"`...)
		b = append(append(b, trading...), '"')
	}
	return append(b, '}')
}

// framedAvro is what a producer writes that has been set up with a schema
// registry.
func framedAvro(m *Message, event int64) []byte { return avroFormat.value(m, event) }

// unreadableFrame is what comes of it where no registry is configured.
func unreadableFrame(symbol string) Expectation {
	e := expect(engine.UnreadableValue, symbol, home(symbol))
	e.Reason = engine.ReasonFramed
	return e
}
