package engine

import (
	"maps"
	"slices"
)

// ProducerFits counts a producer's records by the functions that their key
// fits.
type ProducerFits struct {
	Producer string     `json:"producer"` // escaped
	Fits     []FitTicks `json:"fits"`
}

// producersMax bounds the producers that are told apart on a partition; those
// beyond go without a name.
const producersMax = 32

// produced counts a record of a producer that is named.
func (g *fitState) produced(producer []byte, fits Fits) {
	ticks := g.producers[string(producer)]
	if ticks == nil {
		if len(g.producers) >= producersMax || len(producer) > MaxSymbolBytes {
			return
		}
		if g.producers == nil {
			g.producers = map[string]map[Fits]int64{}
		}
		ticks = map[Fits]int64{}
		g.producers[string(producer)] = ticks
	}
	ticks[fits]++
}

func (g *fitState) listProducers() (out []ProducerFits) {
	for _, name := range slices.Sorted(maps.Keys(g.producers)) {
		p := ProducerFits{Producer: ShowBytes(name)}
		for _, fits := range slices.Sorted(maps.Keys(g.producers[name])) {
			p.Fits = append(p.Fits, FitTicks{fits, g.producers[name][fits]})
		}
		out = append(out, p)
	}
	return out
}

func (g *fitState) restoreProducers(list []ProducerFits) {
	g.producers = nil
	for _, p := range list {
		name, _ := hidden(p.Producer)
		for _, f := range p.Fits {
			g.produced([]byte(name), f.Fits)
			if ticks := g.producers[name]; ticks != nil {
				ticks[f.Fits] = f.Ticks
			}
		}
	}
}

// producers are those whose records match, with how many do, most first.
func (t *Topic) producers(matches func(Fits) bool) []SymbolLoad {
	sums := map[string]int64{}
	for _, p := range t.parts {
		if p.Stats.Partitions != 0 && p.Stats.Partitions < t.state.Partitions {
			continue
		}
		for _, producer := range p.Stats.Producers {
			for _, f := range producer.Fits {
				if matches(f.Fits) {
					sums[producer.Producer] += f.Ticks
				}
			}
		}
	}
	var out []SymbolLoad
	for name, n := range sums {
		out = append(out, SymbolLoad{name, n})
	}
	sortLoads(out)
	return out[:min(len(out), symbolsOut)]
}

// producersOf are the producers of records that only this member explains.
func (t *Topic) producersOf(m family) []SymbolLoad {
	return t.producers(func(fits Fits) bool {
		for _, other := range t.placing.explained.members {
			if other.family != m && fits.has(other.family) {
				return false
			}
		}
		return fits.has(m)
	})
}
