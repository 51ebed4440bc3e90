package engine

import (
	"fmt"
	"strings"
)

// foldSpelling notes a symbol under its spelling without case, blanks and
// separators, and returns the first symbol of that spelling when it is
// another one.
func (t *Topic) foldSpelling(symbol string) (other string) {
	key := strings.Map(func(r rune) rune {
		switch r {
		case ' ', '.', '-', '_', '/', ':':
			return -1
		}
		return r
	}, strings.ToUpper(strings.NewReplacer(`\x0a`, "", `\x0d`, "", `\x09`, "").Replace(symbol)))
	first, ok := t.folded[key]
	if !ok {
		t.folded[key] = symbol
		return ""
	}
	if first == symbol {
		return ""
	}
	return first
}

// spell judges whether a new symbol is another spelling of a known one.
func (t *Topic) spell(g *Sighting) {
	first := t.foldSpelling(g.Symbol)
	if first == "" {
		return
	}
	subject := "spelling/" + first
	f := t.open[subject]
	opened := f == nil
	if opened {
		f = t.newFinding(KeyMismatch, "spelling/"+first, -1)
		f.Symbol, f.FirstTime = first, Time(g.Time)
		f.FirstOffset = g.Offset
		f.Threshold, f.Unit = 1, "spellings"
		f.Evidence["spellings"] = []any{first}
	}
	f.LastOffset, f.LastTime = g.Offset, Time(g.Time)
	list, _ := f.Evidence["spellings"].([]any)
	if len(list) < t.limits.SpellingsPerEvidence {
		list = append(list, g.Symbol)
	}
	f.Evidence["spellings"] = list
	f.Count++
	f.Observed = float64(f.Count + 1)
	f.Cause = fmt.Sprintf("%d spellings look like one symbol of %s: %q", f.Count+1, t.name, list)
	if opened {
		t.openFinding(subject, f)
	} else {
		t.update(f)
	}
}
