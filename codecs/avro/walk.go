package avro

import (
	"encoding/binary"
	"math"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
)

// Faults of a walk, in place of the index behind a value.
const (
	walkCut  = -1 // the record ends too early
	walkBad  = -2 // the bytes are not the schema's
	walkDeep = -3 // nested deeper than maxDepth
)

const maxDepth = 64

// Read implements [codecs.Plan]. All of the record must be the schema's. Texts
// in s are views on b.
func (p *Plan) Read(b []byte, s *codecs.Scalars) engine.Reason {
	s.Reset()
	s.Cursors.Close(0, len(p.forget)-1)
	w := walker{b: b, found: s}
	switch end := w.value(p.root, 0, 0); {
	case end == walkCut:
		return engine.ReasonTruncated
	case end == walkDeep:
		return engine.ReasonDepth
	case end != len(b):
		return engine.ReasonSyntax
	}
	s.Cursors.Close(1, len(p.forget)-1)
	if s.Several = len(p.arrays) > 0; !s.Several && p.says {
		s.Content = s.Apart.Hash(b)
	}
	return engine.ReasonNone
}

// walker reads one record.
type walker struct {
	b     []byte
	found *codecs.Scalars
}

// value reads a value at b[i] and returns the index behind it, or a fault.
func (w *walker) value(n *node, i, depth int) int {
	end := w.read(n, i, depth)
	if n.apart && end >= 0 {
		w.found.Apart.Note(i, end)
	}
	if n.also != nil && end >= 0 {
		*n.also(w.found) = *n.leaf(w.found)
	}
	return end
}

func (w *walker) read(n *node, i, depth int) int {
	if depth > maxDepth {
		return walkDeep
	}
	switch n.kind {
	case kindFixed:
		return w.fixed(n, i)
	case kindVarint:
		v, i := w.varint(i)
		if i > 0 && n.leaf != nil {
			*n.leaf(w.found) = codecs.Scalar{Form: codecs.Integer, Int: v, Unit: n.unit, Local: n.local}
		}
		return i
	case kindFloat, kindDouble:
		return w.float(n, i)
	case kindBytes:
		text, i := w.text(i)
		if i > 0 && n.leaf != nil {
			*n.leaf(w.found) = codecs.Scalar{Form: codecs.Text, Text: text}
		}
		return i
	case kindEnum:
		return w.enum(n, i)
	case kindUnion:
		v, i := w.varint(i)
		switch {
		case i < 0:
			return i
		case v < 0 || v >= int64(len(n.kids)):
			return walkBad
		}
		return w.value(n.kids[v], i, depth+1)
	case kindRecord:
		if n.leaf != nil {
			n.leaf(w.found).Form = codecs.Other
		}
		for _, kid := range n.kids {
			if i = w.value(kid, i, depth+1); i < 0 {
				return i
			}
		}
		return i
	}
	return w.blocks(n, i, depth)
}

// fixed reads a value of constant size, which may be none at all.
func (w *walker) fixed(n *node, i int) int {
	if len(w.b)-i < n.size {
		return walkCut
	}
	if n.leaf != nil {
		s := n.leaf(w.found)
		switch {
		case n.null:
			s.Form = codecs.Null
		case n.size == 1:
			s.Form = codecs.Other
		default:
			*s = codecs.Scalar{Form: codecs.Text, Text: w.b[i : i+n.size]}
		}
	}
	return i + n.size
}

func (w *walker) float(n *node, i int) int {
	var v float64
	if n.kind == kindFloat {
		if len(w.b)-i < 4 {
			return walkCut
		}
		v = float64(math.Float32frombits(binary.LittleEndian.Uint32(w.b[i:])))
		i += 4
	} else {
		if len(w.b)-i < 8 {
			return walkCut
		}
		v = math.Float64frombits(binary.LittleEndian.Uint64(w.b[i:]))
		i += 8
	}
	if n.leaf != nil {
		*n.leaf(w.found) = codecs.Scalar{Form: codecs.Float, Float: v}
	}
	return i
}

func (w *walker) enum(n *node, i int) int {
	v, i := w.varint(i)
	switch {
	case i < 0:
		return i
	case v < 0 || v >= int64(len(n.symbols)):
		return walkBad
	case n.leaf != nil:
		*n.leaf(w.found) = codecs.Scalar{Form: codecs.Text, Text: n.symbols[v]}
	}
	return i
}

// varint reads a zig-zag number of at most 64 bits.
func (w *walker) varint(i int) (int64, int) {
	if i < len(w.b) && w.b[i] < 0x80 {
		u := w.b[i]
		return int64(u>>1) ^ -int64(u&1), i + 1
	}
	u, n := binary.Uvarint(w.b[i:])
	switch {
	case n == 0:
		return 0, walkCut
	case n < 0:
		return 0, walkBad
	}
	return int64(u>>1) ^ -int64(u&1), i + n
}

// text reads bytes behind their length.
func (w *walker) text(i int) ([]byte, int) {
	n, i := w.varint(i)
	switch {
	case i < 0:
		return nil, i
	case n < 0:
		return nil, walkBad
	case n > int64(len(w.b)-i):
		return nil, walkCut
	}
	return w.b[i : i+int(n)], i + int(n)
}

// blocks reads an array or a map.
func (w *walker) blocks(n *node, i, depth int) int {
	if n.leaf != nil {
		n.leaf(w.found).Form = codecs.Other
	}
	if n.ticks {
		w.found.Cursors[n.level] = codecs.Cursor{Rest: w.b[i:], Node: n.index}
	}
	for {
		count, next := w.block(i)
		if i = next; i < 0 || count == 0 {
			return i
		}
		if i = w.items(n, count, i, depth); i < 0 {
			return i
		}
	}
}

// block reads the number of items of a block; 0 ends an array or a map.
func (w *walker) block(i int) (count int64, next int) {
	if count, i = w.varint(i); i < 0 || count >= 0 {
		return count, i
	}
	if count = -count; count < 0 {
		return 0, walkBad
	}
	// The block says its size in bytes. Readers that want all of a record pass
	// over it, so one that is wrong makes no record unreadable.
	_, i = w.varint(i)
	return count, i
}

// items reads count items of a block. One that may have no bytes has a
// constant size, so a great count costs no time.
func (w *walker) items(n *node, count int64, i, depth int) int {
	if size, ok := n.kids[0].constant(); ok && n.kind == kindArray {
		if size > 0 && count > int64((len(w.b)-i)/size) {
			return walkCut
		}
		return i + size*int(count)
	}
	for ; count > 0; count-- {
		item := n.kids[0]
		if n.kind == kindMap {
			key, next := w.text(i)
			if i = next; i < 0 {
				return i
			}
			for k, name := range n.keys {
				if name == string(key) {
					item = n.kids[k+1]
				}
			}
		}
		start := i
		if i = w.value(item, i, depth+1); i < 0 {
			return i
		}
		if n.ticks && i == start {
			return walkBad // a tick of no bytes: any count of them would do
		}
	}
	return i
}
