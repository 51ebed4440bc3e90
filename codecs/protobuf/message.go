package protobuf

import (
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
	leaf     codecs.Leaf      // nil: within
	within   *message         // of a message through which a path leads
	time     bool             // a google.protobuf.Timestamp
	names    map[int32][]byte // of an enum
	implicit bool             // absent means zero
}

// want is a field of a tick by the steps that are left of its path.
type want struct {
	steps []string
	leaf  codecs.Leaf
}

// wantsOf are the paths that a type has.
func wantsOf(d protoreflect.MessageDescriptor, paths []codecs.ScalarPath) (out []want) {
	for _, p := range paths {
		for _, steps := range p.Any {
			if has(d, steps) {
				out = append(out, want{steps, p.Leaf})
				break
			}
		}
	}
	return out
}

// has says whether a type has the path, whatever value stands there.
func has(d protoreflect.MessageDescriptor, steps []string) bool {
	f := fieldOf(d, steps[0])
	if f == nil || len(steps) == 1 {
		return f != nil
	}
	return f.Message() != nil && has(f.Message(), steps[1:])
}

// compileType compiles a type, and the types that are declared in it.
func compileType(d protoreflect.MessageDescriptor, paths []codecs.ScalarPath) *message {
	m := compileMessage(d, wantsOf(d, paths))
	for i := range d.Messages().Len() {
		m.nested = append(m.nested, compileType(d.Messages().Get(i), paths))
	}
	return m
}

// compileMessage compiles what is wanted of a type.
func compileMessage(d protoreflect.MessageDescriptor, wants []want) *message {
	m := &message{}
	for _, w := range wants {
		if f := fieldOf(d, w.steps[0]); f != nil {
			m.add(f, w)
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
		f.within = compileMessage(inner, []want{{[]string{"value"}, w.leaf}})
	case len(rest) == 0:
		return
	default:
		f.within = compileMessage(inner, []want{{rest, w.leaf}})
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
