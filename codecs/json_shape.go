package codecs

import (
	"bytes"
	"encoding/binary"
)

// jsonShape remembers how the members of the last object began. One producer
// writes the same names in the same order, so that a comparison of bytes
// stands for reading the name and looking it up; where it does not fit, the
// member is read as any other.
type jsonShape struct{ members [maxShape]shapeMember }

const (
	maxShape     = 32 // members remembered
	maxShapeText = 64 // bytes of one of them
)

// shapeMember is a name with its quotes, its colon and the space around it,
// as it stood in the object, and the step of the paths that it was.
type shapeMember struct {
	text       []byte
	head, tail uint64 // first and last eight bytes, of 8 to 16 bytes; else both are 0
	kid        *jsonNode
}

// guess returns the step of the member at b[i] and the index after its colon,
// 0 when the member is not the one that stood there in the last object. Only
// the outermost object has a shape.
func (s *jsonShape) guess(b []byte, i, member, depth int) (kid *jsonNode, next int) {
	if depth != 1 || member >= maxShape {
		return nil, 0
	}
	m := &s.members[member]
	next = i + len(m.text)
	// A value must follow: without one the member is read for its fault.
	if len(m.text) == 0 || next >= len(b) || b[next] <= ' ' {
		return nil, 0
	}
	if m.head != 0 {
		text := b[i:next]
		if binary.LittleEndian.Uint64(text) != m.head || binary.LittleEndian.Uint64(text[len(text)-8:]) != m.tail {
			return nil, 0
		}
	} else if !bytes.Equal(b[i:next], m.text) {
		return nil, 0
	}
	return m.kid, next
}

// learn remembers a member.
func (s *jsonShape) learn(text []byte, member, depth int, kid *jsonNode) {
	if depth != 1 || member >= maxShape || len(text) > maxShapeText {
		return
	}
	m := &s.members[member]
	m.text, m.kid, m.head, m.tail = append(m.text[:0], text...), kid, 0, 0
	if len(text) >= 8 && len(text) <= 16 {
		m.head, m.tail = binary.LittleEndian.Uint64(text), binary.LittleEndian.Uint64(text[len(text)-8:])
	}
}
