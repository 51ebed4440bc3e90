package demo

import "strconv"

// binanceFormat is the messages of Binance's futures: bookTicker, and trade
// and aggTrade for the symbols whose faults need them. Times are milliseconds.
// The member "trading" of one symbol's messages is the demo's own: Binance has
// no such thing.
var binanceFormat = Format{
	Name: "binance", Says: "messages of Binance, a feed that is known by name",
	settings: []string{"value.converter=binance"},
	value:    binanceValue, cut: half, venue: binanceStream,
	other: framedAvro, strays: unreadableFrame,
}

// binanceStream is the stream that a symbol's messages are of: it stands for
// the venue.
func binanceStream(symbol string) string {
	switch {
	case symbol == symbolGap:
		return "trade"
	case venueOf(symbol) == venueOther:
		return "aggTrade"
	}
	return "bookTicker"
}

func binanceValue(m *Message, event int64) []byte {
	stream := binanceStream(m.Symbol)
	at := event / 1e6
	if m.Micros {
		at = event / 1e3
	}
	b := make([]byte, 0, 224)
	b = append(append(b, `{"e":"`...), stream...)
	b = strconv.AppendInt(append(b, `","E":`...), at, 10)
	b = append(append(b, `,"s":"`...), m.Symbol...)
	switch stream {
	case "trade":
		b = strconv.AppendInt(append(b, `","t":`...), m.Sequence, 10)
	case "aggTrade":
		b = strconv.AppendInt(append(b, `","a":`...), m.Sequence, 10)
	default:
		b = strconv.AppendInt(append(b, `","u":`...), m.Sequence, 10)
		b = appendCents(append(b, `,"b":"`...), m.Bid)
		b = strconv.AppendInt(append(b, `","B":"`...), m.BidSize, 10)
		b = appendCents(append(b, `","a":"`...), m.Ask)
		b = strconv.AppendInt(append(b, `","A":"`...), m.AskSize, 10)
		b = append(b, '"')
	}
	if stream != "bookTicker" {
		b = appendCents(append(b, `,"p":"`...), m.Ask)
		b = strconv.AppendInt(append(b, `","q":"`...), m.AskSize, 10)
		b = append(b, `","m":false`...)
	}
	b = strconv.AppendInt(append(b, `,"T":`...), at, 10)
	if trading := m.trading(); trading != "" {
		b = append(append(append(b, `,"trading":"`...), trading...), '"')
	}
	return append(b, '}')
}
