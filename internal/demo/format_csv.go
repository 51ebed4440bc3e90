package demo

import "strconv"

// csvFormat is one line a message, its columns named by the configuration.
var csvFormat = Format{
	Name: "csv", Says: "a line of comma-separated values a message",
	settings: append([]string{
		"value.converter=csv",
		"value.converter.csv.header=symbol,timestamp_ns,bid_price,ask_price,bid_size,ask_size,venue,currency,sequence,feed_sequence,trading",
	}, fieldSettings...),
	value: csvValue, cut: half, venue: venueOf,
	other: framedAvro, strays: unreadableFrame,
}

func csvValue(m *Message, event int64) []byte {
	b := append(make([]byte, 0, 128), m.Symbol...)
	b = strconv.AppendInt(append(b, ','), m.spelled(event), 10)
	b = appendCents(append(b, ','), m.Bid)
	b = appendCents(append(b, ','), m.Ask)
	b = strconv.AppendInt(append(b, ','), m.BidSize, 10)
	b = strconv.AppendInt(append(b, ','), m.AskSize, 10)
	b = append(append(b, ','), venueOf(m.Symbol)...)
	b = strconv.AppendInt(append(b, ",USD,"...), m.Sequence, 10)
	b = append(b, ',')
	if n, ok := m.feedSequence(); ok {
		b = strconv.AppendInt(b, n, 10)
	}
	return append(append(b, ','), m.trading()...)
}
