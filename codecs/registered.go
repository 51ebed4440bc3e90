package codecs

import (
	"errors"

	"github.com/auditstream/auditstream/engine"
)

// ErrSchemaAway is that a record cannot be judged: whether its schema exists is
// not known, and will not be, since the registry was given up or the run ends.
// Its tick has [engine.ReasonSchemaAway], and must not be observed.
var ErrSchemaAway = errors.New("the schema registry has not answered")

// Schema is what a registry has under an id: the plan of a schema, or nil and
// the reason why there is none.
type Schema struct {
	Format engine.Format
	Plan   Plan // nil for FramedJSON, which is read without its schema
	Reason engine.Reason
}

// SchemaRef names a schema of a registry: by its GUID, or where that is zero
// by its id.
type SchemaRef struct {
	ID   int32
	GUID [16]byte
}

// Schemas are a registry's schemas. Any goroutine may call them.
type Schemas interface {
	// Schema waits for a registry that does not answer: what only waiting will
	// tell must not be judged.
	Schema(ref SchemaRef) Schema
	// Epoch changes when an answer that was given for good is not true any more.
	Epoch() uint64
}

// SchemaOf is the schema by which a record's value names itself; ok is false
// where it names none. rest is what stands behind the name in a header.
func SchemaOf(value []byte, h Headers) (ref SchemaRef, payload, rest []byte, ok bool) {
	if h != nil && len(value) > 0 {
		for i := range h.Len() {
			name, header := h.At(i)
			if name != ValueGUID {
				continue
			}
			if guid, rest, ok := GUID(header); ok {
				return SchemaRef{GUID: guid}, value, rest, true
			}
			if id, rest, ok := Frame(header); ok {
				return SchemaRef{ID: id}, value, rest, true
			}
		}
	}
	if id, payload, ok := Frame(value); ok {
		return SchemaRef{ID: id}, payload, nil, true
	}
	return ref, nil, nil, false
}

// Registered decodes values by the schemas of a registry.
//
//  1. A value whose record has the header [ValueGUID] is the payload of that
//     schema.
//  2. A value that begins with a frame is read by the schema that it names, in
//     whatever format that is.
//  3. All others are left to the decoder of values that name no schema.
//
// So a topic on which producers mix formats is audited by what each record is.
type Registered struct {
	schemas Schemas
	own     TickDecoder // of values that name no schema
	json    TickDecoder // of JSON that names one
	items   ItemDecoder // the one of them that has read the value and may have more of it
	byPlan
	joined  []byte                // message indexes and payload that stood apart
	known   map[SchemaRef]*Schema // answers that are for good
	lastRef SchemaRef
	last    *Schema
	epoch   uint64
}

// NewRegistered is a decoder with the schemas of a registry. own reads values
// that name none.
func NewRegistered(schemas Schemas, f Fields, own TickDecoder) (*Registered, error) {
	d := &Registered{schemas: schemas, own: own, json: own, byPlan: byPlan{meaning: NewMeaning(f)}, known: map[SchemaRef]*Schema{}, epoch: schemas.Epoch()}
	if _, bare := own.(*Bare); bare {
		text, err := NewJSON(f)
		if err != nil {
			return nil, err
		}
		d.json = text
	}
	return d, nil
}

// Decode implements [TickDecoder] for a record without headers.
func (d *Registered) Decode(value []byte, t *engine.Tick) {
	d.DecodeRecord(&Record{Value: value}, t)
}

// DecodeRecord implements [RecordDecoder].
func (d *Registered) DecodeRecord(r *Record, t *engine.Tick) {
	t.Kind, t.Reason, t.Symbol, t.EventTime, t.Unit = engine.Unreadable, engine.ReasonNone, nil, 0, engine.UnitAuto
	t.Format, t.SchemaID, d.items, d.plan = engine.FormatUnknown, 0, nil, nil
	value := r.Value
	ref, payload, indexes, named := SchemaOf(value, r.Headers)
	switch {
	case value == nil:
		t.Kind = engine.Tombstone
	case len(value) == 0:
		t.Reason = engine.ReasonEmpty
	case named:
		t.SchemaID = ref.ID
		s := d.schema(ref)
		if s.Format == engine.FramedProtobuf && len(indexes) > 0 {
			d.joined = append(append(d.joined[:0], indexes...), payload...)
			payload = d.joined
		}
		d.payload(s, payload, t)
	default:
		d.delegate(d.own, value, t)
		if t.Kind == engine.Unreadable && value[0] == frameMagic && len(value) < FrameBytes {
			t.Reason = engine.ReasonTruncated
		}
	}
}

// delegate leaves a value, and the further ticks of it, to another decoder.
func (d *Registered) delegate(to TickDecoder, value []byte, t *engine.Tick) {
	to.Decode(value, t)
	d.items, _ = to.(ItemDecoder)
}

// Next implements [ItemDecoder].
func (d *Registered) Next(t *engine.Tick) bool {
	if d.plan != nil {
		return d.next(t)
	}
	return d.items != nil && d.items.Next(t)
}

// schema is what the registry has. Only answers that are for good are kept
// here, until the source says that one of them was not.
func (d *Registered) schema(ref SchemaRef) *Schema {
	if now := d.schemas.Epoch(); now != d.epoch {
		clear(d.known)
		d.last, d.epoch = nil, now
	}
	if d.last != nil && d.lastRef == ref {
		return d.last
	}
	s := d.known[ref]
	if s == nil {
		found := d.schemas.Schema(ref)
		if s = &found; s.Reason != engine.ReasonNone {
			return s
		}
		if len(d.known) >= maxKnown {
			clear(d.known)
		}
		d.known[ref] = s
	}
	d.lastRef, d.last = ref, s
	return s
}

const maxKnown = 1000 // schemas that one decoder keeps at hand

func (d *Registered) payload(s *Schema, payload []byte, t *engine.Tick) {
	t.Kind, t.Format = engine.Unreadable, s.Format
	if t.Reason = s.Reason; t.Reason != engine.ReasonNone {
		return
	}
	if s.Plan == nil {
		d.delegate(d.json, payload, t)
		t.Format = s.Format
		return
	}
	d.read(s.Plan, payload, t)
}

// startsObject reports whether a value begins like a JSON object.
func startsObject(value []byte) bool {
	i := skipSpace(value, 0)
	return i < len(value) && value[i] == '{'
}
