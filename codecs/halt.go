package codecs

import (
	"strconv"

	"github.com/auditstream/auditstream/engine"
)

// Halts says how a tick tells of a trading halt of its symbol.
type Halts struct {
	Path   string   // of the field, "": ticks do not tell
	Values []string // that mean a halt; any other means that trading goes on
}

// of is what the field's text says; no text says nothing.
func (h *Halts) of(text []byte) engine.Halt {
	if len(text) == 0 {
		return engine.NoHalt
	}
	for _, v := range h.Values {
		if string(text) == v {
			return engine.Halted
		}
	}
	return engine.Resumed
}

// ofScalar is the same for formats with a schema.
func (h *Halts) ofScalar(s *Scalar) engine.Halt {
	switch s.Form {
	case Text:
		return h.of(s.Text)
	case Integer:
		var digits [20]byte
		return h.of(strconv.AppendInt(digits[:0], s.Int, 10))
	}
	return engine.NoHalt
}

// haltText is the text of a JSON value; null and what holds others have none.
func haltText(raw []byte) []byte {
	switch {
	case len(raw) == 0 || raw[0] == 'n' || raw[0] == '{' || raw[0] == '[':
		return nil
	case raw[0] == '"':
		return raw[1 : len(raw)-1]
	}
	return raw
}
