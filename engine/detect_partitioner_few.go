package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// fewKeys are keys that the one function which all others follow does not put
// where they lie, and that lie nowhere else: too few to prove another function,
// but some known one would put all of them there.
type fewKeys struct {
	symbols    []string // with such a key, ascending
	candidates []family
	more       int // about how many more keys decide between the candidates
}

const fewKeysMin = 2 // a single one may be a record that somebody placed by hand

// fewKeys finds them, nil: there are none. A key that lies where the others'
// function puts it too is a split symbol's, which its own finding tells.
func (t *Topic) fewKeys() *fewKeys {
	e := &t.placing.explained
	if e.verdict != Decided || e.leftKeys < fewKeysMin-0.5 || !t.settled() {
		return nil
	}
	lead, all, keys := e.members[0].family, Fits(1<<familyMurmur2Unmasked-1), map[string]string{}
	for fits := range t.placing.witness {
		for i := range t.placing.witness[fits] {
			w := &t.placing.witness[fits][i]
			if Fits(fits).has(lead) || t.before(lead, w) || len(t.symbols[w.symbol].current()) > 1 {
				continue
			}
			all &= Fits(fits)
			if first, ok := keys[w.key]; !ok || w.symbol < first {
				keys[w.key] = w.symbol
			}
		}
	}
	if len(keys) < fewKeysMin || all == 0 {
		return nil
	}
	few := &fewKeys{symbols: slices.Sorted(maps.Values(keys))}
	for f := range familyMurmur2Unmasked {
		if all.has(f) {
			few.candidates = append(few.candidates, f)
		}
	}
	k := t.placing.kin
	few.more = k.moreKeys(few.candidates, bits(float64(len(keys)), float64(len(keys)), k.n))
	return few
}

// function is what may have placed them, as evidence.
func (few *fewKeys) function(t *Topic, left *strays) Function {
	n := float64(len(few.symbols))
	g := Function{
		Name: few.candidates[0].String(), Keys: int64(n), Ticks: int64(left.ticks + 0.5), Odds: odds(bits(n, n, t.placing.kin.n)),
		Symbols: few.symbols[:min(len(few.symbols), symbolsOut)], Clients: few.candidates[0].clients(),
		Producers: t.producers(func(fits Fits) bool { return !t.placing.explained.explains(fits) }),
	}
	for _, f := range few.candidates[1:] {
		g.Or, g.Clients = append(g.Or, f.String()), append(g.Clients, f.clients()...)
	}
	if ticks := t.placing.explained.ticks; ticks > 0 {
		g.Share = left.ticks / ticks
	}
	return g
}

func (few *fewKeys) cause(t *Topic, g *Function) string {
	return fmt.Sprintf("%s of %s (such as %s) lie where %s, which the others follow, does not put them; %s would, but so few prove no function: about %s would decide",
		plural(g.Keys, "key"), t.name, strings.Join(g.Symbols[:min(len(g.Symbols), 3)], ", "), t.placing.explained.members[0].family,
		strings.Join(append([]string{g.Name}, g.Or...), " or "), plural(int64(few.more), "more key"))
}
