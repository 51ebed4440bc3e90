package engine

import (
	"fmt"
	"slices"
	"strings"
)

// plainLetters are the letters of Latin-1 without their marks, from U+00C0.
const plainLetters = "AAAAAAACEEEEIIIIDNOOOOO*OUUUUYTSAAAAAAACEEEEIIIIDNOOOOO*OUUUUYTY"

// escapedBlanks are line ends and tabs as a symbol shows them.
var escapedBlanks = strings.NewReplacer(`\x0a`, "", `\x0d`, "", `\x09`, "")

// spelling is a symbol without case, blanks, marks and separators: symbols
// that share it look like one to a person. A separator between two digits
// stays, as 1.5 and 15 are two strikes. The symbol is escaped, as told.
func spelling(symbol string) string {
	if strings.IndexFunc(symbol, func(r rune) bool { return (r < 'A' || r > 'Z') && (r < '0' || r > '9') }) < 0 {
		return symbol // as most are
	}
	in := []rune(strings.ToUpper(escapedBlanks.Replace(symbol)))
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

// addSpelling notes a symbol under its spelling, unless it is that itself.
func (t *Topic) addSpelling(symbol string) (key string) {
	if key = spelling(symbol); key != symbol {
		if i, found := slices.BinarySearch(t.spellings[key], symbol); !found {
			t.spellings[key] = slices.Insert(t.spellings[key], i, symbol)
		}
	}
	return key
}

func (t *Topic) dropSpelling(symbol string) {
	key := spelling(symbol)
	if i, found := slices.BinarySearch(t.spellings[key], symbol); found {
		t.spellings[key] = slices.Delete(t.spellings[key], i, i+1)
	}
}

// alike are all symbols of a spelling that have a place, ascending; nil where
// there are not several.
func (t *Topic) alike(key string) []string {
	alike := t.spellings[key]
	if s := t.symbols[key]; len(alike) > 0 && s != nil && len(s.Places) > 0 {
		if i, found := slices.BinarySearch(alike, key); !found {
			alike = slices.Insert(slices.Clone(alike), i, key)
		}
	}
	if len(alike) < 2 {
		return nil
	}
	return alike
}

// spell judges whether a symbol that has a place now is another spelling of a
// known one, or brings the finding about its spellings up to date.
func (t *Topic) spell(symbol string) {
	key := t.addSpelling(symbol)
	alike := t.alike(key)
	if len(alike) == 0 || key == "" {
		return
	}
	subject := "spelling/" + key
	f := t.find(subject)
	opened := f == nil
	if opened {
		f = t.newFinding(KeyMismatch, subject, -1)
		f.Threshold, f.Unit = 1, "spellings"
	}
	before := f.Count
	f.Symbol = alike[0]
	f.Count, f.Observed = int64(len(alike)-1), float64(len(alike))
	t.listSpellings(f, alike)
	switch {
	case opened:
		t.openFinding(subject, f)
	case f.Count > before:
		t.update(subject)
	default:
		t.changed["f/"+subject] = true
	}
}

// listSpellings counts the spellings and says where the second of them began,
// which is the finding's place, and the last. That follows from their places
// alone, whatever is heard of first.
func (t *Topic) listSpellings(f *Finding, alike []string) {
	listed := make([]SymbolLoad, 0, t.limits.SpellingsPerEvidence)
	var began []SymbolPlace
	for i, name := range alike {
		s := t.symbols[name]
		if i < t.limits.SpellingsPerEvidence {
			listed = append(listed, SymbolLoad{name, s.ticks()})
		}
		began = append(began, slices.MinFunc(s.Places, earlier))
	}
	slices.SortStableFunc(began, earlier)
	second, last := &began[1], &began[len(began)-1]
	f.FirstTime, f.FirstOffset = Time(second.Since), second.Offset
	f.LastTime, f.LastOffset = Time(last.Since), last.Offset
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
