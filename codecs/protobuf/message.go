package protobuf

import (
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
)

// message is a type with what is wanted of it.
type message struct {
	fields []*field
	nested []*message // types within, by their index, where records may be of them
}

// field is one that is wanted, or that leads to one.
type field struct {
	number   protowire.Number
	wire     protowire.Type
	kind     protoreflect.Kind
	leaf     func(*codecs.Scalars) *codecs.Scalar // nil: within
	within   *message                             // of a message through which a path leads
	time     bool                                 // a google.protobuf.Timestamp
	names    map[int32][]byte                     // of an enum
	implicit bool                                 // absent means zero
}

// want is a field of a tick by the steps that are left of its path.
type want struct {
	steps []string
	leaf  func(*codecs.Scalars) *codecs.Scalar
}

func wantsOf(f codecs.Fields) (out []want) {
	for _, w := range []struct {
		path string
		leaf func(*codecs.Scalars) *codecs.Scalar
	}{
		{f.Symbol, func(s *codecs.Scalars) *codecs.Scalar { return &s.Symbol }},
		{f.Timestamp, func(s *codecs.Scalars) *codecs.Scalar { return &s.Time }},
	} {
		if w.path != "" {
			out = append(out, want{strings.Split(w.path, "."), w.leaf})
		}
	}
	return out
}

// compileMessage compiles what is wanted of a type, and with nested the types
// that are declared in it.
func compileMessage(d protoreflect.MessageDescriptor, wants []want, nested bool) *message {
	m := &message{}
	for _, w := range wants {
		if f := fieldOf(d, w.steps[0]); f != nil {
			m.add(f, w)
		}
	}
	for i := range d.Messages().Len() {
		if nested {
			m.nested = append(m.nested, compileMessage(d.Messages().Get(i), wants, true))
		}
	}
	return m
}

func fieldOf(d protoreflect.MessageDescriptor, step string) protoreflect.FieldDescriptor {
	if f := d.Fields().ByName(protoreflect.Name(step)); f != nil {
		return f
	}
	return d.Fields().ByJSONName(step)
}

// add compiles one path from a field on. A list or map is no value of a tick.
func (m *message) add(d protoreflect.FieldDescriptor, w want) {
	rest := w.steps[1:]
	f := &field{number: d.Number(), wire: wireOf(d.Kind()), kind: d.Kind(), implicit: !d.HasPresence()}
	inner := d.Message()
	switch {
	case d.IsList() || d.IsMap():
		return
	case inner == nil && len(rest) > 0:
		return
	case inner == nil || len(rest) == 0 && inner.FullName() == "google.protobuf.Timestamp":
		f.leaf, f.time = w.leaf, inner != nil
		if e := d.Enum(); e != nil {
			f.names = map[int32][]byte{}
			for i := range e.Values().Len() {
				v := e.Values().Get(i)
				f.names[int32(v.Number())] = []byte(v.Name())
			}
		}
	case len(rest) == 0 && wrapper(inner):
		f.within = compileMessage(inner, []want{{[]string{"value"}, w.leaf}}, false)
	case len(rest) == 0:
		return
	default:
		f.within = compileMessage(inner, []want{{rest, w.leaf}}, false)
	}
	m.fields = append(m.fields, f)
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
