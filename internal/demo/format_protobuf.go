package demo

import (
	"math"

	"github.com/twmb/franz-go/pkg/sr"
	"google.golang.org/protobuf/encoding/protowire"
)

// protobufFormat is Protobuf behind the frame of a schema registry, and the
// index of the message in its file.
var protobufFormat = Format{
	Name: "protobuf", Says: "Protobuf with a schema registry",
	settings: append([]string{"value.converter=protobuf"}, fieldSettings...),
	schema:   &sr.Schema{Schema: protobufText, Type: sr.TypeProtobuf},
	value:    protobufValue, cut: butLast, venue: venueOf,
	other: jsonValue, strays: mixedFormats,
}

const protobufText = `syntax = "proto3";
package demo;

message Tick {
  string symbol = 1;
  int64 timestamp_ns = 2;
  double bid_price = 3;
  double ask_price = 4;
  int64 bid_size = 5;
  int64 ask_size = 6;
  string venue = 7;
  string currency = 8;
  int64 sequence = 9;
  optional int64 feed_sequence = 10;
  optional string trading = 11;
}
`

// firstMessage is the index of the first message of a file, as serializers
// write it.
const firstMessage = 0

func protobufValue(m *Message, event int64) []byte {
	b := append(framed(make([]byte, 0, 112)), firstMessage)
	text := func(field protowire.Number, s string) {
		b = protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), s)
	}
	whole := func(field protowire.Number, n int64) {
		b = protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), uint64(n))
	}
	price := func(field protowire.Number, cents int64) {
		b = protowire.AppendFixed64(protowire.AppendTag(b, field, protowire.Fixed64Type), math.Float64bits(float64(cents)/100))
	}
	text(1, m.Symbol)
	whole(2, m.spelled(event))
	price(3, m.Bid)
	price(4, m.Ask)
	whole(5, m.BidSize)
	whole(6, m.AskSize)
	text(7, venueOf(m.Symbol))
	text(8, "USD")
	whole(9, m.Sequence)
	if n, ok := m.feedSequence(); ok {
		whole(10, n)
	}
	if trading := m.trading(); trading != "" {
		text(11, trading)
	}
	return b
}
