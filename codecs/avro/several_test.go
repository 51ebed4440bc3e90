package avro

import (
	"fmt"
	"strings"
	"testing"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
)

type object = map[string]any

// read are the ticks of a record, one a line, and their contents.
func read(t testing.TB, schema string, f codecs.Fields, b []byte) (ticks string, contents []uint64) {
	t.Helper()
	p, err := Compile(schema, nil, f)
	if err != nil {
		t.Fatal(err)
	}
	d, err := codecs.NewBare(codecs.BareSchemas{Format: engine.BareAvro, Plan: p}, f)
	if err != nil {
		t.Fatal(err)
	}
	r, out := codecs.NewTickReader(d, ""), []string{}
	for tick := r.Read(&codecs.Record{Value: b}); tick != nil; tick = r.Next() {
		switch tick.Kind {
		case engine.Good:
			out = append(out, fmt.Sprintf("%s %d #%d", tick.Symbol, tick.EventTime-at, tick.Sequence))
		case engine.Ignored:
			out = append(out, "ignored")
		default:
			out = append(out, tick.Reason.String())
		}
		contents = append(contents, tick.Content)
	}
	return strings.Join(out, ", "), contents
}

const batch = `{"type":"record","name":"Batch","fields":[
 {"name":"kind","type":"string"},
 {"name":"events","type":{"type":"array","items":{"type":"record","name":"Event","fields":[
  {"name":"ts","type":["null","long"]},
  {"name":"ticks","type":["null",{"type":"array","items":{"type":"record","name":"Tick","fields":[
   {"name":"n","type":"long"},{"name":"px","type":"double"},{"name":"s","type":["null","string"]}]}}]}]}}},
 {"name":"at","type":"long"}]}`

// Every element of an array is a tick, with what stands around it.
func TestArraysOfTicks(t *testing.T) {
	tick := func(s any, n int64) object { return object{"s": s, "n": n, "px": 1.5} }
	inner := codecs.Fields{Symbol: "events[].ticks[].s", Timestamp: "events[].ts", Sequence: "events[].ticks[].n", Unit: engine.UnitNanos}
	outer := inner
	outer.Timestamp = "at"
	kinds := inner
	kinds.Kind, kinds.Ticks = "kind", []string{"T"}
	for name, c := range map[string]struct {
		fields codecs.Fields
		events []object
		want   string
	}{
		"two events":                            {inner, []object{{"ts": at, "ticks": []object{tick("A", 1), tick("B", 2)}}, {"ts": at + 1, "ticks": []object{tick("C", 3)}}}, "A 0 #1, B 0 #2, C 1 #3"},
		"a time behind all of them":             {outer, []object{{"ts": nil, "ticks": []object{tick("A", 1)}}, {"ts": nil, "ticks": []object{tick("B", 2)}}}, "A 7 #1, B 7 #2"},
		"a time of one event is not the next's": {inner, []object{{"ts": at, "ticks": []object{tick("A", 1)}}, {"ts": nil, "ticks": []object{tick("B", 2)}}}, "A 0 #1, time_null"},
		"events without ticks":                  {inner, []object{{"ts": at, "ticks": nil}, {"ts": at, "ticks": []object{}}, {"ts": at, "ticks": []object{tick("A", 1)}}, {"ts": at, "ticks": nil}}, "A 0 #1"},
		"no ticks":                              {inner, nil, "ignored"},
		"a tick's fault is its own":             {inner, []object{{"ts": at, "ticks": []object{tick("A", 1), tick(nil, 2), tick("C", 3)}}}, "A 0 #1, symbol_null, C 0 #3"},
		"another kind":                          {kinds, []object{{"ts": at, "ticks": []object{tick("A", 1), tick("B", 2)}}}, "ignored, ignored"},
	} {
		if c.events == nil {
			c.events = []object{}
		}
		b := written(t, batch, object{"kind": "H", "events": c.events, "at": at + 7})
		if got, _ := read(t, batch, c.fields, b); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		for n := range b {
			if got, _ := read(t, batch, c.fields, b[:n]); got != "truncated" && n > 0 {
				t.Fatalf("%s: %d of %d bytes: %s", name, n, len(b), got)
			}
		}
	}
	elsewhere := inner
	elsewhere.Sequence = "more[].x"
	two := strings.Replace(batch, `{"name":"at"`, `{"name":"more","type":{"type":"array","items":{"type":"record","name":"More","fields":[{"name":"x","type":"long"}]}}},{"name":"at"`, 1)
	if _, err := Compile(two, nil, elsewhere); err == nil || !strings.Contains(err.Error(), "not within each other") {
		t.Errorf("fields in two arrays: %v", err)
	}
}

// Blocks may say their size, and an array may have several of them.
func TestArraysInBlocks(t *testing.T) {
	schema := `{"type":"array","items":{"type":"record","name":"Tick","fields":[{"name":"s","type":"string"},{"name":"t","type":"long"}]}}`
	f := codecs.Fields{Symbol: "[].s", Timestamp: "[].t", Unit: engine.UnitSeconds}
	b := []byte{3, 10, 2, 'A', 2, 2, 'B', 4, 2, 2, 'C', 6, 0} // two of five bytes in all, one, the end
	got, _ := read(t, schema, f, b)
	if want := fmt.Sprintf("A %d #0, B %d #0, C %d #0", 1e9-int(at), 2e9-int(at), 3e9-int(at)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	// Ticks of no bytes could be told in any number.
	nothing := `{"type":"array","items":{"type":"record","name":"Tick","fields":[{"name":"s","type":"null"},{"name":"t","type":"null"}]}}`
	if got, _ := read(t, nothing, f, []byte{0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0}); got != "syntax" {
		t.Errorf("ticks of no bytes: %s", got)
	}
}

// The content is all but symbol, times and sequence.
func TestContent(t *testing.T) {
	schema := record(`{"name":"px","type":["null","double"]},{"name":"symbol","type":"string"},{"name":"seq","type":"long"},{"name":"ts","type":"long"},{"name":"sent","type":"long"},{"name":"more","type":{"type":"map","values":"string"}}`)
	f := codecs.Fields{Symbol: "symbol", Timestamp: "ts|sent", Sequence: "seq", Unit: engine.UnitNanos, Content: true}
	of := func(v object, f codecs.Fields) uint64 {
		for k, d := range (object{"symbol": "QXA", "ts": at, "sent": at, "px": 1.5, "seq": int64(1), "more": map[string]string{"k": "v"}}) {
			if _, is := v[k]; !is {
				v[k] = d
			}
		}
		_, contents := read(t, schema, f, written(t, schema, v))
		return contents[0]
	}
	first := of(object{}, f)
	if first == 0 {
		t.Fatal("no content")
	}
	for name, v := range map[string]object{"symbol": {"symbol": "LONGER"}, "time": {"ts": at + 1e9}, "the other time": {"sent": int64(1)}, "sequence": {"seq": int64(123456)}} {
		if of(v, f) != first {
			t.Errorf("another %s is other content", name)
		}
	}
	for name, v := range map[string]object{"price": {"px": 1.6}, "no price": {"px": nil}, "map": {"more": map[string]string{"k": "w"}}} {
		if of(v, f) == first {
			t.Errorf("another %s is the same content", name)
		}
	}
	f.Content = false
	if of(object{}, f) != 0 {
		t.Error("a content that is not asked for")
	}
	bare := record(`{"name":"symbol","type":["null","string"]},{"name":"ts","type":["null","long"]}`)
	if _, contents := read(t, bare, codecs.Fields{Symbol: "symbol", Timestamp: "ts", Content: true}, written(t, bare, object{"symbol": "QXA", "ts": at})); contents[0] != 0 {
		t.Error("a tick that says nothing has content")
	}
	// Of an array, each tick has its own.
	_, contents := read(t, batch, codecs.Fields{Symbol: "events[].ticks[].s", Timestamp: "at", Sequence: "events[].ticks[].n", Content: true}, written(t, batch, object{
		"kind": "T", "at": at, "events": []object{{"ts": at, "ticks": []object{{"s": "A", "n": int64(1), "px": 1.0}, {"s": "BB", "n": int64(2000), "px": 1.0}, {"s": "A", "n": int64(1), "px": 2.0}}}},
	}))
	if len(contents) != 3 || contents[0] == 0 || contents[0] != contents[1] || contents[0] == contents[2] {
		t.Errorf("contents of ticks of an array: %x", contents)
	}
}

// A kind may be any field, that of the venue too.
func TestKinds(t *testing.T) {
	schema := record(`{"name":"type","type":{"type":"enum","name":"K","symbols":["HEARTBEAT","TRADE"]}},{"name":"code","type":"int"},{"name":"symbol","type":"string"},{"name":"ts","type":"long"}`)
	for path, kind := range map[string]string{"type": "TRADE", "nowhere|type": "TRADE", "code": "7"} {
		f := codecs.Fields{Symbol: "symbol", Timestamp: "ts", Venue: "type", Kind: path, Ticks: []string{"QUOTE", kind}}
		if got, _ := read(t, schema, f, written(t, schema, object{"type": "TRADE", "code": int32(7), "symbol": "QXA", "ts": at})); got != "QXA 0 #0" {
			t.Errorf("%s: a tick is %s", path, got)
		}
		if got, _ := read(t, schema, f, written(t, schema, object{"type": "HEARTBEAT", "code": int32(8), "symbol": "", "ts": int64(0)})); got != "ignored" {
			t.Errorf("%s: a heartbeat is %s", path, got)
		}
	}
	f := codecs.Fields{Symbol: "symbol", Timestamp: "ts", Kind: "nowhere", Ticks: []string{"T"}}
	if got, _ := read(t, schema, f, written(t, schema, object{"type": "TRADE", "code": int32(7), "symbol": "QXA", "ts": at})); got != "ignored" {
		t.Errorf("without a kind: %s", got)
	}
}
