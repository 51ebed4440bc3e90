package codecs

import (
	"bytes"
	"encoding/csv"
	"slices"
	"testing"

	"github.com/auditstream/auditstream/engine"
)

func TestCSV(t *testing.T) {
	const s0, s1 = "1735831800000000000 s", "1735831801000000000 s"
	numbers := Fields{Symbol: "1", Timestamp: "0"}
	named := Fields{Symbol: "sym", Timestamp: "time", Sequence: "id", Venue: "ex", CSV: CSVFields{Header: []string{"time", "sym", "id", "ex"}}}
	inside := Fields{Symbol: "sym", Timestamp: "time"}
	with := func(f Fields, change func(*Fields)) Fields { change(&f); return f }
	for name, tc := range map[string]struct {
		fields      Fields
		value, want string
	}{
		"by number":                {numbers, "1735831800,QXA,412.35", "QXA " + s0},
		"a line break at the end":  {numbers, "1735831800,QXA,412.35\r\n", "QXA " + s0},
		"several lines":            {numbers, "1735831800,QXA\n\n1735831801,QXB\r\n", "QXA " + s0 + "\nQXB " + s1},
		"quotes":                   {numbers, `"1735831800","Q ""X"", A",x`, `Q "X", A ` + s0},
		"a line break in quotes":   {numbers, "1735831800,\"Q\r\nX\",x", "Q\nX " + s0},
		"text times":               {numbers, "2025-01-02T15:30:00.5Z,QXA", "QXA 1735831800500000000 iso"},
		"fraction":                 {numbers, "1735831800.000000001,QXA", "QXA 1735831800000000001 s"},
		"too few columns":          {numbers, "1735831800", "symbol_missing"},
		"no symbol":                {numbers, "1735831800,", "symbol_empty"},
		"no time":                  {numbers, ",QXA", "time_null"},
		"no time, the record's":    {with(numbers, func(f *Fields) { f.TimeOfRecord = true }), ",QXA", "QXA 1735831800000000007 record"},
		"a quote that is not shut": {numbers, `1735831800,"QXA`, "truncated"},
		"a quote in the middle":    {numbers, `1735831800,Q"XA`, "syntax"},
		"text behind a quote":      {numbers, `1735831800,"Q"XA`, "syntax"},
		"a fault in a later line":  {numbers, "1735831800,QXA\n1735831801,\"Q", "truncated"},
		"a registry's frame":       {numbers, "\x00\x00\x00\x00\x2a1,2", "schema_frame"},
		"only line breaks":         {numbers, "\r\n\n", "ignored"},
		"semicolons":               {with(numbers, func(f *Fields) { f.CSV.Comma = ';' }), "1735831800;Q,A", "Q,A " + s0},
		"spaces are the field's":   {numbers, "1735831800, QXA", " QXA " + s0},
		"upper":                    {with(numbers, func(f *Fields) { f.Normalize = NormalizeUpper }), "1735831800, qxa", "QXA " + s0},

		"by name":                  {named, "1735831800,QXA,7,N", "QXA N " + s0 + " #7"},
		"no venue, no number":      {named, "1735831800,QXA,x,", "QXA " + s0},
		"the header is no tick":    {named, "time,sym,id,ex\n1735831800,QXA,7,N", "ignored\nQXA N " + s0 + " #7"},
		"a cut line":               {named, "1735831800,QXA,7", "truncated"},
		"a column more":            {named, "1735831800,QXA,7,N,", "syntax"},
		"a kind that is no tick":   {with(named, func(f *Fields) { f.Venue, f.Kind, f.Ticks = "", "ex", []string{"T"} }), "1735831800,QXA,7,Q\n1735831800,QXA,8,T", "ignored\nQXA " + s0 + " #8"},
		"names in the record":      {inside, "sym,time\nQXA,1735831800\n", "QXA " + s0},
		"other names":              {inside, "symbol,time\nQXA,1735831800\n", "symbol_missing"},
		"names and nothing else":   {inside, "sym,time", "ignored"},
		"an alternative's column":  {with(named, func(f *Fields) { f.Venue, f.Symbol = "", "ex|sym" }), "1735831800,QXA,7,", "QXA " + s0 + " #7"},
		"a name that is a number ": {Fields{Symbol: "1", Timestamp: "t", CSV: CSVFields{Header: []string{"1", "t"}}}, "QXA,1735831800", "QXA " + s0},
	} {
		d, err := NewCSV(tc.fields)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for range 2 {
			if got := ticksOf(d, tc.value); got != tc.want {
				t.Errorf("%s: got\n%q\nwant\n%q", name, got, tc.want)
			}
		}
	}
	d, err := NewCSV(numbers)
	if err != nil {
		t.Fatal(err)
	}
	var tick engine.Tick
	if d.Decode(nil, &tick); tick.Kind != engine.Tombstone {
		t.Errorf("nil: %+v", tick)
	}
	if d.Decode([]byte("1735831800,Q"), &tick); tick.Format != engine.PlainCSV {
		t.Errorf("format %v", tick.Format)
	}
	if d.Decode([]byte{}, &tick); tick.Reason != engine.ReasonEmpty {
		t.Errorf("no bytes: %+v", tick)
	}
}

func TestCSVRefused(t *testing.T) {
	for _, f := range []Fields{
		{Symbol: "s", Timestamp: "t", CSV: CSVFields{Header: []string{"s"}}}, {Symbol: "", Timestamp: "0"}, {Symbol: "0", Timestamp: ""},
		{Symbol: "0", Timestamp: "0"}, {Symbol: "0", Timestamp: "1", CSV: CSVFields{Comma: '"'}},
	} {
		if _, err := NewCSV(f); err == nil {
			t.Errorf("%+v: accepted", f)
		}
	}
}

func TestCSVAllocatesNothing(t *testing.T) {
	for _, f := range []Fields{
		{Symbol: "1", Timestamp: "0", Venue: "2", Content: true},
		{Symbol: "sym", Timestamp: "time", Content: true},
	} {
		d, err := NewCSV(f)
		if err != nil {
			t.Fatal(err)
		}
		r, rec := NewTickReader(d, ""), Record{Value: []byte("time,sym,\"e\"\"x\"\n1735831800,\"Q\"\"XA\",N\n")}
		read := func() {
			for tick := r.Read(&rec); tick != nil; tick = r.Next() {
			}
		}
		read()
		if n := testing.AllocsPerRun(100, read); n != 0 {
			t.Errorf("%+v: %v allocations", f, n)
		}
	}
}

// FuzzCSV holds the lines against encoding/csv: both find the same records
// well-formed, and the same fields in them.
func FuzzCSV(f *testing.F) {
	for _, seed := range []string{"1735831800,QXA", "a,\"b\"\"c\",\"d\r\ne\"\r\n\r\nf", "\"", "a\"b", "\"a\"b", ",\r", "\r\n\n\r", "\"a\"\r", "a\r\rb\n", "\xff,\""} {
		f.Add([]byte(seed))
	}
	d, err := NewCSV(Fields{Symbol: "0", Timestamp: "1"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		if len(value) == 0 {
			return
		}
		std := csv.NewReader(bytes.NewReader(value))
		std.FieldsPerRecord = -1
		want, err := std.ReadAll()
		d.message = value
		var got [][]string
		reason := engine.ReasonNone
		for i := 0; i < len(value) && reason == engine.ReasonNone; {
			if i, reason = d.line(i); reason != engine.ReasonNone || len(d.fields) == 0 {
				continue
			}
			var fields []string
			for k := range d.fields {
				fields = append(fields, string(d.field(k, csvOther)))
			}
			got = append(got, fields)
		}
		if (err != nil) != (reason != engine.ReasonNone) {
			t.Fatalf("encoding/csv: %v, here: %v", err, reason)
		}
		if err == nil && !slices.EqualFunc(got, want, slices.Equal[[]string]) {
			t.Fatalf("encoding/csv: %q, here: %q", want, got)
		}
		if value[0] == 0 {
			return // a registry's frame
		}
		r, items := NewTickReader(d, ""), 0
		for tick := r.Read(&Record{Value: value}); tick != nil; tick = r.Next() {
			items++
		}
		if lines := max(1, len(want)); err == nil && items != lines {
			t.Fatalf("%d items of %d lines", items, lines)
		}
	})
}
