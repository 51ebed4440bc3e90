package codecs

import (
	"fmt"
	"time"

	"github.com/auditstream/auditstream/engine"
)

// Fields says where a tick has its fields, and how they are read. Paths are
// dotted, in exact case.
type Fields struct {
	Symbol    string
	Timestamp string
	Unit      engine.Unit    // unit of the event time
	Zone      *time.Location // zone of text times that carry none; nil: they are unusable
	Normalize Normalize      // how symbols are spelled before they are compared
}

// NewDecoder is a decoder of the named form, a value of the key
// value.converter that needs nothing beside its fields.
func NewDecoder(converter string, f Fields) (TickDecoder, error) {
	switch converter {
	case "json":
		return NewJSON(f)
	}
	return nil, fmt.Errorf("value.converter: %q is no form that is read without a schema", converter)
}
