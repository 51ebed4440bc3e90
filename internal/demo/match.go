package demo

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/auditstream/auditstream/engine"
)

// met says whether a finding is the one expected: the code, the kind and the
// reason where one is expected, the symbol, and partitions of those.
func (e *Expectation) met(f *engine.Finding) bool {
	where := places(f)
	if f.Code != e.Code || len(where) == 0 || slices.ContainsFunc(where, func(p int32) bool { return !slices.Contains(e.Partitions, p) }) {
		return false
	}
	if kind, _ := f.Evidence["kind"].(string); e.Kind != "" && kind != e.Kind {
		return false
	}
	if e.Reason != engine.ReasonNone && !mentions(f.Evidence["reasons"], e.Reason.String()) {
		return false
	}
	switch {
	case e.Unnamed:
		return f.Symbol == ""
	case e.Symbols != nil:
		return slices.Contains(e.Symbols, f.Symbol)
	case f.Symbol != "":
		return f.Symbol == e.Symbol
	}
	return mentions(f.Evidence, e.Symbol)
}

// blamed says whether the evidence attributes the finding as expected.
func (e *Expectation) blamed(f *engine.Finding) bool {
	who, _ := f.Evidence["attributed_to"].(string)
	return e.Blames == "" || who == e.Blames
}

// places are the partitions that a finding names.
func places(f *engine.Finding) (where []int32) {
	if f.Partition != nil {
		return []int32{*f.Partition}
	}
	all, _ := f.Evidence["partitions"].([]any)
	for _, p := range all {
		switch n := p.(type) {
		case float64:
			where = append(where, int32(n))
		case json.Number:
			id, _ := n.Int64()
			where = append(where, int32(id))
		default:
			return nil
		}
	}
	return where
}

// escape is a byte as findings show one that is no text.
var escape = regexp.MustCompile(`\\x[0-9a-f]{2}`)

// mentions says whether a text anywhere in the evidence has a word: a value
// that cannot be decoded has no symbol, but its first bytes show one.
func mentions(evidence any, word string) bool {
	switch v := evidence.(type) {
	case string:
		return slices.Contains(strings.FieldsFunc(escape.ReplaceAllString(v, " "), func(r rune) bool {
			return !(r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_')
		}), word)
	case []any:
		return slices.ContainsFunc(v, func(item any) bool { return mentions(item, word) })
	case map[string]any:
		for name, item := range v {
			if mentions(name, word) || mentions(item, word) {
				return true
			}
		}
	}
	return false
}
