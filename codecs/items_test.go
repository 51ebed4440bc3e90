package codecs

import (
	"fmt"
	"strings"
	"testing"

	"github.com/auditstream/auditstream/engine"
)

// ticksOf are the ticks of a value, one a line, as tests write them down. The
// record's time is t0 + 7.
func ticksOf(d TickDecoder, value string) string {
	r := NewTickReader(d, "")
	var b strings.Builder
	rec := Record{Time: t0 + 7, Value: []byte(value)}
	for t := r.Read(&rec); t != nil; t = r.Next() {
		switch t.Kind {
		case engine.Ignored:
			b.WriteString("ignored")
		case engine.Good:
			fmt.Fprintf(&b, "%s", t.Symbol)
			if t.Venue != nil {
				fmt.Fprintf(&b, " %s", t.Venue)
			}
			fmt.Fprintf(&b, " %d %v", t.EventTime, t.Unit)
			if t.HasSequence {
				fmt.Fprintf(&b, " #%d", t.SequenceFirst)
				if t.Sequence != t.SequenceFirst {
					fmt.Fprintf(&b, "-%d", t.Sequence)
				}
			}
		default:
			fmt.Fprintf(&b, "%v", t.Reason)
		}
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func TestJSONItems(t *testing.T) {
	const s0, s1 = "1735831800000000000 s", "1735831801000000000 s"
	inner := Fields{Symbol: "data[].s", Timestamp: "ts", Venue: "data[].x", Sequence: "data[].n"}
	deep := Fields{Symbol: "events[].trades[].p", Timestamp: "events[].trades[].t|at"}
	for name, tc := range map[string]struct {
		fields      Fields
		value, want string
	}{
		"a message that is an array": {Fields{Symbol: "[].s", Timestamp: "[].t"}, `[{"s":"A","t":1735831800}, {"s":"B","t":1735831801} ]`, "A " + s0 + "\nB " + s1},
		"one object in its place":    {Fields{Symbol: "[].s", Timestamp: "[].t"}, ` {"s":"A","t":1735831800}`, "A " + s0},
		"no element":                 {Fields{Symbol: "[].s", Timestamp: "[].t"}, `[ ]`, "ignored"},
		"elements that are no ticks": {Fields{Symbol: "[].s", Timestamp: "[].t"}, `[1,[],{"s":"A","t":1735831800},null]`, "symbol_missing\nsymbol_missing\nA " + s0 + "\nsymbol_missing"},
		"a cut array":                {Fields{Symbol: "[].s", Timestamp: "[].t"}, `[{"s":"A","t":1735831800},{"s":"B","t":17358`, "truncated"},
		"an array that is not named": {Fields{Symbol: "s", Timestamp: "t"}, `[{"s":"A","t":1735831800}]`, "not_an_object"},
		"an array inside":            {inner, `{"ts":1735831800,"data":[{"s":"A","x":"v","n":4},{"s":"B","n":"5","x":null}],"more":1}`, "A v " + s0 + " #4\nB " + s0 + " #5"},
		"the time comes last":        {inner, `{"data":[{"s":"A"},{"s":"B"}],"ts":1735831800}`, "A " + s0 + "\nB " + s0},
		"an item's fault is its own": {inner, `{"data":[{"s":"A"},{"x":"v"},{"s":"C"}],"ts":1735831800}`, "A " + s0 + "\nsymbol_missing\nC " + s0},
		"an empty array inside":      {inner, `{"data":[],"ts":1735831800}`, "ignored"},
		"no array inside":            {inner, `{"s":"A","ts":1735831800}`, "ignored"},
		"an array named twice":       {inner, `{"data":[{"s":"A"}],"ts":1735831800,"data":[{"s":"B"},{"s":"C"}]}`, "B " + s0 + "\nC " + s0},
		"arrays in arrays": {deep, `{"at":1735831801,"events":[{"trades":[{"p":"A","t":1735831800},{"p":"B"}]},{"trades":[]},{},{"trades":[{"p":"C","t":null}]}]}`,
			"A " + s0 + "\nB " + s1 + "\nC " + s1},
		"a path that steps through an object": {Fields{Symbol: "params.data[].s", Timestamp: "params.data[].t"}, `{"params":{"data":[{"s":"A","t":1735831800}]}}`, "A " + s0},
		"kinds": {Fields{Symbol: "[].s", Timestamp: "[].t", Kind: "[].e", Ticks: []string{"trade", "7"}},
			`[{"s":"A","t":1735831800,"e":"trade"},{"e":"status","s":"A"},{"s":"B","t":1735831801,"e":7},{}]`, "A " + s0 + "\nignored\nB " + s1 + "\nignored"},
		"kinds of messages":         {Fields{Symbol: "s", Timestamp: "t", Kind: "e", Ticks: []string{"trade"}}, `{"result":null,"id":1}`, "ignored"},
		"alternatives":              {Fields{Symbol: "s|S", Timestamp: "T|E"}, `{"S":"A","s":null,"E":1735831800}`, "A " + s0},
		"the first alternative":     {Fields{Symbol: "s|S", Timestamp: "T|E"}, `{"E":1,"S":"A","s":"B","T":1735831800}`, "B " + s0},
		"all alternatives null":     {Fields{Symbol: "s", Timestamp: "T|E"}, `{"E":null,"s":"B","T":null}`, "time_null"},
		"the record's time":         {Fields{Symbol: "s", Timestamp: "T", TimeOfRecord: true}, `{"s":"B"}`, "B 1735831800000000007 record"},
		"its own time all the same": {Fields{Symbol: "s", Timestamp: "T", TimeOfRecord: true}, `{"s":"B","T":1735831800}`, "B " + s0},
		"a wrong time all the same": {Fields{Symbol: "s", Timestamp: "T", TimeOfRecord: true}, `{"s":"B","T":0}`, "time_zero"},
		"no path of a time":         {Fields{Symbol: "s", TimeOfRecord: true}, `{"s":"B","T":1}`, "B 1735831800000000007 record"},
		"a range":                   {Fields{Symbol: "s", Timestamp: "t", Sequence: "U..u"}, `{"s":"B","t":1735831800,"U":157,"u":160}`, "B " + s0 + " #157-160"},
		"numbers that are none":     {Fields{Symbol: "s", Timestamp: "t", Sequence: "u"}, `{"s":"B","t":1735831800,"u":1.5}`, "B " + s0},
		"an escaped venue":          {Fields{Symbol: "s", Timestamp: "t", Venue: "v"}, `{"s":"B","t":1735831800,"v":"\u0058"}`, "B X " + s0},
		"a venue's number":          {Fields{Symbol: "s", Timestamp: "t", Venue: "v"}, `{"s":"B","t":1735831800,"v":4}`, "B 4 " + s0},
	} {
		d, err := NewJSON(tc.fields)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for range 2 { // what was found before is forgotten
			if got := ticksOf(d, tc.value); got != tc.want {
				t.Errorf("%s: got\n%s\nwant\n%s", name, got, tc.want)
			}
		}
	}
}

func TestJSONPathsOfItemsRefused(t *testing.T) {
	for _, f := range []Fields{
		{Symbol: "a[].s", Timestamp: "b[].t"}, {Symbol: "a[]", Timestamp: "t"}, {Symbol: "a[0].s", Timestamp: "t"}, {Symbol: "a[].", Timestamp: "t"},
		{Symbol: "s", Timestamp: ""}, {Symbol: "s", Timestamp: "t|"}, {Symbol: "s", Timestamp: "t", Venue: "s"}, {Symbol: "s", Timestamp: "t", Sequence: "t.u"},
		{Symbol: "a.[].s", Timestamp: "t"}, {Symbol: "a[].s", Timestamp: "a"},
	} {
		if _, err := NewJSON(f); err == nil {
			t.Errorf("%+v: accepted", f)
		}
	}
}

// What a tick says is the same while only its symbol, time and sequence
// change, and in every run.
func TestJSONContent(t *testing.T) {
	d, err := NewJSON(Fields{Symbol: "data[].s", Timestamp: "data[].t|ts", Sequence: "data[].n", Content: true})
	if err != nil {
		t.Fatal(err)
	}
	r := NewTickReader(d, "")
	var got []uint64
	for _, value := range []string{
		`{"ts":1735831800,"data":[{"s":"A","n":1,"bid":412.35,"ask":412.36},{"s":"B","n":22,"bid":412.35,"ask":412.36}]}`,
		`{"ts":1735831801,"data":[{"s":"CCC","n":3,"bid":412.35,"ask":412.36},{"s":"A","n":4,"bid":412.35,"ask":412.37}]}`,
	} {
		rec := Record{Value: []byte(value)}
		for tick := r.Read(&rec); tick != nil; tick = r.Next() {
			got = append(got, tick.Content)
		}
	}
	if len(got) != 4 || got[0] != got[1] || got[1] != got[2] || got[2] == got[3] || got[0] != 0xb7a7399aef5e50ed {
		t.Errorf("%#x", got)
	}
}

// A tick of a symbol, a time and a number says nothing that could stand still.
func TestNoContent(t *testing.T) {
	for _, tc := range []struct {
		format, value string
		f             Fields
		content       bool
	}{
		{"json", `{"s":"A","t":1735831800}`, Fields{Symbol: "s", Timestamp: "t"}, false},
		{"json", ` { "t" : "2025-01-02T15:30:00Z" , "s" : "A:B", "n": 7 } `, Fields{Symbol: "s", Timestamp: "t", Sequence: "n"}, false},
		{"json", `{"data":{"s":"A","t":1735831800}}`, Fields{Symbol: "data.s", Timestamp: "data.t"}, false},
		{"json", `[{"s":"A","t":1735831800}]`, Fields{Symbol: "[].s", Timestamp: "[].t"}, false},
		{"json", `{"s":"A","t":1735831800,"px":1}`, Fields{Symbol: "s", Timestamp: "t"}, true},
		{"json", `{"s":"A","t":1735831800,"says":":{"}`, Fields{Symbol: "s", Timestamp: "t"}, true},
		{"json", `{"s":"A","t":1735831800,"book":{"bids":[1]}}`, Fields{Symbol: "s", Timestamp: "t"}, true},
		{"json", `{"s":"A","t":1735831800,"u":1}`, Fields{Symbol: "s", Timestamp: "t|u"}, false},
		{"csv", `A,1735831800`, Fields{Symbol: "0", Timestamp: "1"}, false},
		{"csv", `A,1735831800,`, Fields{Symbol: "0", Timestamp: "1"}, true},
	} {
		tc.f.Content = true
		d, err := NewDecoder(tc.format, tc.f)
		if err != nil {
			t.Fatal(err)
		}
		rec := Record{Value: []byte(tc.value)}
		if tick := NewTickReader(d, "").Read(&rec); tick.Kind != engine.Good || (tick.Content != 0) != tc.content {
			t.Errorf("%s: kind %v, reason %v, content %#x", tc.value, tick.Kind, tick.Reason, tick.Content)
		}
	}
}

func TestItemsAllocateNothing(t *testing.T) {
	for name, value := range map[string]string{
		"kraken":  `{"channel":"trade","type":"update","data":[{"symbol":"BTC/USD","side":"buy","price":4136.4,"qty":0.23374249,"ord_type":"limit","trade_id":0,"timestamp":"2022-06-13T08:09:10.123456Z"},{"symbol":"BTC/USD","price":4136.4,"trade_id":1,"timestamp":"2022-06-13T08:09:10.123456Z"}]}`,
		"binance": `{"stream":"ethusdt@trade","data":{"e":"trade","E":1672515782136,"s":"ETHUSDT","t":12345,"p":"0.001","T":1672515782136}}`,
		"massive": `[{"ev":"T","sym":"MSFT","x":4,"i":"12345","z":3,"p":114.125,"s":100,"c":[0,12],"t":1536036818784,"q":3681328}]`,
	} {
		d, err := NewDecoder(name, Fields{Content: true})
		if err != nil {
			t.Fatal(err)
		}
		r, rec := NewTickReader(d, ""), Record{Value: []byte(value)}
		read := func() {
			for tick := r.Read(&rec); tick != nil; tick = r.Next() {
				if tick.Kind != engine.Good {
					t.Fatal(name, tick.Reason)
				}
			}
		}
		read()
		if n := testing.AllocsPerRun(100, read); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
