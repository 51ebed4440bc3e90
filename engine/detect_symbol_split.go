package engine

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// sight notes that a symbol with a key is on a partition. Two partitions of
// one symbol, at the same partition count, are SYMBOL_SPLIT.
func (t *Topic) sight(partition int32, g *Sighting) {
	s := t.symbols[g.Symbol]
	if s == nil || s.Partitions != t.state.Partitions {
		// The first sight, or the first since the partition count grew:
		// where the symbol was before says nothing any more.
		if s != nil {
			t.close("split/" + g.Symbol)
		}
		s = &TopicSymbol{Partitions: t.state.Partitions}
		t.symbols[g.Symbol] = s
		t.spell(g)
	}
	t.changed["s/"+g.Symbol] = true
	for i := range s.Places {
		if p := &s.Places[i]; p.Partition == partition {
			if g.Count > p.Count {
				p.Count = g.Count
				t.splitGrew(g.Symbol, s)
			}
			return
		}
	}
	s.Places = append(s.Places, SymbolPlace{partition, g.Offset, g.Count, g.Key, g.Time})
	sort.Slice(s.Places, func(i, j int) bool { return s.Places[i].Partition < s.Places[j].Partition })
	if len(s.Places) > 1 {
		s.Split = true
		t.split(g, s, partition)
	}
}

func (t *Topic) split(g *Sighting, s *TopicSymbol, newest int32) {
	subject := "split/" + g.Symbol
	f := t.open[subject]
	opened := f == nil
	if opened {
		f = t.newFinding(SymbolSplit, "symbol/"+g.Symbol, -1)
		f.Symbol = g.Symbol
		f.FirstTime = Time(g.Time)
		f.FirstOffset = g.Offset
		f.Threshold, f.Unit = 1, "partitions"
	}
	id := newest
	f.Partition = &id
	f.LastOffset, f.LastTime = g.Offset, Time(g.Time)
	t.describeSplit(f, g.Symbol, s)
	if opened {
		t.openFinding(subject, f)
	} else {
		t.update(f)
	}
}

// splitGrew brings an open split's numbers up to date.
func (t *Topic) splitGrew(symbol string, s *TopicSymbol) {
	if f := t.open["split/"+symbol]; f != nil {
		t.describeSplit(f, symbol, s)
		t.changed["t"] = true
	}
}

func (t *Topic) describeSplit(f *Finding, symbol string, s *TopicSymbol) {
	f.Observed = float64(len(s.Places))
	var sum, most int64
	for _, p := range s.Places {
		sum += p.Count
		most = max(most, p.Count)
	}
	f.Count = max(f.Count, sum-most, int64(len(s.Places)-1))
	on := ""
	for i, p := range s.Places[:min(len(s.Places), 8)] {
		if i > 0 {
			on += ", "
		}
		on += fmt.Sprintf("%d (from offset %d)", p.Partition, p.Offset)
	}
	f.Cause = fmt.Sprintf("symbol %s of %s is written to %d partitions: %s", symbol, t.name, len(s.Places), on)
	f.Evidence["partitions"] = append([]SymbolPlace(nil), s.Places[:min(len(s.Places), 64)]...)
	f.Evidence["partition_count"] = t.state.Partitions
	f.Evidence["hashes"] = fitting(s.Places, t.state.Partitions)
}

// fitting names, for each place, the hashes that put its key there.
func fitting(places []SymbolPlace, n int32) map[string][]string {
	fits := map[string][]string{}
	for _, p := range places[:min(len(places), 8)] {
		if strings.ContainsRune(p.Key, '\\') || len(p.Key) > 64 {
			continue // shown escaped or cut: not the key's own bytes
		}
		names := []string{}
		for _, h := range Hashes() {
			if h.Partition([]byte(p.Key), n) == p.Partition {
				names = append(names, h.String())
			}
		}
		fits[strconv.Itoa(int(p.Partition))] = names
	}
	return fits
}
