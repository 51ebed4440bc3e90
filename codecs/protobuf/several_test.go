package protobuf

import (
	"fmt"
	"strings"
	"testing"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
)

// read are the ticks of a record, one a line, and their contents.
func read(t testing.TB, f codecs.Fields, b []byte) (ticks string, contents []uint64) {
	t.Helper()
	d, err := codecs.NewBare(codecs.BareSchemas{Format: engine.BareProtobuf, Plan: plan(t, f)}, f)
	if err != nil {
		t.Fatal(err)
	}
	r, out := codecs.NewTickReader(d, ""), []string{}
	for tick := r.Read(&codecs.Record{Value: b}); tick != nil; tick = r.Next() {
		switch tick.Kind {
		case engine.Good:
			out = append(out, fmt.Sprintf("%s %d #%d", tick.Symbol, tick.EventTime-now, tick.Sequence))
		case engine.Ignored:
			out = append(out, "ignored")
		default:
			out = append(out, tick.Reason.String())
		}
		contents = append(contents, tick.Content)
	}
	return strings.Join(out, ", "), contents
}

const batchIndex = 2 // of the message in the file

// Every element of a list is a tick, with what stands around it.
func TestListsOfTicks(t *testing.T) {
	inner := codecs.Fields{Symbol: "events[].ticks[].s", Timestamp: "events[].ts", Sequence: "events[].ticks[].n", Unit: engine.UnitNanos}
	outer, flat, kinds := inner, inner, inner
	outer.Timestamp = "at"
	flat.Symbol, flat.Timestamp, flat.Sequence = "feed.list[].s", "at", "feed.list[].n"
	kinds.Kind, kinds.Ticks = "kind", []string{"T"}
	for name, c := range map[string]struct {
		fields     codecs.Fields
		json, want string
	}{
		"two events":                            {inner, `{"events":[{"ts":"1735831800123456789","ticks":[{"s":"A","n":1},{"s":"B","n":2}]},{"ts":"1735831800123456790","ticks":[{"s":"C","n":3}]}]}`, "A 0 #1, B 0 #2, C 1 #3"},
		"a time behind all of them":             {outer, `{"at":"1735831800123456796","events":[{"ticks":[{"s":"A","n":1}]},{"ticks":[{"s":"B","n":2}]}]}`, "A 7 #1, B 7 #2"},
		"a time of one event is not the next's": {inner, `{"events":[{"ts":"1735831800123456789","ticks":[{"s":"A","n":1}]},{"ticks":[{"s":"B","n":2}]}]}`, "A 0 #1, time_missing"},
		"events without ticks":                  {inner, `{"events":[{"ts":"1735831800123456789"},{"ts":"1735831800123456789","ticks":[{"s":"A","n":1}]},{}]}`, "A 0 #1"},
		"no ticks":                              {inner, `{}`, "ignored"},
		"a tick's fault is its own":             {outer, `{"at":"1735831800123456789","events":[{"ticks":[{"s":"A","n":1},{"n":2},{"s":"C","n":3}]}]}`, "A 0 #1, symbol_empty, C 0 #3"},
		"within a message":                      {flat, `{"at":"1735831800123456789","feed":{"list":[{"s":"A","n":1},{"s":"B","n":2}]}}`, "A 0 #1, B 0 #2"},
		"no message around":                     {flat, `{"at":"1735831800123456789"}`, "ignored"},
		"another kind":                          {kinds, `{"kind":"H","events":[{"ts":"1735831800123456789","ticks":[{"s":"A","n":1}]}]}`, "ignored"},
		"the kind":                              {kinds, `{"kind":"T","events":[{"ts":"1735831800123456789","ticks":[{"s":"A","n":1}]}]}`, "A 0 #1"},
	} {
		b := framed(encoded(t, "Batch", c.json), batchIndex)
		if got, _ := read(t, c.fields, b); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	// The elements of a list need not stand together.
	apart := framed(append(encoded(t, "Batch", `{"at":"1735831800123456789","feed":{"list":[{"s":"A","n":1}]}}`), encoded(t, "Heartbeat", `{}`)...), batchIndex)
	if got, _ := read(t, flat, apart); got != "A 0 #1" {
		t.Errorf("apart: %s", got)
	}
	if got, _ := read(t, flat, framed(encoded(t, "Trade", `{"symbol":"A"}`), 1)); got != "symbol_missing" {
		t.Errorf("a message without the list: %s", got)
	}
}

// The content is all but symbol, times and sequence.
func TestContent(t *testing.T) {
	f := codecs.Fields{Symbol: "inner.code", Timestamp: "at|ts", Sequence: "big", Content: true}
	of := func(json string, f codecs.Fields) uint64 {
		_, contents := read(t, f, framed(encoded(t, "Trade", json), 1))
		return contents[0]
	}
	first := of(`{"symbol":"x","at":"2025-01-02T15:30:00Z","ts":"5","price":1.5,"inner":{"code":"QXA","zig":"3"},"big":"7"}`, f)
	if first == 0 {
		t.Fatal("no content")
	}
	for name, json := range map[string]string{
		"symbol":         `{"symbol":"x","at":"2025-01-02T15:30:00Z","ts":"5","price":1.5,"inner":{"code":"LONGER","zig":"3"},"big":"7"}`,
		"time":           `{"symbol":"x","at":"2025-01-02T15:30:01.5Z","ts":"5","price":1.5,"inner":{"code":"QXA","zig":"3"},"big":"7"}`,
		"the other time": `{"symbol":"x","at":"2025-01-02T15:30:00Z","ts":"500000","price":1.5,"inner":{"code":"QXA","zig":"3"},"big":"7"}`,
		"sequence":       `{"symbol":"x","at":"2025-01-02T15:30:00Z","ts":"5","price":1.5,"inner":{"code":"QXA","zig":"3"},"big":"70000"}`,
	} {
		if of(json, f) != first {
			t.Errorf("another %s is other content", name)
		}
	}
	for name, json := range map[string]string{
		"price":      `{"symbol":"x","at":"2025-01-02T15:30:00Z","ts":"5","price":1.6,"inner":{"code":"QXA","zig":"3"},"big":"7"}`,
		"no price":   `{"symbol":"x","at":"2025-01-02T15:30:00Z","ts":"5","inner":{"code":"QXA","zig":"3"},"big":"7"}`,
		"one within": `{"symbol":"x","at":"2025-01-02T15:30:00Z","ts":"5","price":1.5,"inner":{"code":"QXA","zig":"4"},"big":"7"}`,
	} {
		if of(json, f) == first {
			t.Errorf("another %s is the same content", name)
		}
	}
	f.Content = false
	if of(`{"price":1.5}`, f) != 0 {
		t.Error("a content that is not asked for")
	}
	_, contents := read(t, codecs.Fields{Symbol: "feed.list[].s", Timestamp: "at", Sequence: "feed.list[].n", Content: true},
		framed(encoded(t, "Batch", `{"at":"1735831800123456789","feed":{"list":[{"s":"A","n":1,"px":1},{"s":"BB","n":2000,"px":1},{"s":"A","n":1,"px":2}]}}`), batchIndex))
	if len(contents) != 3 || contents[0] == 0 || contents[0] != contents[1] || contents[0] == contents[2] {
		t.Errorf("contents of ticks of a list: %x", contents)
	}
}
