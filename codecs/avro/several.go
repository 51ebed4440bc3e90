package avro

import "github.com/auditstream/auditstream/codecs"

// Next implements [codecs.Plan]. What it reads was read by Read before, so
// there are no faults in it.
func (p *Plan) Next(s *codecs.Scalars) bool {
	innermost := len(p.forget) - 2
	for level := innermost; level >= 0; {
		c := &s.Cursors[level]
		if !open(c) {
			level--
			continue
		}
		for _, leaf := range p.forget[level+1] {
			*leaf(s) = codecs.Scalar{}
		}
		s.Apart.Reset()
		s.Cursors.Close(level+1, len(p.forget)-1)
		w := walker{b: c.Rest, found: s}
		end := w.value(p.arrays[c.Node].kids[0], 0, 0)
		s.Cursors.Close(level+2, len(p.forget)-1) // that of the last element of the next level
		if end < 0 {
			return false
		}
		if level == innermost {
			if p.says {
				s.Content = s.Apart.Hash(c.Rest[:end])
			}
			c.Rest, c.Left = c.Rest[end:], c.Left-1
			return true
		}
		c.Rest, c.Left = c.Rest[end:], c.Left-1
		level++
	}
	return false
}

// open goes to the next element of an array, in its next block where one is
// over. It is false at the array's end.
func open(c *codecs.Cursor) bool {
	if c.Left > 0 || c.Rest == nil {
		return c.Left > 0
	}
	w := walker{b: c.Rest}
	count, next := w.block(0)
	if next < 0 || count == 0 {
		c.Rest = nil
		return false
	}
	c.Rest, c.Left = c.Rest[next:], count
	return true
}
