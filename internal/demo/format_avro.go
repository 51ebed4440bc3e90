package demo

import (
	"encoding/binary"

	"github.com/twmb/avro"
	"github.com/twmb/franz-go/pkg/sr"

	"github.com/auditstream/auditstream/engine"
)

// schemaID is the schema's in the demo's registry.
const schemaID = 1

// avroFormat is Avro behind the frame of a schema registry.
var avroFormat = Format{
	Name: "avro", Says: "Avro with a schema registry",
	settings: append([]string{"value.converter=avro"}, fieldSettings...),
	schema:   &sr.Schema{Schema: avroText, Type: sr.TypeAvro},
	value:    avroValue, cut: butLast, venue: venueOf,
	other: jsonValue, strays: mixedFormats,
}

// The event time is a plain number: the unit that a logical type gives cannot
// change, and one of the faults changes it.
const avroText = `{"type":"record","name":"Tick","namespace":"demo","fields":[
{"name":"symbol","type":"string"},
{"name":"timestamp_ns","type":"long"},
{"name":"bid_price","type":"double"},
{"name":"ask_price","type":"double"},
{"name":"bid_size","type":"long"},
{"name":"ask_size","type":"long"},
{"name":"venue","type":"string"},
{"name":"currency","type":"string"},
{"name":"sequence","type":"long"},
{"name":"feed_sequence","type":["null","long"],"default":null},
{"name":"trading","type":["null","string"],"default":null}]}`

var avroSchema = avro.MustParse(avroText)

// avroTick is a message as its schema has it.
type avroTick struct {
	Symbol       string  `avro:"symbol"`
	Timestamp    int64   `avro:"timestamp_ns"`
	Bid          float64 `avro:"bid_price"`
	Ask          float64 `avro:"ask_price"`
	BidSize      int64   `avro:"bid_size"`
	AskSize      int64   `avro:"ask_size"`
	Venue        string  `avro:"venue"`
	Currency     string  `avro:"currency"`
	Sequence     int64   `avro:"sequence"`
	FeedSequence *int64  `avro:"feed_sequence"`
	Trading      *string `avro:"trading"`
}

func avroValue(m *Message, event int64) []byte {
	t := avroTick{
		Symbol: m.Symbol, Timestamp: m.spelled(event),
		Bid: float64(m.Bid) / 100, Ask: float64(m.Ask) / 100, BidSize: m.BidSize, AskSize: m.AskSize,
		Venue: venueOf(m.Symbol), Currency: "USD", Sequence: m.Sequence,
	}
	if n, ok := m.feedSequence(); ok {
		t.FeedSequence = &n
	}
	if trading := m.trading(); trading != "" {
		t.Trading = &trading
	}
	b, err := avroSchema.AppendEncode(framed(make([]byte, 0, 96)), &t)
	if err != nil {
		panic("BUG: a tick that is none of its schema: " + err.Error())
	}
	return b
}

// framed appends the frame by which a value names its schema.
func framed(b []byte) []byte { return binary.BigEndian.AppendUint32(append(b, 0), schemaID) }

// mixedFormats is what comes of JSON among values that name a schema: it is
// read, and told as another format.
func mixedFormats(symbol string) Expectation {
	e := expect(engine.FormatMixed, symbol, home(symbol))
	e.Unnamed = true
	return e
}
