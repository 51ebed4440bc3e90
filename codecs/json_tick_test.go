package codecs

import (
	"strings"
	"testing"
	"time"

	"github.com/auditstream/auditstream/engine"
)

func newJSON(t testing.TB, f Fields) *JSON {
	t.Helper()
	if f.Symbol == "" {
		f.Symbol = "symbol"
	}
	if f.Timestamp == "" {
		f.Timestamp = "ts"
	}
	d, err := NewJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// decoded is a tick as tests write it down.
type decoded struct {
	kind   engine.Kind
	reason engine.Reason
	symbol string
	time   int64
	unit   engine.Unit
}

func decode(d *JSON, value []byte) decoded {
	tick := engine.Tick{Symbol: []byte("left over"), EventTime: 7, Kind: engine.Unusable, Reason: engine.ReasonDepth}
	d.Decode(value, &tick)
	return decoded{tick.Kind, tick.Reason, string(tick.Symbol), tick.EventTime, tick.Unit}
}

const t0 = int64(1735831800_000000000) // 2025-01-02T15:30:00Z

func TestJSONGoodTicks(t *testing.T) {
	for name, tc := range map[string]struct {
		fields Fields
		value  string
		symbol string
		time   int64
		unit   engine.Unit
	}{
		"plain":            {Fields{}, `{"symbol":"QXA","ts":1735831800000000000}`, "QXA", t0, engine.UnitNanos},
		"order of fields":  {Fields{}, ` { "ts" : 1735831800000000000 , "x":[1,{"symbol":"no"}], "symbol":"QXA" } `, "QXA", t0, engine.UnitNanos},
		"exact case":       {Fields{Symbol: "s", Timestamp: "T"}, `{"s":"BTCUSDT","S":"Buy","T":1672515782136,"t":12345}`, "BTCUSDT", 1672515782136e6, engine.UnitMillis},
		"nested":           {Fields{Symbol: "data.s", Timestamp: "data.T"}, `{"s":1,"data":{"e":"trade","s":"ETHUSDT","T":1723161257440,"d":{}},"T":2}`, "ETHUSDT", 1723161257440e6, engine.UnitMillis},
		"apart":            {Fields{Symbol: "a.b.c", Timestamp: "a.t"}, `{"a":{"b":{"c":"X"},"t":1735831800}}`, "X", t0, engine.UnitSeconds},
		"last wins":        {Fields{}, `{"symbol":"A","ts":1,"symbol":"B","ts":1735831800}`, "B", t0, engine.UnitSeconds},
		"escaped name":     {Fields{}, `{"\u0073ymbol":"A","t\u0073":1735831800}`, "A", t0, engine.UnitSeconds},
		"escaped symbol":   {Fields{}, `{"symbol":"A\/\"\\\n\u00c9\ud83d\ude00\ud83dx","ts":1735831800}`, "A/\"\\\nÉ😀\ufffdx", t0, engine.UnitSeconds},
		"no UTF-8":         {Fields{}, "{\"symbol\":\"A\xff\",\"ts\":1735831800}", "A\xff", t0, engine.UnitSeconds},
		"space kept":       {Fields{}, `{"symbol":"QXA ","ts":1735831800}`, "QXA ", t0, engine.UnitSeconds},
		"upper":            {Fields{Normalize: NormalizeUpper}, `{"symbol":" qxa\n","ts":1735831800}`, "QXA", t0, engine.UnitSeconds},
		"upper, no change": {Fields{Normalize: NormalizeUpper}, `{"symbol":"QXA","ts":1735831800}`, "QXA", t0, engine.UnitSeconds},
		"upper, not ASCII": {Fields{Normalize: NormalizeUpper}, "{\"symbol\":\"caf\u00e9\xff\",\"ts\":1735831800}", "CAF\u00c9\xff", t0, engine.UnitSeconds},
		"integer symbol":   {Fields{Symbol: "id"}, `{"id":15144,"ts":1735831800}`, "15144", t0, engine.UnitSeconds},
		"longest symbol":   {Fields{}, `{"symbol":"` + strings.Repeat("s", 1024) + `","ts":1735831800}`, strings.Repeat("s", 1024), t0, engine.UnitSeconds},
	} {
		want := decoded{engine.Good, engine.ReasonNone, tc.symbol, tc.time, tc.unit}
		if got := decode(newJSON(t, tc.fields), []byte(tc.value)); got != want {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
}

func TestJSONUnreadable(t *testing.T) {
	deep := strings.Repeat("[", 63) + strings.Repeat("]", 63)
	for value, want := range map[string]engine.Reason{
		"":                           engine.ReasonEmpty,
		" ":                          engine.ReasonTruncated,
		`{"symbol":"QXA","ts":17358`: engine.ReasonTruncated,
		`{"symbol":"QXA","ts":1735831800000000000,"x":"`:       engine.ReasonTruncated,
		`{"symbol":"QXA","ts":1735831800000000000,"x":{"y":1}`: engine.ReasonTruncated,
		`{"symbol":"QXA","ts":1735831800000000000,"x":"\u00`:   engine.ReasonTruncated,
		`{"symbol":"QXA","ts":1735831800000000000,"x":tru`:     engine.ReasonTruncated,
		`{"symbol":"QXA","ts":1735831800000000000,`:            engine.ReasonTruncated,
		`{"symbol":"QXA","ts":1735831800000000000,}`:           engine.ReasonSyntax,
		`{"symbol":"QXA","ts":1735831800000000000}}`:           engine.ReasonSyntax,
		`{"symbol":"QXA","ts":1735831800000000000} {}`:         engine.ReasonSyntax,
		`{"symbol":"QXA","ts":1735831800000000000,"x":NaN}`:    engine.ReasonSyntax,
		`{"symbol":"QXA","ts":1735831800000000000,"x":01}`:     engine.ReasonSyntax,
		`{"symbol":"QXA","ts":1735831800000000000,"x":[1}}`:    engine.ReasonSyntax,
		`{"symbol":"QXA" "ts":1735831800000000000}`:            engine.ReasonSyntax,
		`{"symbol":"Q` + "\n" + `XA","ts":1735831800}`:         engine.ReasonSyntax,
		`{"symbol":"Q\xXA","ts":1735831800}`:                   engine.ReasonSyntax,
		`{'symbol': 'QXA', 'ts': 1735831800}`:                  engine.ReasonSyntax,
		"\xef\xbb\xbf" + `{"symbol":"QXA","ts":1735831800}`:    engine.ReasonSyntax,
		`[{"symbol":"QXA","ts":1735831800}]`:                   engine.ReasonNotObject,
		`"QXA"`:                                                engine.ReasonNotObject,
		`17358`:                                                engine.ReasonNotObject,
		`null`:                                                 engine.ReasonNotObject,
		`nope`:                                                 engine.ReasonSyntax,
		"\x00\x00\x00\x00\x2aabc":                              engine.ReasonFramed,
		"\x00\x00\x00\x00\x2b" + `{"symbol":"QXA"}`:            engine.ReasonFramed,
		"\x00": engine.ReasonTruncated,
		`{"x":` + deep + `,"symbol":"A","ts":1735831800}`:   engine.ReasonNone,
		`{"x":[` + deep + `],"symbol":"A","ts":1735831800}`: engine.ReasonDepth,
		strings.Repeat(`{"x":`, 1_000_000):                  engine.ReasonDepth,
	} {
		got := decode(newJSON(t, Fields{}), []byte(value))
		if got.reason != want || want != engine.ReasonNone && (got.kind != engine.Unreadable || got.symbol != "" || got.time != 0) {
			t.Errorf("%.80q: got %+v, want reason %v", value, got, want)
		}
	}
	if got := decode(newJSON(t, Fields{}), nil); got.kind != engine.Tombstone || got.reason != engine.ReasonNone {
		t.Errorf("nil: got %+v, want a tombstone", got)
	}
}

func TestJSONUnusableSymbols(t *testing.T) {
	for value, want := range map[string]engine.Reason{
		`{"ts":1735831800}`:                              engine.ReasonSymbolMissing,
		`{"Symbol":"A","ts":1735831800}`:                 engine.ReasonSymbolMissing,
		`{"symbol":null,"ts":1735831800}`:                engine.ReasonSymbolNull,
		`{"symbol":"A","symbol":null,"ts":1735831800}`:   engine.ReasonSymbolNull,
		`{"symbol":"","ts":1735831800}`:                  engine.ReasonSymbolEmpty,
		`{"symbol":true,"ts":1735831800}`:                engine.ReasonSymbolType,
		`{"symbol":1.5,"ts":1735831800}`:                 engine.ReasonSymbolType,
		`{"symbol":1e3,"ts":1735831800}`:                 engine.ReasonSymbolType,
		`{"symbol":["A"],"ts":1735831800}`:               engine.ReasonSymbolType,
		`{"symbol":{},"ts":0}`:                           engine.ReasonSymbolType,
		`{"symbol":"` + strings.Repeat("s", 1025) + `"}`: engine.ReasonSymbolLong,
	} {
		got := decode(newJSON(t, Fields{}), []byte(value))
		if got.kind != engine.Unusable || got.reason != want {
			t.Errorf("%.60s: got %+v, want reason %v", value, got, want)
		}
	}
	blank := decode(newJSON(t, Fields{Normalize: NormalizeUpper}), []byte(`{"symbol":"  ","ts":1735831800}`))
	if blank.reason != engine.ReasonSymbolEmpty {
		t.Errorf("a symbol of white space, upper: got %+v", blank)
	}
	path := newJSON(t, Fields{Symbol: "data.s", Timestamp: "ts"})
	if got := decode(path, []byte(`{"data":"s","s":"A","ts":1735831800}`)); got.reason != engine.ReasonSymbolMissing {
		t.Errorf("path through text: got %+v", got)
	}
}

func TestJSONTimes(t *testing.T) {
	newYork, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	auto, s, ms, us, ns, iso := engine.UnitAuto, engine.UnitSeconds, engine.UnitMillis, engine.UnitMicros, engine.UnitNanos, engine.UnitISO
	for _, tc := range []struct {
		unit   engine.Unit
		zone   *time.Location
		time   string
		want   int64
		said   engine.Unit
		reason engine.Reason
	}{
		{auto, nil, `1735831800`, t0, s, 0},
		{auto, nil, `1735831800123`, t0 + 123e6, ms, 0},
		{auto, nil, `1735831800123456`, t0 + 123456e3, us, 0},
		{auto, nil, `1735831800123456789`, t0 + 123456789, ns, 0},
		{auto, nil, `"1735831800123456800"`, t0 + 123456800, ns, 0},
		{auto, nil, `1735831800.123456`, t0 + 123456e3, s, 0},
		{auto, nil, `"1735831800.000000001"`, t0 + 1, s, 0},
		{auto, nil, `1735831800123.456`, t0 + 123456e3, ms, 0},
		{auto, nil, `1735831800.0000000010`, t0 + 1, s, 0},
		{auto, nil, `1735831800.0000000001`, 0, s, engine.ReasonTimePrecision},
		{auto, nil, `1735831800123456789.0`, t0 + 123456789, ns, 0},
		{auto, nil, `1735831800123456789.5`, 0, ns, engine.ReasonTimePrecision},
		{auto, nil, `1.7358318001234568e18`, 0, ns, engine.ReasonTimePrecision},
		{auto, nil, `1.735831800123456789E+18`, t0 + 123456789, ns, 0},
		{auto, nil, `1.7358318e9`, t0, s, 0},
		{auto, nil, `1.7358318e12`, t0, ms, 0},
		{auto, nil, `17358318001e-1`, t0 + 1e8, s, 0},
		{auto, nil, `1e1000000000000000000000`, 0, auto, engine.ReasonTimeRange},
		{ns, nil, `1e1000000000000000000000`, 0, ns, engine.ReasonTimeRange},
		{s, nil, `1e-1000000000000000000000`, 0, s, engine.ReasonTimePrecision},
		{auto, nil, `173583180`, 0, auto, engine.ReasonTimeRange},
		{auto, nil, `17358318001`, 0, auto, engine.ReasonTimeRange},
		{auto, nil, `9223372036854775807`, 0, ns, engine.ReasonTimeUnset},
		{ms, nil, `"18446744073709551615"`, 0, ms, engine.ReasonTimeUnset},
		{auto, nil, `9223372035999999999`, 9223372035999999999, ns, 0},
		{auto, nil, `9223372036854775`, 0, us, engine.ReasonTimeUnset},
		{auto, nil, `18446744073709551615`, 0, auto, engine.ReasonTimeUnset},
		{ns, nil, `18446744073709551615`, 0, ns, engine.ReasonTimeUnset},
		{auto, nil, `9223372036854775808`, 0, ns, engine.ReasonTimeRange},
		{auto, nil, `17358318001234567890`, 0, auto, engine.ReasonTimeRange},
		// So many digits are today's times in another unit: as the configured one they would wrap, or be of 1970.
		{ms, nil, `1735689600000123`, 1735689600000123e3, us, 0},
		{ms, nil, `"1735831800123456"`, t0 + 123456e3, us, 0},
		{s, nil, `1735689599999`, 1735689599999e6, ms, 0},
		{ns, nil, `1735689599999`, 1735689599999e6, ms, 0},
		{us, nil, `1735831800.5`, t0 + 5e8, s, 0},
		{ns, nil, `1.7358318e9`, 1735831800, ns, 0},
		{ns, nil, `5`, 5, ns, 0},
		{ms, nil, `9223372036854`, 0, ms, engine.ReasonTimeUnset},
		{ms, nil, `9223372035999`, 9223372035999e6, ms, 0},
		{ms, nil, `9223372036855`, 0, ms, engine.ReasonTimeRange},
		{s, nil, `9223372036.854775807`, 0, s, engine.ReasonTimeUnset},
		{s, nil, `9223372035.854775807`, 9223372035854775807, s, 0},
		{s, nil, `9223372036.854775808`, 0, s, engine.ReasonTimeRange},
		{s, nil, `0.000001`, 1000, s, 0},
		{auto, nil, `0`, 0, auto, engine.ReasonTimeZero},
		{auto, nil, `"0"`, 0, auto, engine.ReasonTimeZero},
		{auto, nil, `0.0e5`, 0, auto, engine.ReasonTimeZero},
		{auto, nil, `-0`, 0, auto, engine.ReasonTimeZero},
		{auto, nil, `-1`, 0, auto, engine.ReasonTimeNegative},
		{auto, nil, `"-1735831800"`, 0, auto, engine.ReasonTimeNegative},
		{auto, nil, `null`, 0, auto, engine.ReasonTimeNull},
		{auto, nil, `true`, 0, auto, engine.ReasonTimeSyntax},
		{auto, nil, `[1735831800]`, 0, auto, engine.ReasonTimeSyntax},
		{auto, nil, `{}`, 0, auto, engine.ReasonTimeSyntax},
		{auto, nil, `""`, 0, auto, engine.ReasonTimeSyntax},
		{auto, nil, `"-"`, 0, auto, engine.ReasonTimeSyntax},
		{auto, nil, `" 1735831800"`, 0, auto, engine.ReasonTimeSyntax},
		{auto, nil, `"0x67769b78"`, 0, auto, engine.ReasonTimeSyntax},
		{auto, nil, `"01735831800"`, 0, auto, engine.ReasonTimeSyntax},
		{iso, nil, `1735831800`, 0, auto, engine.ReasonTimeSyntax},
		{ms, nil, `"2025-01-02T15:30:00Z"`, 0, auto, engine.ReasonTimeSyntax},

		{auto, nil, `"2025-01-02T15:30:00Z"`, t0, iso, 0},
		{iso, nil, `"2025-01-02T15:30:00.123456789Z"`, t0 + 123456789, iso, 0},
		{iso, nil, `"2025-01-02t15:30:00,5z"`, t0 + 5e8, iso, 0},
		{iso, nil, `"2025-01-02 15:30:00.000001+00:00"`, t0 + 1000, iso, 0},
		{iso, nil, `"2025-01-02T10:30:00-05:00"`, t0, iso, 0},
		{iso, nil, `"2025-01-02T21:00:00+0530"`, t0, iso, 0},
		{iso, nil, `"2025-01-03T00:30:00+09"`, t0, iso, 0},
		{iso, nil, `"2025-01-02T15:30:00.1234567890000Z"`, t0 + 123456789, iso, 0},
		{iso, nil, `"2025-01-02T15:30:00.1234567891Z"`, 0, auto, engine.ReasonTimePrecision},
		{iso, nil, `"2025-01-02T15:30:00"`, 0, auto, engine.ReasonTimeZone},
		{iso, newYork, `"2025-01-02T10:30:00.5"`, t0 + 5e8, iso, 0},
		{iso, newYork, `"2025-07-02T10:30:00"`, 1751466600e9, iso, 0},
		{iso, newYork, `"2025-01-02T15:30:00Z"`, t0, iso, 0},
		{iso, nil, `"2024-02-29T00:00:00Z"`, 1709164800e9, iso, 0},
		{iso, nil, `"2023-02-29T00:00:00Z"`, 0, auto, engine.ReasonTimeSyntax},
		{iso, nil, `"2025-13-01T00:00:00Z"`, 0, auto, engine.ReasonTimeSyntax},
		{iso, nil, `"2025-04-31T00:00:00Z"`, 0, auto, engine.ReasonTimeSyntax},
		{iso, nil, `"2025-01-02T24:00:00Z"`, 0, auto, engine.ReasonTimeSyntax},
		{iso, nil, `"2025-01-02T15:30:00.Z"`, 0, auto, engine.ReasonTimeSyntax},
		{iso, nil, `"2025-01-02T15:30:00+5"`, 0, auto, engine.ReasonTimeSyntax},
		{iso, nil, `"2025-01-02T15:30:00 UTC"`, 0, auto, engine.ReasonTimeSyntax},
		{iso, nil, `"2025-01-02"`, 0, auto, engine.ReasonTimeSyntax},
		{iso, nil, `"1970-01-01T00:00:00Z"`, 0, auto, engine.ReasonTimeZero},
		{iso, nil, `"1970-01-01T00:00:00+01:00"`, 0, auto, engine.ReasonTimeNegative},
		{iso, nil, `"0001-01-01T00:00:00Z"`, 0, auto, engine.ReasonTimeUnset},
		{iso, nil, `"1600-01-01T00:00:00Z"`, 0, auto, engine.ReasonTimeNegative},
		{iso, nil, `"2262-04-11T23:47:16.854775807Z"`, 0, auto, engine.ReasonTimeUnset},
		{iso, nil, `"2262-04-11T23:47:15.854775807Z"`, 9223372035854775807, iso, 0},
		{iso, nil, `"2262-04-11T23:47:16.854775808Z"`, 0, auto, engine.ReasonTimeRange},
		{iso, nil, `"9999-12-31T23:59:59Z"`, 0, auto, engine.ReasonTimeUnset},

		// Leap seconds: the last nanosecond before midnight, UTC.
		{iso, nil, `"2016-12-31T23:59:60.5Z"`, 1483228800e9 - 1, iso, 0},
		{iso, nil, `"2016-12-31T18:59:60-05:00"`, 1483228800e9 - 1, iso, 0},
		{iso, newYork, `"2016-12-31T18:59:60"`, 1483228800e9 - 1, iso, 0},
		{iso, nil, `"2016-12-31T12:59:60Z"`, 0, auto, engine.ReasonTimeSyntax},
		{iso, nil, `"2016-12-31T23:59:61Z"`, 0, auto, engine.ReasonTimeSyntax},
	} {
		d := newJSON(t, Fields{Unit: tc.unit, Zone: tc.zone})
		got := decode(d, []byte(`{"symbol":"A","ts":`+tc.time+`}`))
		want := decoded{engine.Good, tc.reason, "A", tc.want, tc.said}
		if tc.reason != 0 {
			want.kind = engine.Unusable
		}
		if got != want {
			t.Errorf("unit %v, %s: got %+v, want %+v", tc.unit, tc.time, got, want)
		}
	}
	if got := decode(newJSON(t, Fields{}), []byte(`{"symbol":"A"}`)); got.reason != engine.ReasonTimeMissing {
		t.Errorf("no time: got %+v", got)
	}
}

func TestJSONPathsRefused(t *testing.T) {
	for _, f := range []Fields{
		{Symbol: "", Timestamp: "t"}, {Symbol: "s", Timestamp: "a..t"}, {Symbol: "s.", Timestamp: "t"},
		{Symbol: "s", Timestamp: "s"}, {Symbol: "s", Timestamp: "s.t"}, {Symbol: "s.t", Timestamp: "s"},
	} {
		if _, err := NewJSON(f); err == nil {
			t.Errorf("symbol %q, timestamp %q: accepted", f.Symbol, f.Timestamp)
		}
	}
}

func TestJSONSymbolIsViewOnValue(t *testing.T) {
	value := []byte(`{"symbol":"QXA","ts":1735831800}`)
	var tick engine.Tick
	newJSON(t, Fields{Normalize: NormalizeUpper}).Decode(value, &tick)
	if &tick.Symbol[0] != &value[11] {
		t.Error("the symbol was copied")
	}
}

func TestJSONAllocatesNothing(t *testing.T) {
	d := newJSON(t, Fields{Normalize: NormalizeUpper, Zone: time.UTC})
	values := [][]byte{
		[]byte(benchTick), []byte(`{"symbol":"qx\u0061","ts":"2025-01-02T15:30:00.5"}`),
		[]byte(`{"symbol":"QXA","ts":17358`), []byte(`{"symbol":"QXA","ts":1.5e3,"\u0061":[{}]}`),
	}
	var tick engine.Tick
	for _, v := range values {
		d.Decode(v, &tick)
		if n := testing.AllocsPerRun(100, func() { d.Decode(v, &tick) }); n != 0 {
			t.Errorf("%s: %v allocations", v, n)
		}
	}
}

// Two producers that write the members in another order share a decoder.
func TestJSONShapesTakeTurns(t *testing.T) {
	d := newJSON(t, Fields{})
	values := []string{
		`{"symbol":"QXA","ts":1735831800,"x":1}`, `{"ts":1735831801,"x":{"symbol":"no"},"symbol":"QXB"}`,
		`{"symbol" : "QXC","ts":1735831802}`, `{"symbol":"QXD","x":2,"ts":1735831803}`, `{"ts":1735831804,"symbol":"QXE","x":1}`,
	}
	read := func() {
		for i, v := range values {
			var tick engine.Tick
			d.Decode([]byte(v), &tick)
			want := "QX" + string(rune('A'+i))
			if tick.Kind != engine.Good || string(tick.Symbol) != want || tick.EventTime != (1735831800+int64(i))*1e9 {
				t.Fatalf("%s: kind %v, symbol %q, time %d", v, tick.Kind, tick.Symbol, tick.EventTime)
			}
		}
	}
	for range 3 {
		read()
	}
	value, tick := [][]byte{[]byte(values[0]), []byte(values[1])}, engine.Tick{}
	if n := testing.AllocsPerRun(100, func() { d.Decode(value[0], &tick); d.Decode(value[1], &tick) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// The 168-byte tick of the performance page.
const benchTick = `{"symbol":"EQ000123","timestamp_ns":1735831800123456789,"bid_price":412.3400,"ask_price":412.3600,"bid_size":300,"ask_size":1200,"last_price":412.3500,"last_size":40000}`

// go test -bench=JSONDecode -benchmem ./codecs
func BenchmarkJSONDecode(b *testing.B) {
	for name, fields := range map[string]Fields{
		"fields=first": {Symbol: "symbol", Timestamp: "timestamp_ns"},
	} {
		b.Run(name, func(b *testing.B) {
			d := newJSON(b, fields)
			value := []byte(benchTick)
			b.SetBytes(int64(len(value)))
			b.ReportAllocs()
			var tick engine.Tick
			for b.Loop() {
				d.Decode(value, &tick)
			}
			if tick.Kind != engine.Good || tick.EventTime != t0+123456789 {
				b.Fatalf("%+v", tick)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "ticks/s")
		})
	}
}
