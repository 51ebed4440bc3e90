package codecs

import "github.com/auditstream/auditstream/engine"

// BareSchemas are the schemas of values that name none, or that name it by a
// fingerprint.
type BareSchemas struct {
	Format engine.Format // BareAvro or BareProtobuf
	Plan   Plan          // nil: none
	// Single are the schemas of Avro's single-object encoding by fingerprint.
	Single map[[8]byte]Plan
}

// Bare decodes values by schemas that the configuration names. A value that
// does not fit, and begins like a JSON object, is read as JSON.
type Bare struct {
	schemas BareSchemas
	json    *JSON
	text    bool // the value was read as JSON
	byPlan
}

// NewBare is a decoder of values that name no schema of a registry.
func NewBare(s BareSchemas, f Fields) (*Bare, error) {
	text, err := NewJSON(f)
	if err != nil {
		return nil, err
	}
	if _, err := f.ScalarPaths(); err != nil {
		return nil, err
	}
	return &Bare{schemas: s, json: text, byPlan: byPlan{meaning: NewMeaning(f)}}, nil
}

// Avro's single-object encoding: two bytes of its own, the schema's CRC-64-AVRO
// least significant byte first, then the value (Avro 1.11, "Single-object
// encoding").
const (
	singleObject0, singleObject1 = 0xc3, 0x01
	singleObjectBytes            = 10
)

// Decode implements [TickDecoder].
func (d *Bare) Decode(value []byte, t *engine.Tick) {
	t.Kind, t.Reason, t.Symbol, t.EventTime, t.Unit = engine.Unreadable, engine.ReasonNone, nil, 0, engine.UnitAuto
	d.plan, d.text = nil, false
	switch {
	case value == nil:
		t.Kind = engine.Tombstone
		return
	case len(value) == 0:
		t.Reason = engine.ReasonEmpty
		return
	}
	single := false
	if len(value) >= singleObjectBytes && value[0] == singleObject0 && value[1] == singleObject1 {
		if p := d.schemas.Single[[8]byte(value[2:singleObjectBytes])]; p != nil {
			t.Format = engine.SingleObjectAvro
			d.read(p, value[singleObjectBytes:], t)
			return
		}
		single = true
	}
	t.Format, t.Reason = d.schemas.Format, engine.ReasonUnframed
	if d.schemas.Plan != nil {
		if d.read(d.schemas.Plan, value, t); t.Kind != engine.Unreadable {
			return
		}
	}
	id, _, framed := Frame(value)
	switch {
	case single && d.schemas.Format == engine.BareAvro:
		t.Format, t.Reason = engine.SingleObjectAvro, engine.ReasonSchemaUnknown
	case framed:
		t.Format, t.Reason, t.SchemaID = engine.FormatUnknown, engine.ReasonFramed, id
	case startsObject(value):
		d.text = true
		d.json.Decode(value, t)
	}
}

// Next implements [ItemDecoder].
func (d *Bare) Next(t *engine.Tick) bool {
	if d.text {
		return d.json.Next(t)
	}
	return d.next(t)
}
