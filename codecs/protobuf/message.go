package protobuf

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
)

// message is a type with what is wanted of it.
type message struct {
	fields []*field
	nested []*message // types within, by their index, where records may be of them
	ticks  *field     // that holds ticks, or leads to what does
	says   bool       // it has content, a field that is not noted as none

	// of what records may be of
	index  int             // among the plan's records
	forget [][]codecs.Leaf // by level: fields to be forgotten before an element
}

// field is one that is wanted, or that leads to one.
type field struct {
	number   protowire.Number
	wire     protowire.Type
	kind     protoreflect.Kind
	leaf     codecs.Leaf      // nil: within, or only its place is wanted
	apart    bool             // its place is noted, as it is no content
	lead     bool             // the place of its tag and length is noted
	level    int              // of a list that holds ticks: how many of them are around it
	index    int              // of such a list: among those of the plan
	within   *message         // of a message through which a path leads
	time     bool             // a google.protobuf.Timestamp
	names    map[int32][]byte // of an enum
	implicit bool             // absent means zero
}

// has says whether a type has the path, whatever value stands there.
func has(d protoreflect.MessageDescriptor, steps []string) bool {
	f := fieldOf(d, steps[0])
	switch {
	case f == nil || len(steps) == 1:
		return f != nil
	case f.Message() == nil || f.IsMap():
		return false
	case f.IsList():
		return steps[1] == codecs.Element && len(steps) > 2 && has(f.Message(), steps[2:])
	}
	return has(f.Message(), steps[1:])
}

func fieldOf(d protoreflect.MessageDescriptor, step string) protoreflect.FieldDescriptor {
	if f := d.Fields().ByName(protoreflect.Name(step)); f != nil {
		return f
	}
	return d.Fields().ByJSONName(step)
}

// compiler makes the messages of one plan.
type compiler struct {
	plan    *Plan
	paths   []codecs.ScalarPath
	content bool // places of fields are wanted
	level   int  // lists around, of those that hold ticks
}

// record compiles a type that records may be of.
func (c *compiler) record(d protoreflect.MessageDescriptor) (*message, error) {
	wants, forget, err := codecs.ScalarWants(c.paths, func(steps []string) bool { return has(d, steps) })
	if err != nil {
		return nil, fmt.Errorf("message %s: %w", d.FullName(), err)
	}
	c.level = 0
	m := c.message(d, wants)
	m.index, m.forget = len(c.plan.records), forget
	c.plan.records = append(c.plan.records, m)
	return m, nil
}

// declared compiles a type, and the types that are declared in it.
func (c *compiler) declared(d protoreflect.MessageDescriptor) (*message, error) {
	m, err := c.record(d)
	for i := 0; i < d.Messages().Len() && err == nil; i++ {
		var inner *message
		inner, err = c.declared(d.Messages().Get(i))
		m.nested = append(m.nested, inner)
	}
	return m, err
}

// message compiles what is wanted of a type.
func (c *compiler) message(d protoreflect.MessageDescriptor, wants []codecs.ScalarWant) *message {
	m := &message{}
	var done []protoreflect.FieldNumber
	for i, w := range wants {
		f := fieldOf(d, w.Steps[0])
		if f == nil || slices.Contains(done, f.Number()) {
			continue
		}
		var below []codecs.ScalarWant
		for _, o := range wants[i:] { // by its name, or that in JSON
			if same := fieldOf(d, o.Steps[0]); same != nil && same.Number() == f.Number() {
				below = append(below, codecs.ScalarWant{Steps: o.Steps[1:], Leaf: o.Leaf, Apart: o.Apart})
			}
		}
		done = append(done, f.Number())
		if before := len(m.fields); !c.add(m, f, below) || len(m.fields) == before {
			m.says = true
		}
	}
	m.says = m.says || len(done) < d.Fields().Len() || slices.ContainsFunc(m.fields, (*field).says)
	return m
}

// add compiles the paths from a field on. A list without [] behind it, and a
// map, is no value of a tick; then it is false.
func (c *compiler) add(m *message, d protoreflect.FieldDescriptor, wants []codecs.ScalarWant) bool {
	inner := d.Message()
	switch {
	case d.IsMap(), d.IsList() && inner == nil:
		return false
	case d.IsList():
		return c.list(m, d, codecs.Below(wants, codecs.Element))
	}
	var within []codecs.ScalarWant
	for _, w := range wants {
		switch {
		case inner != nil && len(w.Steps) > 0:
			within = append(within, w)
		case inner != nil && wrapper(inner):
			within = append(within, codecs.ScalarWant{Steps: []string{"value"}, Leaf: w.Leaf, Apart: w.Apart})
		case len(w.Steps) == 0 && (inner == nil || inner.FullName() == "google.protobuf.Timestamp"):
			f := c.field(d)
			f.leaf, f.time, f.apart = w.Leaf, inner != nil, w.Apart && c.content
			m.fields = append(m.fields, f)
		}
	}
	if len(within) > 0 {
		f := c.field(d)
		f.within, f.lead = c.message(inner, within), c.content
		m.fields = append(m.fields, f)
	}
	return true
}

// list compiles a list of messages into which paths lead.
func (c *compiler) list(m *message, d protoreflect.FieldDescriptor, wants []codecs.ScalarWant) bool {
	wants = slices.DeleteFunc(wants, func(w codecs.ScalarWant) bool { return len(w.Steps) == 0 })
	if len(wants) == 0 {
		return false
	}
	f := c.field(d)
	if slices.ContainsFunc(wants, func(w codecs.ScalarWant) bool { return w.Leaf != nil }) {
		f.level, f.index = c.level, len(c.plan.lists)
		c.plan.lists = append(c.plan.lists, f)
		m.ticks = f
		c.level++
		defer func() { c.level-- }()
	}
	f.within, f.lead = c.message(d.Message(), wants), c.content
	m.fields = append(m.fields, f)
	return true
}

func (c *compiler) field(d protoreflect.FieldDescriptor) *field {
	f := &field{number: d.Number(), wire: wireOf(d.Kind()), kind: d.Kind(), implicit: !d.HasPresence() && !d.IsList()}
	if e := d.Enum(); e != nil {
		f.names = map[int32][]byte{}
		for i := range e.Values().Len() {
			v := e.Values().Get(i)
			f.names[int32(v.Number())] = []byte(v.Name())
		}
	}
	return f
}

// says reports whether there is anything in a value but what is noted as no
// content.
func (f *field) says() bool {
	if f.within != nil {
		return f.within.says
	}
	return !f.apart
}

// wrapper reports whether a message is one of google/protobuf/wrappers.proto.
func wrapper(d protoreflect.MessageDescriptor) bool {
	return d.ParentFile().Path() == "google/protobuf/wrappers.proto"
}

func wireOf(k protoreflect.Kind) protowire.Type {
	switch k {
	case protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind, protoreflect.FloatKind:
		return protowire.Fixed32Type
	case protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind, protoreflect.DoubleKind:
		return protowire.Fixed64Type
	case protoreflect.StringKind, protoreflect.BytesKind, protoreflect.MessageKind:
		return protowire.BytesType
	case protoreflect.GroupKind:
		return protowire.StartGroupType
	}
	return protowire.VarintType
}

// zero is the value of a field that is not written because it is zero.
func (f *field) zero() codecs.Scalar {
	switch f.kind {
	case protoreflect.StringKind, protoreflect.BytesKind:
		return codecs.Scalar{Form: codecs.Text}
	case protoreflect.BoolKind:
		return codecs.Scalar{Form: codecs.Other}
	case protoreflect.EnumKind:
		return codecs.Scalar{Form: codecs.Text, Text: f.names[0]}
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		return codecs.Scalar{Form: codecs.Float}
	}
	return codecs.Scalar{Form: codecs.Integer, Unit: engine.UnitAuto}
}
