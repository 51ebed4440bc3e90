package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

const subjectMixed = "partitioner"

// Function is a function that placed records, as evidence tells it.
type Function struct {
	Name    string   `json:"function"`
	Or      []string `json:"or,omitempty"` // functions that explain the same keys as well
	Keys    int64    `json:"keys"`         // keys that prove it: those on a partition that no function before it explains
	Ticks   int64    `json:"records"`
	Share   float64  `json:"share"` // of all records with a key
	Odds    float64  `json:"odds"`  // chance that other functions would put those keys there too
	Symbols []string `json:"symbols"`
	Clients []string `json:"clients"`

	Producers []SymbolLoad `json:"producers,omitempty"` // where a header names them: of records that no other function explains
}

// strays is what no function explains.
type strays struct {
	keys, ticks float64
	symbols     []string
	ignored     bool // single keys on several partitions: they are ignored
	spread      int  // the most partitions on which one key lies
	scattered   bool // so do most of them, more than any functions explain
}

// keysIgnored is the name of what places records without regard of their key.
const keysIgnored = "keys-ignored"

const (
	straysMin  = 6  // keys that no function explains, below which they are single mistakes
	symbolsOut = 8  // symbols that prove a function, in evidence
	leastOdds  = 60 // bits beyond which a chance is told as 2^-60
)

// strays finds what no member explains. Few are single mistakes, which their
// own findings tell.
func (t *Topic) strays() (s strays, many bool) {
	e := &t.placing.explained
	places := map[string]int{}
	for fits := range t.placing.witness {
		if e.explains(Fits(fits)) {
			continue
		}
		for i := range t.placing.witness[fits] {
			w := &t.placing.witness[fits][i]
			if slices.ContainsFunc(e.members, func(m member) bool { return t.before(m.family, w) }) {
				continue
			}
			if places[w.symbol]++; len(s.symbols) < symbolsOut && places[w.symbol] == 1 {
				s.symbols = append(s.symbols, w.symbol)
			}
		}
	}
	several, alike := 0, 0
	for symbol, n := range places {
		if n > 1 {
			several++
		}
		if spread := t.spread(symbol); spread > 1 {
			alike++
			s.spread = max(s.spread, spread)
		}
	}
	s.keys, s.ticks, s.ignored = e.leftKeys, e.leftTicks, several >= 2
	// A few keys on several partitions may be the work of several functions;
	// where none of the known ones puts them is no such place.
	s.scattered = alike >= 2 && 2*alike >= len(places) && (alike >= straysMin || t.placing.keys[0] >= straysMin)
	return s, s.keys >= straysMin && len(places) >= 2
}

// spread is the number of partitions on which one key of the symbol lies. One
// that has left a partition for good before it came to another may follow a
// function that is not known, through a growth that nobody saw: that is 1.
func (t *Topic) spread(symbol string) int {
	s := t.symbols[symbol]
	if s == nil {
		return 0
	}
	current := s.current()
	if len(current) < 2 || t.moved(current) != nil {
		return len(current[:min(len(current), 1)])
	}
	most, places := 0, map[string]int{}
	first, until := int64(NoTime), int64(NoTime)
	returns := false
	slices.SortFunc(current, func(a, b SymbolPlace) int { return cmp.Compare(a.Since, b.Since) })
	for i := range current {
		p := &current[i]
		places[p.Key]++
		most = max(most, places[p.Key])
		returns = returns || i > 0 && p.Since > first && p.Since < until
		first, until = p.Since, max(until, unset(p.Seen))
	}
	if most == 2 && !returns {
		return 1
	}
	return most
}

func (e *explanation) explains(fits Fits) bool { return explains(e.members, fits) }

// judgeMixed opens PARTITIONER_MIXED when one function does not explain where
// keys lie: others explain enough of them, or too many are explained by none.
// Where no function explains any, keys may still lie by a function that is not
// known: it is opened when most of them lie on several partitions.
func (t *Topic) judgeMixed() {
	e := &t.placing.explained
	left, many := t.strays()
	many = many && t.settled() && (len(e.members) > 0 || e.verdict == NoFunction && left.scattered)
	few := t.fewKeys()
	if e.verdict != Mixed && !many && few == nil {
		delete(t.counted.waits, subjectMixed)
		if f := t.find(subjectMixed); f != nil {
			t.mixed(f, false, &left, false, nil)
		}
		return
	}
	f := t.find(subjectMixed)
	opened := f == nil
	if opened && !t.countHolds(subjectMixed) {
		return
	}
	if opened {
		f = t.newFinding(PartitionerMixed, subjectMixed, -1)
		f.FirstTime, f.LastTime = Time(t.latest()), Time(t.latest())
		f.Threshold, f.Unit = 1, "functions"
	}
	t.mixed(f, opened, &left, many, few)
}

func (t *Topic) mixed(f *Finding, opened bool, left *strays, many bool, few *fewKeys) {
	functions := t.functions()
	if few != nil && !many {
		functions = append(functions, few.function(t, left))
	}
	if many {
		rest := left.function(t.placing.explained.ticks)
		rest.Producers = t.producers(func(fits Fits) bool { return !t.placing.explained.explains(fits) })
		functions = append(functions, rest)
	}
	before, beside := f.Count, int64(0)
	most := int64(0)
	for i := range functions {
		beside += functions[i].Ticks
		if functions[i].Name != keysIgnored || len(functions) > 1 {
			most = max(most, functions[i].Ticks)
		}
	}
	f.Count = max(f.Count, beside-most, 1)
	if f.Observed = max(f.Observed, float64(len(functions))); many && len(functions) == 1 {
		f.Observed, f.Unit = float64(left.spread), "partitions"
	} else if f.Unit == "partitions" {
		f.Observed, f.Unit = float64(len(functions)), "functions"
	}
	if !opened && f.Count == before && !t.ending && int64(f.LastTime) > t.latest()-updateEvery {
		return // the shares of the others have changed at most
	}
	f.LastTime = max(f.LastTime, Time(t.latest()))
	if len(functions) < 2 && !many {
		return
	}
	f.Severity = PartitionerMixed.Info().Severity
	var said []string
	for i := range functions {
		g := &functions[i]
		said = append(said, fmt.Sprintf("%s %.4g %% (such as %s)", strings.Join(append([]string{g.Name}, g.Or...), " or "), 100*g.Share, strings.Join(g.Symbols[:min(len(g.Symbols), 3)], ", ")))
	}
	f.Symbol = ""
	if last := functions[len(functions)-1].Symbols; len(last) > 0 {
		f.Symbol = last[0]
	}
	f.Cause = fmt.Sprintf("records of %s follow %d functions over %d partitions: %s", t.name, len(functions), t.state.Partitions, strings.Join(said, "; "))
	if len(functions) == 1 {
		f.Cause = fmt.Sprintf("keys of %s are ignored: one key lies on up to %d of %d partitions (such as %s), so producers choose partitions in turn, at random or by number, and no symbol has an order",
			t.name, left.spread, t.state.Partitions, strings.Join(functions[0].Symbols[:min(len(functions[0].Symbols), 3)], ", "))
	}
	if delete(f.Evidence, "more_keys"); few != nil && !many {
		f.Severity, f.Evidence["more_keys"] = Warning, few.more
		f.Cause = few.cause(t, &functions[len(functions)-1])
	}
	f.Evidence["functions"] = functions
	f.Evidence["partition_count"] = t.state.Partitions
	if len(t.placing.explained.members) > 0 {
		f.Evidence["same_at_this_count"] = t.placing.kin.same(t.placing.explained.members[0].family)
	}
	f.Evidence["unexplained_places"] = int64(left.keys + 0.5) // a key on two partitions has two
	if opened {
		t.openFinding(subjectMixed, f)
	} else {
		t.update(subjectMixed)
	}
}

// functions are the members as evidence.
func (t *Topic) functions() (out []Function) {
	e := &t.placing.explained
	for i, m := range e.members {
		g := Function{
			Name: m.family.String(), Keys: m.distinct(), Ticks: int64(m.ticks + 0.5), Odds: odds(m.bits), Clients: m.family.clients(),
			Symbols: []string{}, Producers: t.producersOf(m.family),
		}
		for _, r := range m.rivals {
			g.Or = append(g.Or, r.String())
			g.Clients = append(g.Clients, r.clients()...)
		}
		if e.ticks > 0 {
			g.Share = m.ticks / e.ticks
		}
		for fits := range t.placing.witness {
			earlier := explanation{members: e.members[:i]}
			if !Fits(fits).has(m.family) || earlier.explains(Fits(fits)) {
				continue
			}
			for j := range t.placing.witness[fits] {
				if len(g.Symbols) < symbolsOut {
					g.Symbols = append(g.Symbols, t.placing.witness[fits][j].symbol)
				}
			}
		}
		out = append(out, g)
	}
	return out
}

func (s *strays) function(ticks float64) Function {
	g := Function{Name: "unknown", Keys: int64(s.keys + 0.5), Ticks: int64(s.ticks + 0.5), Symbols: s.symbols, Clients: []string{"a partitioner of the producer's own"}}
	if s.ignored || s.scattered {
		g.Name = keysIgnored
		g.Clients = append(clientsThatIgnoreKeys(), "a producer that names partitions itself")
	}
	if ticks > 0 {
		g.Share = s.ticks / ticks
	}
	return g
}

func clientsThatIgnoreKeys() (names []string) {
	for i := range partitionerTable {
		if p := &partitionerTable[i]; p.Hash == HashNone {
			names = append(names, p.Name)
		}
	}
	return names
}

// odds is the chance that stands against so many bits.
func odds(bits float64) float64 { return 1 / float64(uint64(1)<<uint(min(bits, leastOdds))) }
