package avro

import (
	"encoding/hex"
	"testing"

	"github.com/twmb/avro"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
)

// manyKinds has a value of every type before, between and behind the fields.
const manyKinds = `{"type":"record","name":"Tick","fields":[
 {"name":"a","type":{"type":"array","items":["null","long",{"type":"fixed","name":"F","size":3}]}},
 {"name":"symbol","type":["null","string",{"type":"enum","name":"E","symbols":["A","B"]}]},
 {"name":"m","type":{"type":"map","values":{"type":"array","items":"double"}}},
 {"name":"ts","type":["long","double","string","null"]},
 {"name":"next","type":["null","Tick"]},
 {"name":"b","type":"boolean"},{"name":"f","type":"float"},{"name":"z","type":"bytes"}]}`

// FuzzRead holds the plan against the library that decodes whole records: what
// the library reads without rest, the plan reads with the same fields, and
// the plan never panics. It may refuse what the library does, or less.
func FuzzRead(f *testing.F) {
	schema := avro.MustParse(manyKinds)
	p, err := Compile(manyKinds, nil, whole)
	if err != nil {
		f.Fatal(err)
	}
	several, err := Compile(manyKinds, nil, codecs.Fields{Symbol: "a[]", Timestamp: "ts", Content: true})
	if err != nil {
		f.Fatal(err)
	}
	inner := map[string]any{"a": []any{}, "symbol": nil, "m": map[string]any{}, "ts": 1.5, "next": nil, "b": true, "f": float32(1), "z": []byte{}}
	for _, v := range []map[string]any{
		inner,
		{"a": []any{int64(5), nil, []byte{1, 2, 3}}, "symbol": "QXA", "m": map[string]any{"k": []any{1.0, 2.0}}, "ts": at, "next": inner, "b": false, "f": float32(0), "z": []byte("zz")},
	} {
		b, err := schema.Encode(v)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
		f.Add(b[:len(b)/2])
	}
	for _, s := range []string{"", "00", "feffffffffffffffff01", "01feffffffffffffffff01", "0102040604", "80808080808080808080"} {
		b, err := hex.DecodeString(s)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var s codecs.Scalars
		reason := p.Read(b, &s)
		var v map[string]any
		rest, err := schema.Decode(b, &v)
		if err != nil || len(rest) > 0 {
			return
		}
		if reason != engine.ReasonNone {
			if reason == engine.ReasonDepth {
				return
			}
			t.Fatalf("the library reads %v, the plan says %s", v, reason)
		}
		ticks := 0
		for several.Read(b, &s); several.Next(&s); ticks++ {
		}
		if items, _ := v["a"].([]any); ticks != len(items) {
			t.Fatalf("the library reads %v, the plan %d ticks", v, ticks)
		}
		p.Read(b, &s)
		same := true
		switch symbol := v["symbol"].(type) {
		case nil:
			same = s.Symbol.Form == codecs.Null
		case string:
			same = s.Symbol.Form == codecs.Text && string(s.Symbol.Text) == symbol
		}
		switch at := v["ts"].(type) {
		case nil:
			same = same && s.Time.Form == codecs.Null
		case int64:
			same = same && s.Time.Form == codecs.Integer && s.Time.Int == at
		case float64:
			same = same && s.Time.Form == codecs.Float && (s.Time.Float == at || at != at)
		case string:
			same = same && s.Time.Form == codecs.Text && string(s.Time.Text) == at
		}
		if !same {
			t.Fatalf("the library reads %v, the plan %+v", v, s)
		}
	})
}
