package protobuf

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
)

// Next implements [codecs.Plan]. What it reads was read by Read before, so
// there are no faults in it.
func (p *Plan) Next(s *codecs.Scalars) bool {
	m := p.records[s.Type]
	innermost := len(m.forget) - 2
	for level := innermost; level >= 0; {
		c := &s.Cursors[level]
		list := p.lists[c.Node]
		element, ok := list.element(c)
		if !ok {
			level--
			continue
		}
		for _, leaf := range m.forget[level+1] {
			*leaf(s) = codecs.Scalar{}
		}
		s.Apart.Reset()
		s.Cursors.Close(level+1, len(m.forget)-1)
		if list.within.read(element, s, 0, 0) != engine.ReasonNone {
			return false
		}
		s.Cursors.Close(level+2, len(m.forget)-1) // that of the last element of the next level
		if level == innermost {
			if s.Content = 0; p.content && list.within.says {
				s.Content = s.Apart.Hash(element)
			}
			return true
		}
		level++
	}
	return false
}

// element takes the list's next element off what is left of the message that
// holds it. Elements need not stand together.
func (f *field) element(c *codecs.Cursor) (element []byte, ok bool) {
	for len(c.Rest) > 0 {
		number, wire, n := protowire.ConsumeTag(c.Rest)
		if n < 0 {
			break
		}
		size := protowire.ConsumeFieldValue(number, wire, c.Rest[n:])
		if size < 0 {
			break
		}
		value := c.Rest[n : n+size]
		if c.Rest = c.Rest[n+size:]; number == f.number && wire == f.wire {
			return f.inner(value), true
		}
	}
	return nil, false
}
