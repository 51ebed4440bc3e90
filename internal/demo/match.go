package demo

import (
	"slices"
	"strings"

	"github.com/auditstream/auditstream/engine"
)

// met says whether a finding is the one expected: the code, the kind where
// one is expected, the symbol, and one of the partitions.
func (e *Expectation) met(f *engine.Finding) bool {
	if f.Code != e.Code || f.Partition == nil || !slices.Contains(e.Partitions, *f.Partition) {
		return false
	}
	if kind, _ := f.Evidence["kind"].(string); e.Kind != "" && kind != e.Kind {
		return false
	}
	if f.Symbol != "" {
		return f.Symbol == e.Symbol
	}
	return mentions(f.Evidence, e.Symbol)
}

// mentions says whether a text anywhere in the evidence has the symbol as a
// word: a value that cannot be decoded has no symbol, but its first bytes show
// one.
func mentions(evidence any, symbol string) bool {
	switch v := evidence.(type) {
	case string:
		return slices.Contains(strings.FieldsFunc(v, func(r rune) bool {
			return !(r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9')
		}), symbol)
	case []any:
		return slices.ContainsFunc(v, func(item any) bool { return mentions(item, symbol) })
	case map[string]any:
		for name, item := range v {
			if mentions(name, symbol) || mentions(item, symbol) {
				return true
			}
		}
	}
	return false
}
