package codecs

import (
	"bytes"
	"fmt"

	"github.com/auditstream/auditstream/engine"
)

// Normalize is how symbols are spelled before they are compared.
type Normalize uint8

// The values of symbol.normalize.
const (
	NormalizeNone  Normalize = iota // every spelling is a symbol of its own
	NormalizeUpper                  // white space around is cut, letters are upper case
)

// ParseNormalize reads a value of symbol.normalize.
func ParseNormalize(s string) (Normalize, error) {
	switch s {
	case "none":
		return NormalizeNone, nil
	case "upper":
		return NormalizeUpper, nil
	}
	return NormalizeNone, fmt.Errorf("symbol.normalize %q is neither none nor upper", s)
}

// symbol reads the symbol from its value's bytes, which are well-formed, or
// empty when there is none.
func (d *JSON) symbol(raw []byte) ([]byte, engine.Reason) {
	if len(raw) == 0 {
		return nil, engine.ReasonSymbolMissing
	}
	d.scratch = d.scratch[:0]
	switch {
	case raw[0] == '"':
		raw = raw[1 : len(raw)-1]
		if bytes.IndexByte(raw, '\\') >= 0 {
			d.scratch = appendUnescaped(d.scratch, raw)
			raw = d.scratch
		}
	case raw[0] == 'n':
		return nil, engine.ReasonSymbolNull
	case !isInteger(raw):
		return nil, engine.ReasonSymbolType
	}
	return d.symbolText(raw)
}

// isInteger says whether a well-formed JSON value is a number without
// fraction and exponent.
func isInteger(raw []byte) bool {
	if raw[0] == '-' {
		raw = raw[1:]
	}
	for _, c := range raw {
		if !isDigit(c) {
			return false
		}
	}
	return true
}
