package engine

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// sight notes that a symbol with a key is on a partition. Two partitions of
// one symbol, at the same partition count, are SYMBOL_SPLIT. Where a symbol
// was before the count grew says nothing about where it is now.
func (t *Topic) sight(partition int32, g *Sighting) {
	s := t.symbols[g.Symbol]
	if s == nil {
		t.spell(g)
		s = &TopicSymbol{Partitions: t.state.Partitions}
		t.symbols[g.Symbol] = s
	}
	if s.Partitions != t.state.Partitions {
		s.Partitions = t.state.Partitions
		for i := range s.Places {
			s.Places[i].Old = true
		}
		t.close("split/" + g.Symbol)
	}
	t.changed["s/"+g.Symbol] = true
	for i := range s.Places {
		if p := &s.Places[i]; p.Partition == partition {
			if g.Count > p.Count {
				p.Count = g.Count
				t.split(g, s, partition, false)
			}
			return
		}
	}
	s.Places = append(s.Places, SymbolPlace{Partition: partition, Offset: g.Offset, Count: g.Count, Key: g.Key})
	sort.Slice(s.Places, func(i, j int) bool { return s.Places[i].Partition < s.Places[j].Partition })
	t.split(g, s, partition, true)
}

// split opens or brings up to date the finding about a symbol on more than
// one partition.
func (t *Topic) split(g *Sighting, s *TopicSymbol, partition int32, added bool) {
	places := s.current()
	if len(places) < 2 {
		return
	}
	subject := "split/" + g.Symbol
	f := t.find(subject)
	opened := f == nil
	if opened {
		f = t.newFinding(SymbolSplit, subject, -1)
		f.Symbol = g.Symbol
		f.FirstTime = Time(g.Time)
		f.FirstOffset = g.Offset
		f.Threshold, f.Unit = 1, "partitions"
		f.Partition = &partition
	}
	if added {
		f.LastOffset = g.Offset
	}
	f.LastTime = max(f.LastTime, Time(g.Time))
	t.describeSplit(f, g.Symbol, places)
	if opened {
		t.openFinding(subject, f)
	} else {
		t.update(subject)
	}
}

// current are the symbol's places at today's partition count.
func (s *TopicSymbol) current() []SymbolPlace {
	out := make([]SymbolPlace, 0, len(s.Places))
	for _, p := range s.Places {
		if !p.Old {
			out = append(out, p)
		}
	}
	return out
}

// describeSplit names the places; the one with fewest ticks is likely the
// wrong one, and the finding's partition.
func (t *Topic) describeSplit(f *Finding, symbol string, places []SymbolPlace) {
	f.Observed = float64(len(places))
	var sum, most int64
	id, least := *f.Partition, int64(0)
	for _, p := range places {
		sum += p.Count
		most = max(most, p.Count)
		if p.Partition == id {
			least = p.Count
		}
	}
	for _, p := range places {
		if p.Count < least {
			id, least = p.Partition, p.Count
		}
	}
	f.Partition = &id
	f.Count = max(f.Count, sum-most, int64(len(places)-1))
	on := ""
	for i, p := range places[:min(len(places), 8)] {
		if i > 0 {
			on += ", "
		}
		on += fmt.Sprintf("%d (from offset %d)", p.Partition, p.Offset)
	}
	f.Cause = fmt.Sprintf("symbol %s of %s is written to %d partitions: %s", symbol, t.name, len(places), on)
	f.Evidence["partitions"] = append([]SymbolPlace(nil), places[:min(len(places), 64)]...)
	f.Evidence["partition_count"] = t.state.Partitions
	f.Evidence["hashes"] = fitting(places, t.state.Partitions)
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
