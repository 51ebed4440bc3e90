package codecs

import (
	"bytes"

	"github.com/auditstream/auditstream/engine"
)

// line reads the line that begins at i into d.fields and returns where the
// next one begins. A blank line has no fields.
func (d *CSV) line(i int) (next int, _ engine.Reason) {
	b := d.message
	d.fields = d.fields[:0]
	if end := lineEnd(b, i); end > 0 {
		return end, engine.ReasonNone
	}
	for {
		if i < len(b) && b[i] == '"' {
			f := csvField{start: i + 1}
			if i = d.quoted(&f); i < 0 {
				return 0, engine.ReasonTruncated
			}
			d.fields = append(d.fields, f)
		} else {
			f := csvField{start: i}
			for i < len(b) && b[i] != d.comma && b[i] != '\n' {
				if b[i] == '"' {
					return 0, engine.ReasonSyntax
				}
				i++
			}
			f.end = i
			if (i == len(b) || b[i] == '\n') && f.end > f.start && b[f.end-1] == '\r' {
				f.end--
			}
			d.fields = append(d.fields, f)
		}
		if i < len(b) && b[i] == d.comma {
			i++
			continue
		}
		if i == len(b) {
			return i, engine.ReasonNone
		}
		if end := lineEnd(b, i); end > 0 {
			return end, engine.ReasonNone
		}
		return 0, engine.ReasonSyntax
	}
}

// lineEnd is the index behind a line break at b[i], or behind what the last
// line ends with; 0 when there is none.
func lineEnd(b []byte, i int) int {
	switch {
	case i < len(b) && b[i] == '\n':
		return i + 1
	case i+1 < len(b) && b[i] == '\r' && b[i+1] == '\n':
		return i + 2
	case i+1 == len(b) && b[i] == '\r':
		return i + 1
	}
	return 0
}

// quoted reads a field from behind its opening quote to behind its closing
// one; the result is negative when there is none.
func (d *CSV) quoted(f *csvField) int {
	i := f.start
	for {
		k := bytes.IndexByte(d.message[i:], '"')
		if k < 0 {
			return -1
		}
		f.escaped = f.escaped || bytes.IndexByte(d.message[i:i+k], '\r') >= 0
		i += k + 1
		if i == len(d.message) || d.message[i] != '"' {
			f.end = i - 1
			return i
		}
		f.escaped = true
		i++
	}
}
