package avro

import (
	"testing"
	"time"

	"github.com/twmb/avro"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
)

const at = int64(1735831800123456789)

// written encodes a value by the library.
func written(t testing.TB, schema string, v any) []byte {
	t.Helper()
	b, err := avro.MustParse(schema).Encode(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// tick is a record's reading by the plan of a schema.
func tick(t testing.TB, schema string, f, rules codecs.Fields, b []byte) engine.Tick {
	t.Helper()
	p, err := Compile(schema, nil, f)
	if err != nil {
		t.Fatal(err)
	}
	var out engine.Tick
	var s codecs.Scalars
	if reason := p.Read(b, &s); reason != engine.ReasonNone {
		return engine.Tick{Kind: engine.Unreadable, Reason: reason}
	}
	codecs.NewMeaning(rules).Fill(&out, &s)
	return out
}

// record is a record's schema with fields in JSON.
func record(fields string) string {
	return `{"type":"record","name":"Tick","namespace":"market","fields":[` + fields + `]}`
}

func TestFieldsAreFoundWhereverTheyStand(t *testing.T) {
	type m = map[string]any
	newYork, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	whole := codecs.Fields{Symbol: "symbol", Timestamp: "ts"}
	for name, c := range map[string]struct {
		schema string
		value  m
		fields codecs.Fields
		rules  codecs.Fields
		symbol string
		time   int64
		unit   engine.Unit
		reason engine.Reason
	}{
		"plain": {record(`{"name":"symbol","type":"string"},{"name":"ts","type":"long"}`), m{"symbol": "QXA", "ts": at}, whole, codecs.Fields{}, "QXA", at, engine.UnitNanos, 0},
		"millis": {record(`{"name":"ts","type":{"type":"long","logicalType":"timestamp-millis"}},{"name":"symbol","type":"string"}`),
			m{"symbol": "QXA", "ts": int64(12345)}, whole, codecs.Fields{}, "QXA", 12345_000_000, engine.UnitMillis, 0},
		"micros in a union": {record(`{"name":"ts","type":["null",{"type":"long","logicalType":"timestamp-micros"}]},{"name":"symbol","type":["null","string"]}`),
			m{"symbol": "QXA", "ts": int64(7)}, whole, codecs.Fields{}, "QXA", 7000, engine.UnitMicros, 0},
		"nanos": {record(`{"name":"ts","type":{"type":"long","logicalType":"timestamp-nanos"}},{"name":"symbol","type":"string"}`),
			m{"symbol": "QXA", "ts": at}, whole, codecs.Fields{}, "QXA", at, engine.UnitNanos, 0},
		"local": {record(`{"name":"ts","type":{"type":"long","logicalType":"local-timestamp-millis"}},{"name":"symbol","type":"string"}`),
			m{"symbol": "QXA", "ts": int64(1735813800000)}, whole, codecs.Fields{Zone: newYork}, "QXA", 1735831800_000_000_000, engine.UnitMillis, 0},
		"local without a zone": {record(`{"name":"ts","type":{"type":"long","logicalType":"local-timestamp-millis"}},{"name":"symbol","type":"string"}`),
			m{"symbol": "QXA", "ts": int64(1735813800000)}, whole, codecs.Fields{}, "QXA", 0, engine.UnitMillis, engine.ReasonTimeZone},
		"text": {record(`{"name":"symbol","type":"string"},{"name":"ts","type":"string"}`),
			m{"symbol": "QXA", "ts": "2025-01-02T15:30:00.5Z"}, whole, codecs.Fields{}, "QXA", 1735831800_500_000_000, engine.UnitISO, 0},
		"digits in text": {record(`{"name":"symbol","type":"string"},{"name":"ts","type":"string"}`),
			m{"symbol": "QXA", "ts": "1735831800123456789"}, whole, codecs.Fields{}, "QXA", at, engine.UnitNanos, 0},
		"double in seconds": {record(`{"name":"symbol","type":"string"},{"name":"ts","type":"double"}`),
			m{"symbol": "QXA", "ts": 1735831800.25}, whole, codecs.Fields{}, "QXA", 1735831800_250_000_000, engine.UnitSeconds, 0},
		"nanoseconds through a double": {record(`{"name":"symbol","type":"string"},{"name":"ts","type":"double"}`),
			m{"symbol": "QXA", "ts": float64(at)}, whole, codecs.Fields{}, "QXA", 0, engine.UnitNanos, engine.ReasonTimePrecision},
		"enum and int": {record(`{"name":"ts","type":"int"},{"name":"symbol","type":{"type":"enum","name":"S","symbols":["QXA","QXB"]}}`),
			m{"symbol": "QXB", "ts": int32(1735831800)}, whole, codecs.Fields{}, "QXB", 1735831800_000_000_000, engine.UnitSeconds, 0},
		"a number for a symbol": {record(`{"name":"symbol","type":"long"},{"name":"ts","type":"long"}`), m{"symbol": int64(600519), "ts": at}, whole, codecs.Fields{}, "600519", at, engine.UnitNanos, 0},
		"null":                  {record(`{"name":"symbol","type":["null","string"]},{"name":"ts","type":"long"}`), m{"symbol": nil, "ts": at}, whole, codecs.Fields{}, "", at, engine.UnitNanos, engine.ReasonSymbolNull},
		"missing":               {record(`{"name":"symbol","type":"string"}`), m{"symbol": "QXA"}, whole, codecs.Fields{}, "QXA", 0, 0, engine.ReasonTimeMissing},
		"negative":              {record(`{"name":"symbol","type":"string"},{"name":"ts","type":"long"}`), m{"symbol": "QXA", "ts": int64(-1)}, whole, codecs.Fields{}, "QXA", 0, 0, engine.ReasonTimeNegative},
		"an alias":              {record(`{"name":"sym","aliases":["symbol"],"type":"string"},{"name":"ts","type":"long"}`), m{"sym": "QXA", "ts": at}, whole, codecs.Fields{}, "QXA", at, engine.UnitNanos, 0},
		"between others": {record(`{"name":"a","type":{"type":"array","items":"string"}},{"name":"b","type":{"type":"map","values":"double"}},{"name":"symbol","type":"string"},{"name":"c","type":"bytes"},{"name":"d","type":["null","float"]},{"name":"ts","type":"long"},{"name":"e","type":"boolean"}`),
			m{"a": []string{"x", "y"}, "b": map[string]float64{"k": 1}, "symbol": "QXA", "c": []byte("zz"), "d": float32(1), "ts": at, "e": true},
			whole, codecs.Fields{}, "QXA", at, engine.UnitNanos, 0},
		"nested": {record(`{"name":"d","type":["null",{"type":"record","name":"D","fields":[{"name":"x","type":"int"},{"name":"s","type":"string"}]}]},{"name":"m","type":{"type":"map","values":"long"}}`),
			m{"d": m{"x": 1, "s": "QXA"}, "m": map[string]int64{"u": 5, "t": at}},
			codecs.Fields{Symbol: "d.s", Timestamp: "m.t"}, codecs.Fields{}, "QXA", at, engine.UnitNanos, 0},
	} {
		t.Run(name, func(t *testing.T) {
			got := tick(t, c.schema, c.fields, c.rules, written(t, c.schema, c.value))
			kind := engine.Good
			if c.reason != engine.ReasonNone {
				kind = engine.Unusable
			}
			if string(got.Symbol) != c.symbol || got.EventTime != c.time && kind == engine.Good || got.Unit != c.unit || got.Reason != c.reason || got.Kind != kind {
				t.Errorf("read %q at %d in %s: %d %s", got.Symbol, got.EventTime, got.Unit, got.Kind, got.Reason)
			}
		})
	}
}

var whole = codecs.Fields{Symbol: "symbol", Timestamp: "ts"}

// A record that is cut anywhere, or that goes on, is unreadable.
func TestEveryByteOfARecordCounts(t *testing.T) {
	schema := record(`{"name":"symbol","type":"string"},{"name":"x","type":{"type":"array","items":"double"}},{"name":"ts","type":"long"},{"name":"tail","type":{"type":"fixed","name":"F","size":3}}`)
	b := written(t, schema, map[string]any{"symbol": "QXA", "x": []float64{1, 2}, "ts": at, "tail": [3]byte{}})
	for n := range b {
		if got := tick(t, schema, whole, codecs.Fields{}, b[:n]); got.Kind != engine.Unreadable || got.Reason != engine.ReasonTruncated {
			t.Errorf("%d of %d bytes: %d %s", n, len(b), got.Kind, got.Reason)
		}
	}
	if got := tick(t, schema, whole, codecs.Fields{}, append(b, 0)); got.Reason != engine.ReasonSyntax {
		t.Errorf("a byte more: %s", got.Reason)
	}
}

// Counts that no record can have must cost neither time nor memory.
func TestGreatCountsAreHarmless(t *testing.T) {
	for name, items := range map[string]string{
		"null": `"null"`, "empty record": `{"type":"record","name":"E","fields":[]}`, "fixed 0": `{"type":"fixed","name":"Z","size":0}`,
		"double": `"double"`, "string": `"string"`, "record of nulls": `{"type":"record","name":"N","fields":[{"name":"a","type":"null"},{"name":"b","type":"null"}]}`,
	} {
		schema := record(`{"name":"a","type":{"type":"array","items":` + items + `}},{"name":"symbol","type":"string"},{"name":"ts","type":"long"}`)
		if _, err := avro.Parse(schema); err != nil {
			t.Logf("%s: no schema: %v", name, err)
			continue
		}
		b := []byte{0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0, 6, 'Q', 'X', 'A'}
		if got := tick(t, schema, whole, codecs.Fields{}, b); got.Kind != engine.Unreadable {
			t.Errorf("%s: %d", name, got.Kind)
		}
	}
}

func TestRecursiveSchema(t *testing.T) {
	schema := record(`{"name":"next","type":["null","Tick"]},{"name":"symbol","type":"string"},{"name":"ts","type":"long"}`)
	inner := map[string]any{"next": nil, "symbol": "QXB", "ts": int64(1)}
	b := written(t, schema, map[string]any{"next": inner, "symbol": "QXA", "ts": at})
	if got := tick(t, schema, whole, codecs.Fields{}, b); string(got.Symbol) != "QXA" || got.EventTime != at {
		t.Errorf("read %q at %d: %s", got.Symbol, got.EventTime, got.Reason)
	}
	if got := tick(t, schema, codecs.Fields{Symbol: "next.symbol", Timestamp: "next.ts"}, codecs.Fields{Unit: engine.UnitNanos}, b); string(got.Symbol) != "QXB" || got.EventTime != 1 {
		t.Errorf("read %q at %d: %s", got.Symbol, got.EventTime, got.Reason)
	}
	deep := make([]byte, 1000)
	for i := range deep {
		deep[i] = 2
	}
	if got := tick(t, schema, whole, codecs.Fields{}, deep); got.Reason != engine.ReasonDepth {
		t.Errorf("deep: %s", got.Reason)
	}
}

func TestReferences(t *testing.T) {
	instrument := `{"type":"record","name":"Instrument","namespace":"ref","fields":[{"name":"code","type":"string"}]}`
	schema := record(`{"name":"i","type":"ref.Instrument"},{"name":"ts","type":"long"}`)
	p, err := Compile(schema, []string{instrument}, codecs.Fields{Symbol: "i.code", Timestamp: "ts"})
	if err != nil {
		t.Fatal(err)
	}
	var s codecs.Scalars
	if reason := p.Read([]byte{6, 'Q', 'X', 'A', 2}, &s); reason != engine.ReasonNone || string(s.Symbol.Text) != "QXA" || s.Time.Int != 1 {
		t.Errorf("%s %+v", reason, s)
	}
	if _, err := Compile(schema, nil, whole); err == nil {
		t.Error("a schema whose reference is missing compiles")
	}
}

func TestReadingAllocatesNothing(t *testing.T) {
	schema := record(`{"name":"a","type":{"type":"map","values":"double"}},{"name":"symbol","type":["null","string"]},{"name":"ts","type":"long"}`)
	b := written(t, schema, map[string]any{"a": map[string]float64{"k": 1}, "symbol": "QXA", "ts": at})
	p, err := Compile(schema, nil, whole)
	if err != nil {
		t.Fatal(err)
	}
	m, s, out := codecs.NewMeaning(codecs.Fields{}), codecs.Scalars{}, engine.Tick{}
	if n := testing.AllocsPerRun(100, func() { p.Read(b, &s); m.Fill(&out, &s) }); n != 0 {
		t.Errorf("%v allocations a tick", n)
	}
	if out.Kind != engine.Good {
		t.Errorf("read as %s", out.Reason)
	}
}
