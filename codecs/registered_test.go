package codecs

import (
	"testing"

	"github.com/auditstream/auditstream/engine"
)

// fixedPlan finds the same fields in every record.
type fixedPlan Scalars

func (p *fixedPlan) Read(_ []byte, s *Scalars) engine.Reason {
	*s = Scalars(*p)
	return engine.ReasonNone
}

func (p *fixedPlan) Next(*Scalars) bool { return false }

// shelf are schemas that can be changed.
type shelf struct {
	epoch  uint64
	asked  int
	schema map[SchemaRef]Schema
}

func (s *shelf) Schema(ref SchemaRef) Schema {
	s.asked++
	if found, ok := s.schema[ref]; ok {
		return found
	}
	return Schema{Reason: engine.ReasonSchemaUnknown}
}

func (s *shelf) Epoch() uint64 { return s.epoch }

type someHeaders []Header

func (h someHeaders) Len() int                  { return len(h) }
func (h someHeaders) At(i int) (string, []byte) { return h[i].Key, h[i].Value }

func TestRegistered(t *testing.T) {
	plan := &fixedPlan{Symbol: Scalar{Form: Text, Text: []byte("QXA")}, Time: Scalar{Form: Integer, Int: t0}}
	guid := [16]byte{1, 2, 3}
	s := &shelf{schema: map[SchemaRef]Schema{{ID: 7}: {Format: engine.FramedAvro, Plan: plan}, {GUID: guid}: {Format: engine.FramedProtobuf, Plan: plan}}}
	f := Fields{Symbol: "symbol", Timestamp: "ts"}
	own, err := NewJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	d, err := NewRegistered(s, f, own)
	if err != nil {
		t.Fatal(err)
	}
	byHeader := someHeaders{{"x", nil}, {ValueGUID, append([]byte{1}, guid[:]...)}}
	for name, c := range map[string]struct {
		record Record
		format engine.Format
		kind   engine.Kind
		reason engine.Reason
		id     int32
	}{
		"a frame":            {Record{Value: []byte{0, 0, 0, 0, 7, 1}}, engine.FramedAvro, engine.Good, 0, 7},
		"a GUID in a header": {Record{Value: []byte{1}, Headers: byHeader}, engine.FramedProtobuf, engine.Good, 0, 0},
		"an id in a header":  {Record{Value: []byte{1}, Headers: someHeaders{{ValueGUID, []byte{0, 0, 0, 0, 7}}}}, engine.FramedAvro, engine.Good, 0, 7},
		"a broken header":    {Record{Value: []byte(`{"symbol":"A","ts":1735831800}`), Headers: someHeaders{{ValueGUID, []byte{1, 2}}}}, engine.PlainJSON, engine.Good, 0, 0},
		"unknown":            {Record{Value: []byte{0, 0, 0, 0, 8, 1}}, engine.FormatUnknown, engine.Unreadable, engine.ReasonSchemaUnknown, 8},
		"a single zero":      {Record{Value: []byte{0}}, engine.FormatUnknown, engine.Unreadable, engine.ReasonTruncated, 0},
		"no bytes":           {Record{Value: []byte{}}, engine.FormatUnknown, engine.Unreadable, engine.ReasonEmpty, 0},
		"a tombstone":        {Record{Headers: byHeader}, engine.FormatUnknown, engine.Tombstone, 0, 0},
	} {
		var got engine.Tick
		d.DecodeRecord(&c.record, &got)
		if got.Format != c.format || got.Kind != c.kind || got.Reason != c.reason || got.SchemaID != c.id {
			t.Errorf("%s: %s, kind %d, %s, schema %d", name, got.Format, got.Kind, got.Reason, got.SchemaID)
		}
	}
	value, tick := []byte{0, 0, 0, 0, 7, 1}, engine.Tick{}
	before := s.asked
	if n := testing.AllocsPerRun(100, func() { d.Decode(value, &tick) }); n != 0 || s.asked != before {
		t.Errorf("%v allocations a tick, %d questions", n, s.asked-before)
	}
	s.schema[SchemaRef{ID: 7}], s.epoch = Schema{Reason: engine.ReasonSchemaChanged}, 1
	if d.Decode(value, &tick); tick.Reason != engine.ReasonSchemaChanged {
		t.Errorf("after a change: %s", tick.Reason)
	}
}
