package protobuf

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
)

// Read implements [codecs.Plan]. Of a field that is repeated the last one
// counts, as everywhere in Protobuf. Texts in s are views on b.
func (p *Plan) Read(b []byte, s *codecs.Scalars) engine.Reason {
	s.Reset()
	m := p.bare
	if m == nil {
		var reason engine.Reason
		if m, b, reason = p.indexed(b); reason != engine.ReasonNone {
			return reason
		}
	}
	s.Cursors.Close(0, len(m.forget)-1)
	if reason := m.read(b, s, 0, 0); reason != engine.ReasonNone {
		return reason
	}
	s.Cursors.Close(1, len(m.forget)-1)
	if s.Type, s.Several = m.index, len(m.forget) > 1; !s.Several && p.content && m.says {
		s.Content = s.Apart.Hash(b)
	}
	return engine.ReasonNone
}

// indexed takes the message indexes off a record: their count and each of
// them as zig-zag varints. A single 0 stands for the first message.
func (p *Plan) indexed(b []byte) (m *message, rest []byte, reason engine.Reason) {
	count, n := binary.Varint(b)
	switch {
	case n == 0:
		return nil, nil, engine.ReasonTruncated
	case n < 0 || count < 0:
		return nil, nil, engine.ReasonSyntax
	}
	b = b[n:]
	if count == 0 {
		if len(p.messages) == 0 {
			return nil, nil, engine.ReasonMessageUnknown
		}
		return p.messages[0], b, engine.ReasonNone
	}
	at := p.messages
	for ; count > 0; count-- {
		index, n := binary.Varint(b)
		switch {
		case n == 0:
			return nil, nil, engine.ReasonTruncated
		case n < 0:
			return nil, nil, engine.ReasonSyntax
		case index < 0 || index >= int64(len(at)):
			return nil, nil, engine.ReasonMessageUnknown
		}
		b, m = b[n:], at[index]
		at = m.nested
	}
	return m, b, engine.ReasonNone
}

const maxDepth = 64

// read walks over a message that stands at an index of its record. Every byte
// of it must be well-formed; messages within of which nothing is wanted are not
// looked into.
func (m *message) read(b []byte, s *codecs.Scalars, at, depth int) engine.Reason {
	if depth > maxDepth {
		return engine.ReasonDepth
	}
	for _, f := range m.fields {
		if f.implicit && f.leaf != nil && f.leaf(s).Form == codecs.Absent {
			*f.leaf(s) = f.zero()
		}
	}
	if m.ticks != nil {
		s.Cursors[m.ticks.level] = codecs.Cursor{Rest: b, Node: m.ticks.index}
	}
	for len(b) > 0 {
		number, wire, n := protowire.ConsumeTag(b)
		if n < 0 {
			return fault(n)
		}
		b = b[n:]
		size := protowire.ConsumeFieldValue(number, wire, b)
		if size < 0 {
			return fault(size)
		}
		for _, f := range m.fields {
			if f.number == number && f.wire == wire {
				switch {
				case f.apart:
					s.Apart.Note(at, at+n+size)
				case f.lead:
					s.Apart.Note(at, at+n+size-len(f.inner(b[:size])))
				}
				if reason := f.take(b[:size], s, at+n, depth); reason != engine.ReasonNone {
					return reason
				}
			}
		}
		b, at = b[size:], at+n+size
	}
	return engine.ReasonNone
}

func fault(n int) engine.Reason {
	if errors.Is(protowire.ParseError(n), io.ErrUnexpectedEOF) {
		return engine.ReasonTruncated
	}
	return engine.ReasonSyntax
}

// inner is the message that b is.
func (f *field) inner(b []byte) (inner []byte) {
	if f.wire == protowire.StartGroupType {
		inner, _ = protowire.ConsumeGroup(f.number, b)
	} else {
		inner, _ = protowire.ConsumeBytes(b)
	}
	return inner
}

// take reads the value of a field that is wanted, at an index of the record; b
// is well-formed for its wire type.
func (f *field) take(b []byte, s *codecs.Scalars, at, depth int) engine.Reason {
	switch {
	case f.within != nil:
		inner := f.inner(b)
		if f.wire != protowire.StartGroupType {
			at += len(b) - len(inner)
		}
		return f.within.read(inner, s, at, depth+1)
	case f.leaf == nil:
		return engine.ReasonNone
	case f.time:
		return timestamp(f.inner(b), f.leaf(s))
	}
	out := f.leaf(s)
	switch f.wire {
	case protowire.BytesType:
		text, _ := protowire.ConsumeBytes(b)
		*out = codecs.Scalar{Form: codecs.Text, Text: text}
	case protowire.Fixed32Type:
		v, _ := protowire.ConsumeFixed32(b)
		*out = f.fixed32(v)
	case protowire.Fixed64Type:
		v, _ := protowire.ConsumeFixed64(b)
		*out = f.number64(v)
	default:
		v, _ := protowire.ConsumeVarint(b)
		*out = f.varint(v)
	}
	return engine.ReasonNone
}

func (f *field) fixed32(v uint32) codecs.Scalar {
	switch f.kind {
	case protoreflect.FloatKind:
		return codecs.Scalar{Form: codecs.Float, Float: float64(math.Float32frombits(v))}
	case protoreflect.Sfixed32Kind:
		return codecs.Scalar{Form: codecs.Integer, Int: int64(int32(v))}
	}
	return codecs.Scalar{Form: codecs.Integer, Int: int64(v)}
}

func (f *field) varint(v uint64) codecs.Scalar {
	switch f.kind {
	case protoreflect.BoolKind:
		return codecs.Scalar{Form: codecs.Other}
	case protoreflect.EnumKind:
		if name, ok := f.names[int32(v)]; ok {
			return codecs.Scalar{Form: codecs.Text, Text: name}
		}
		return codecs.Scalar{Form: codecs.Integer, Int: int64(int32(v))}
	case protoreflect.Sint32Kind:
		return codecs.Scalar{Form: codecs.Integer, Int: int64(int32(protowire.DecodeZigZag(v & math.MaxUint32)))}
	case protoreflect.Sint64Kind:
		return codecs.Scalar{Form: codecs.Integer, Int: protowire.DecodeZigZag(v)}
	case protoreflect.Int32Kind:
		return codecs.Scalar{Form: codecs.Integer, Int: int64(int32(v))}
	case protoreflect.Uint32Kind:
		return codecs.Scalar{Form: codecs.Integer, Int: int64(uint32(v))}
	}
	return f.number64(v)
}

func (f *field) number64(v uint64) codecs.Scalar {
	switch f.kind {
	case protoreflect.DoubleKind:
		return codecs.Scalar{Form: codecs.Float, Float: math.Float64frombits(v)}
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		if v > math.MaxInt64 {
			return codecs.Scalar{Form: codecs.Text, Text: strconv.AppendUint(nil, v, 10)}
		}
	}
	return codecs.Scalar{Form: codecs.Integer, Int: int64(v)}
}

// timestamp reads a google.protobuf.Timestamp: seconds in field 1, nanoseconds
// in field 2.
func timestamp(b []byte, out *codecs.Scalar) engine.Reason {
	var seconds, nanos int64
	for len(b) > 0 {
		number, wire, n := protowire.ConsumeTag(b)
		if n < 0 {
			return fault(n)
		}
		b = b[n:]
		size := protowire.ConsumeFieldValue(number, wire, b)
		if size < 0 {
			return fault(size)
		}
		if wire == protowire.VarintType {
			switch v, _ := protowire.ConsumeVarint(b); number {
			case 1:
				seconds = int64(v)
			case 2:
				nanos = int64(int32(v))
			}
		}
		b = b[size:]
	}
	*out = codecs.Scalar{Form: codecs.Integer, Int: seconds, Unit: engine.UnitSeconds, Fixed: true}
	const most = math.MaxInt64/1_000_000_000 - 3 // nanos may be some seconds in a faulty one
	if seconds >= -most && seconds <= most {
		out.Int, out.Unit = seconds*1e9+nanos, engine.UnitNanos
	}
	return engine.ReasonNone
}
