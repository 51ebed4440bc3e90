package engine

import (
	"fmt"
	"slices"
	"strings"
)

// plainLetters are the letters of Latin-1 without their marks, from U+00C0.
const plainLetters = "AAAAAAACEEEEIIIIDNOOOOO*OUUUUYTSAAAAAAACEEEEIIIIDNOOOOO*OUUUUYTY"

// spelling is a symbol without case, blanks, marks and separators: symbols
// that share it look like one to a person. A separator between two digits
// stays, as 1.5 and 15 are two strikes. The symbol is escaped, as told.
func spelling(symbol string) string {
	in := []rune(strings.ToUpper(strings.NewReplacer(`\x0a`, "", `\x0d`, "", `\x09`, "").Replace(symbol)))
	out := make([]rune, 0, len(in))
	digit := func(i int) bool { return i >= 0 && i < len(in) && in[i] >= '0' && in[i] <= '9' }
	for i, r := range in {
		switch {
		case strings.ContainsRune(" .-_/:", r) && !(digit(i-1) && digit(i+1)):
		case r >= 0x300 && r < 0x370: // combining marks
		case r >= 0xc0 && r <= 0xff && r != 0xd7 && r != 0xf7:
			out = append(out, rune(plainLetters[r-0xc0]))
		default:
			out = append(out, r)
		}
	}
	return string(out)
}

// addSpelling notes a symbol under its spelling and returns all of that
// spelling, ascending.
func (t *Topic) addSpelling(symbol string) (key string, alike []string) {
	key = spelling(symbol)
	alike = t.spellings[key]
	if i, found := slices.BinarySearch(alike, symbol); !found {
		alike = slices.Insert(alike, i, symbol)
		t.spellings[key] = alike
	}
	return key, alike
}

func (t *Topic) dropSpelling(symbol string) {
	key := spelling(symbol)
	if i, found := slices.BinarySearch(t.spellings[key], symbol); found {
		t.spellings[key] = slices.Delete(t.spellings[key], i, i+1)
	}
}

// spell judges whether a new symbol is another spelling of a known one.
func (t *Topic) spell(g *Sighting) {
	key, alike := t.addSpelling(g.Symbol)
	if len(alike) < 2 || key == "" {
		return
	}
	subject := "spelling/" + key
	f := t.find(subject)
	opened := f == nil
	if opened {
		f = t.newFinding(KeyMismatch, subject, -1)
		f.FirstTime, f.FirstOffset = Time(g.Time), g.Offset
		f.Threshold, f.Unit = 1, "spellings"
	}
	f.LastOffset, f.LastTime = g.Offset, max(f.LastTime, Time(g.Time))
	f.Symbol = alike[0]
	f.Count, f.Observed = int64(len(alike)-1), float64(len(alike))
	t.listSpellings(f, alike, g)
	if opened {
		t.openFinding(subject, f)
	} else {
		t.update(subject)
	}
}

// recount brings the counts of a symbol's spellings up to date.
func (t *Topic) recount(g *Sighting) {
	key, alike := t.addSpelling(g.Symbol)
	if f := t.find("spelling/" + key); f != nil {
		t.listSpellings(f, alike, g)
		t.changed["f/spelling/"+key] = true
	}
}

func (t *Topic) listSpellings(f *Finding, alike []string, g *Sighting) {
	listed := make([]SymbolLoad, 0, t.limits.SpellingsPerEvidence)
	for _, s := range alike[:min(len(alike), t.limits.SpellingsPerEvidence)] {
		n := int64(0)
		if known := t.symbols[s]; known != nil {
			n = known.ticks()
		} else if s == g.Symbol {
			n = g.Count
		}
		listed = append(listed, SymbolLoad{s, n})
	}
	f.Evidence["spellings"] = listed
	f.Evidence["other_spellings"] = len(alike) - len(listed)
	f.Cause = fmt.Sprintf("%d spellings look like one symbol of %s: %q", len(alike), t.name, alike[:len(listed)])
}

// ticks is the number of ticks of the symbol that its sightings tell.
func (s *TopicSymbol) ticks() (n int64) {
	for i := range s.Places {
		n += s.Places[i].Count
	}
	return n
}
