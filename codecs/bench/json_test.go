// Package bench holds the tick decoder against the JSON libraries that others
// use for the job. It is a module of its own, so that the program does not
// depend on them.
package bench

import (
	"testing"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
	"github.com/buger/jsonparser"
	gojson "github.com/goccy/go-json"
	"github.com/valyala/fastjson"
)

// ticks are of 168 bytes and eight fields. In the second the two fields that
// are read come last.
var ticks = map[string][]byte{
	"first": []byte(`{"symbol":"EQ000123","timestamp_ns":1735831800123456789,"bid_price":412.3400,"ask_price":412.3600,"bid_size":300,"ask_size":1200,"last_price":412.3500,"last_size":1743}`),
	"last":  []byte(`{"bid_price":412.3400,"ask_price":412.3600,"bid_size":300,"ask_size":1200,"last_price":412.3500,"last_size":1743,"symbol":"EQ000123","timestamp_ns":1735831800123456789}`),
}

const (
	wantSymbol = "EQ000123"
	wantTime   = 1735831800123456789
)

// go test -C codecs/bench -bench=. -benchmem -count=6
func BenchmarkTwoFields(b *testing.B) {
	for _, place := range []string{"first", "last"} {
		value := ticks[place]
		b.Run("fields="+place+"/lib=codecs", func(b *testing.B) {
			d, err := codecs.NewJSON(codecs.Fields{Symbol: "symbol", Timestamp: "timestamp_ns"})
			if err != nil {
				b.Fatal(err)
			}
			var t engine.Tick
			measure(b, value, func() (string, int64) { d.Decode(value, &t); return string(t.Symbol), t.EventTime },
				func() { d.Decode(value, &t) })
		})
		b.Run("fields="+place+"/lib=jsonparser", func(b *testing.B) {
			var symbol []byte
			var time int64
			read := func() {
				symbol, _, _, _ = jsonparser.Get(value, "symbol")
				time, _ = jsonparser.GetInt(value, "timestamp_ns")
			}
			measure(b, value, func() (string, int64) { read(); return string(symbol), time }, read)
		})
		b.Run("fields="+place+"/lib=fastjson", func(b *testing.B) {
			var p fastjson.Parser
			var symbol []byte
			var time int64
			read := func() {
				v, err := p.ParseBytes(value)
				if err != nil {
					b.Fatal(err)
				}
				symbol, time = v.GetStringBytes("symbol"), v.GetInt64("timestamp_ns")
			}
			measure(b, value, func() (string, int64) { read(); return string(symbol), time }, read)
		})
		b.Run("fields="+place+"/lib=goccy", func(b *testing.B) {
			var v struct {
				Symbol string `json:"symbol"`
				Time   int64  `json:"timestamp_ns"`
			}
			read := func() {
				if err := gojson.Unmarshal(value, &v); err != nil {
					b.Fatal(err)
				}
			}
			measure(b, value, func() (string, int64) { read(); return v.Symbol, v.Time }, read)
		})
	}
}

// measure checks once what is read and then times it.
func measure(b *testing.B, value []byte, check func() (string, int64), read func()) {
	if symbol, time := check(); symbol != wantSymbol || time != wantTime {
		b.Fatalf("read %q, %d", symbol, time)
	}
	b.SetBytes(int64(len(value)))
	b.ReportAllocs()
	for b.Loop() {
		read()
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "ticks/s")
}
