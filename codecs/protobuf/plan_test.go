package protobuf

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"testing"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
)

const schema = `syntax = "proto3";
package market;
import "google/protobuf/timestamp.proto";
import "google/protobuf/wrappers.proto";
import "ref/venue.proto";
message Heartbeat { int64 seq = 1; }
message Trade {
  enum Side { NONE = 0; BUY = 1; }
  message Inner { string code = 1; fixed64 at = 2; sint64 zig = 3; optional string maybe = 4; Inner again = 5; }
  string symbol = 1;
  int64 ts = 2;
  double price = 3;
  google.protobuf.Timestamp at = 4;
  Inner inner = 5;
  repeated string tags = 6;
  map<string, double> more = 7;
  uint64 big = 8;
  Side side = 9;
  google.protobuf.StringValue name = 10;
  ref.Venue venue = 11;
  double seconds = 12;
  bool flag = 13;
}
message Batch {
  message Tick { string s = 1; int64 n = 2; double px = 3; }
  message Event { optional int64 ts = 1; repeated Tick ticks = 2; }
  message Feed { repeated Tick list = 1; }
  repeated Event events = 1;
  int64 at = 2;
  string kind = 3;
  Feed feed = 4;
}`

const venue = `syntax = "proto3"; package ref; message Venue { string mic = 1; }`

const now = int64(1735831800123456789)

func files(t testing.TB) protoreflect.FileDescriptor {
	t.Helper()
	c := protocompile.Compiler{Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{
		Accessor: protocompile.SourceAccessorFromMap(map[string]string{"m.proto": schema, "ref/venue.proto": venue})})}
	found, err := c.Compile(context.Background(), "m.proto")
	if err != nil {
		t.Fatal(err)
	}
	return found[0]
}

// message is what Protobuf's own library makes of a message in JSON.
func encoded(t testing.TB, name protoreflect.Name, json string) []byte {
	t.Helper()
	m := dynamicpb.NewMessage(files(t).Messages().ByName(name))
	if err := protojson.Unmarshal([]byte(json), m); err != nil {
		t.Fatal(err)
	}
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// framed puts message indexes before a record.
func framed(b []byte, indexes ...int64) []byte {
	out := binary.AppendVarint(nil, int64(len(indexes)))
	for _, i := range indexes {
		out = binary.AppendVarint(out, i)
	}
	return append(out, b...)
}

func plan(t testing.TB, f codecs.Fields) *Plan {
	t.Helper()
	p, err := Compile(schema, map[string]string{"ref/venue.proto": venue}, f)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func tick(p *Plan, f codecs.Fields, b []byte) (out engine.Tick) {
	var s codecs.Scalars
	if reason := p.Read(b, &s); reason != engine.ReasonNone {
		return engine.Tick{Kind: engine.Unreadable, Reason: reason}
	}
	codecs.NewMeaning(f).Fill(&out, &s)
	return out
}

func TestFieldsOfEveryKind(t *testing.T) {
	for name, c := range map[string]struct {
		json, symbolPath, timePath string
		unit                       engine.Unit
		symbol                     string
		time                       int64
		reason                     engine.Reason
	}{
		"plain":              {`{"symbol":"QXA","ts":"1735831800123456789"}`, "symbol", "ts", 0, "QXA", now, 0},
		"a timestamp":        {`{"symbol":"QXA","at":"2025-01-02T15:30:00.123456789Z"}`, "symbol", "at", 0, "QXA", now, 0},
		"whatever unit":      {`{"symbol":"QXA","at":"2025-01-02T15:30:00.123456789Z"}`, "symbol", "at", engine.UnitMillis, "QXA", now, 0},
		"before the epoch":   {`{"symbol":"QXA","at":"1969-01-02T15:30:00Z"}`, "symbol", "at", 0, "QXA", 0, engine.ReasonTimeNegative},
		"out of range":       {`{"symbol":"QXA","at":"9999-01-02T15:30:00Z"}`, "symbol", "at", 0, "QXA", 0, engine.ReasonTimeRange},
		"its seconds":        {`{"symbol":"QXA","at":"2025-01-02T15:30:00.5Z"}`, "symbol", "at.seconds", 0, "QXA", 1735831800_000_000_000, 0},
		"nested":             {`{"inner":{"code":"QXA","at":"1735831800123456789"}}`, "inner.code", "inner.at", 0, "QXA", now, 0},
		"deeper":             {`{"inner":{"again":{"code":"QXA","zig":"1735831800123"}}}`, "inner.again.code", "inner.again.zig", 0, "QXA", 1735831800_123_000_000, 0},
		"wrapped":            {`{"name":"QXA","ts":1735831800}`, "name", "ts", 0, "QXA", 1735831800_000_000_000, 0},
		"imported":           {`{"venue":{"mic":"XNYS"},"ts":1735831800}`, "venue.mic", "ts", 0, "XNYS", 1735831800_000_000_000, 0},
		"an enum":            {`{"side":"BUY","ts":1735831800}`, "side", "ts", 0, "BUY", 1735831800_000_000_000, 0},
		"a double":           {`{"symbol":"QXA","seconds":1735831800.25}`, "symbol", "seconds", 0, "QXA", 1735831800_250_000_000, 0},
		"unsigned":           {`{"symbol":"QXA","big":"1735831800123456789"}`, "symbol", "big", 0, "QXA", now, 0},
		"beyond signed":      {`{"symbol":"QXA","big":"18446744073709551614"}`, "symbol", "big", engine.UnitNanos, "QXA", 0, engine.ReasonTimeRange},
		"the greatest":       {`{"symbol":"QXA","big":"18446744073709551615"}`, "symbol", "big", engine.UnitNanos, "QXA", 0, engine.ReasonTimeUnset},
		"zero is not there":  {`{"symbol":"QXA"}`, "symbol", "ts", 0, "QXA", 0, engine.ReasonTimeZero},
		"no symbol is empty": {`{"ts":1735831800}`, "symbol", "ts", 0, "", 0, engine.ReasonSymbolEmpty},
		"an optional":        {`{"ts":1735831800,"inner":{}}`, "inner.maybe", "ts", 0, "", 0, engine.ReasonSymbolMissing},
		"no message":         {`{"ts":1735831800}`, "inner.code", "ts", 0, "", 0, engine.ReasonSymbolMissing},
		"no such field":      {`{"ts":1735831800}`, "sym", "ts", 0, "", 0, engine.ReasonSymbolMissing},
		"a list":             {`{"ts":1735831800,"tags":["a"]}`, "tags", "ts", 0, "", 0, engine.ReasonSymbolMissing},
		"no text":            {`{"ts":1735831800,"flag":true}`, "flag", "ts", 0, "", 0, engine.ReasonSymbolType},
		"between others":     {`{"symbol":"QXA","ts":"1735831800123456789","price":1.5,"tags":["a","b"],"more":{"x":1},"inner":{"code":"no"}}`, "symbol", "ts", 0, "QXA", now, 0},
	} {
		t.Run(name, func(t *testing.T) {
			f := codecs.Fields{Symbol: c.symbolPath, Timestamp: c.timePath, Unit: c.unit}
			got := tick(plan(t, f), f, framed(encoded(t, "Trade", c.json), 1))
			if string(got.Symbol) != c.symbol || got.Reason != c.reason || got.Kind == engine.Good && got.EventTime != c.time {
				t.Errorf("read %q at %d: %d %s", got.Symbol, got.EventTime, got.Kind, got.Reason)
			}
		})
	}
}

var usual = codecs.Fields{Symbol: "symbol", Timestamp: "ts"}

func TestMessageIndexes(t *testing.T) {
	body := encoded(t, "Trade", `{"symbol":"QXA","ts":"1735831800123456789"}`)
	inner := codecs.Fields{Symbol: "code", Timestamp: "at"}
	within := protowire.AppendFixed64(protowire.AppendTag(protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), "QXB"), 2, protowire.Fixed64Type), uint64(now))
	for name, c := range map[string]struct {
		fields codecs.Fields
		value  []byte
		symbol string
		reason engine.Reason
	}{
		"second":     {usual, framed(body, 1), "QXA", 0},
		"first":      {codecs.Fields{Symbol: "seq", Timestamp: "seq"}, append([]byte{0}, encoded(t, "Heartbeat", `{"seq":1735831800}`)...), "1735831800", 0},
		"inside":     {inner, framed(within, 1, 0), "QXB", 0},
		"none":       {usual, framed(body, 3), "", engine.ReasonMessageUnknown},
		"negative":   {usual, framed(body, -1), "", engine.ReasonMessageUnknown},
		"too deep":   {usual, framed(body, 1, 0, 0, 0), "", engine.ReasonMessageUnknown},
		"no bytes":   {usual, nil, "", engine.ReasonTruncated},
		"cut":        {usual, []byte{4, 2}, "", engine.ReasonTruncated},
		"no count":   {usual, []byte{1}, "", engine.ReasonSyntax},
		"endless":    {usual, []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, "", engine.ReasonSyntax},
		"cut record": {usual, framed(body, 1)[:5], "", engine.ReasonTruncated},
	} {
		got := tick(plan(t, c.fields), c.fields, c.value)
		if string(got.Symbol) != c.symbol || got.Reason != c.reason {
			t.Errorf("%s: read %q: %d %s", name, got.Symbol, got.Kind, got.Reason)
		}
	}
}

// set is the schema as protoc writes it into a file.
func set(t testing.TB) []byte {
	var all descriptorpb.FileDescriptorSet
	seen := map[string]bool{}
	var add func(protoreflect.FileDescriptor)
	add = func(d protoreflect.FileDescriptor) {
		if seen[d.Path()] {
			return
		}
		seen[d.Path()] = true
		for i := range d.Imports().Len() {
			add(d.Imports().Get(i).FileDescriptor)
		}
		all.File = append(all.File, protodesc.ToFileDescriptorProto(d))
	}
	add(files(t))
	b, err := proto.Marshal(&all)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestBareByDescriptor(t *testing.T) {
	p, err := CompileDescriptor(set(t), "market.Trade", usual)
	if err != nil {
		t.Fatal(err)
	}
	if got := tick(p, usual, encoded(t, "Trade", `{"symbol":"QXA","ts":"1735831800123456789"}`)); string(got.Symbol) != "QXA" || got.EventTime != now {
		t.Errorf("read %q at %d: %s", got.Symbol, got.EventTime, got.Reason)
	}
	for name, bad := range map[string][]byte{"market.Quote": set(t), "market.Trade.Side": set(t), "market.Trade": []byte("syntax = \"proto3\";")} {
		if _, err := CompileDescriptor(bad, name, usual); err == nil {
			t.Errorf("%s compiles", name)
		}
	}
}

// Clients without a schema's source register its descriptor in base64.
func TestSchemaAsDescriptor(t *testing.T) {
	file := protodesc.ToFileDescriptorProto(files(t))
	for _, m := range file.MessageType {
		for _, f := range m.Field {
			f.JsonName = nil // as of a descriptor that no compiler has made
		}
	}
	b, err := proto.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Compile(base64.StdEncoding.EncodeToString(b), map[string]string{"ref/venue.proto": venue}, usual)
	if err != nil {
		t.Fatal(err)
	}
	if got := tick(p, usual, framed(encoded(t, "Trade", `{"symbol":"QXA","ts":"1735831800123456789"}`), 1)); string(got.Symbol) != "QXA" || got.EventTime != now {
		t.Errorf("read %q at %d: %s", got.Symbol, got.EventTime, got.Reason)
	}
}

func TestSchemaFaults(t *testing.T) {
	for _, bad := range []string{"", "no schema", `syntax = "proto3"; import "ref/none.proto";`, `syntax = "proto3"; message A { B b = 1; }`} {
		p, err := Compile(bad, nil, usual)
		if err != nil {
			continue
		}
		if got := tick(p, usual, []byte{0}); got.Reason != engine.ReasonMessageUnknown {
			t.Errorf("%q compiles", bad)
		}
	}
	if _, err := Compile(`syntax = "proto3"; import "confluent/meta.proto"; message A { string s = 1 [(confluent.field_meta).doc = "x"]; }`, nil, usual); err != nil {
		t.Errorf("with a registry's own options: %v", err)
	}
}

func TestReadingAllocatesNothing(t *testing.T) {
	p, m := plan(t, codecs.Fields{Symbol: "inner.code", Timestamp: "at"}), codecs.NewMeaning(codecs.Fields{})
	b := framed(encoded(t, "Trade", `{"symbol":"QXA","at":"2025-01-02T15:30:00.123456789Z","inner":{"code":"QXB"},"tags":["a"],"more":{"x":1}}`), 1)
	var s codecs.Scalars
	var out engine.Tick
	if n := testing.AllocsPerRun(100, func() { p.Read(b, &s); m.Fill(&out, &s) }); n != 0 {
		t.Errorf("%v allocations a tick", n)
	}
	if string(out.Symbol) != "QXB" || out.EventTime != now {
		t.Errorf("read %q at %d: %s", out.Symbol, out.EventTime, out.Reason)
	}
}
