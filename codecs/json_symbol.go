package codecs

import (
	"bytes"
	"fmt"
	"unicode"
	"unicode/utf8"

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
	if d.upper {
		raw = d.upperCase(raw)
	}
	switch {
	case len(raw) == 0:
		return nil, engine.ReasonSymbolEmpty
	case len(raw) > engine.MaxSymbolBytes:
		return nil, engine.ReasonSymbolLong
	}
	return raw, engine.ReasonNone
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

// upperCase spells s as NormalizeUpper says. s may lie in the scratch buffer.
// Bytes that are no UTF-8 stay as they are.
func (d *JSON) upperCase(s []byte) []byte {
	s = bytes.TrimSpace(s)
	same := true
	for _, c := range s {
		same = same && c < utf8.RuneSelf && (c < 'a' || c > 'z')
	}
	if same {
		return s
	}
	start := len(d.scratch)
	out := d.scratch
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRune(s[i:])
		if r == utf8.RuneError && n == 1 {
			out = append(out, s[i])
		} else {
			out = utf8.AppendRune(out, unicode.ToUpper(r))
		}
		i += n
	}
	d.scratch = out
	return out[start:]
}
