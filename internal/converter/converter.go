// Package converter makes the decoder that a configuration asks for: the one
// place where the values of value.converter meet the code that reads them.
//
// Formats of the standard library alone are known to package codecs by name;
// those that need a library or a registry have a case in [New].
package converter

import (
	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/internal/config"
)

// New is a decoder of the values as the configuration describes them. A
// decoder serves one goroutine.
func New(c *config.Config) (codecs.TickDecoder, error) {
	fields, err := c.Fields()
	if err != nil {
		return nil, err
	}
	return codecs.NewDecoder(c.ValueConverter, fields)
}
