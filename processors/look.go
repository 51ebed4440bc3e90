package processors

import (
	"maps"
	"time"

	"github.com/auditstream/auditstream/engine"
)

// SymbolStatus is a symbol on a partition that this process owns.
type SymbolStatus struct {
	Topic     string
	Partition int32
	engine.SymbolView
}

// Symbols gives the symbols of this process's partitions whose exact names
// match, in the order of partitions, at most so many, and reports whether
// there were more. A partition waits while it is looked through, for some
// milliseconds with 100 000 symbols.
func (s *Status) Symbols(match func(name string) bool, most int) (found []SymbolStatus, more bool) {
	s.eachJudge(func(p place, judge *engine.Partition) bool {
		more = judge.Look(match, most-len(found), func(v engine.SymbolView) {
			found = append(found, SymbolStatus{p.topic, p.partition, v})
		})
		return !more
	})
	return found, more
}

// SymbolCount is the number of symbols of this process's partitions, each
// counted once a topic, on however many of its partitions it is. It is counted
// anew when partitions have got symbols, and seldom enough to cost little.
func (s *Status) SymbolCount() int64 {
	s.names.Lock()
	defer s.names.Unlock()
	began := time.Now()
	if began.Sub(s.named.at) < 20*s.named.took {
		return s.named.n
	}
	held, topics := map[place]int{}, map[string]int{}
	s.eachJudge(func(p place, judge *engine.Partition) bool {
		held[p] = judge.Symbols()
		topics[p.topic]++
		return true
	})
	if maps.Equal(held, s.named.held) {
		return s.named.n
	}
	n, names := 0, map[string]map[string]struct{}{}
	s.eachJudge(func(p place, judge *engine.Partition) bool {
		if topics[p.topic] == 1 {
			n += judge.Symbols()
			return true
		}
		if names[p.topic] == nil {
			names[p.topic] = map[string]struct{}{}
		}
		for _, name := range judge.SymbolNames() {
			names[p.topic][name] = struct{}{}
		}
		return true
	})
	for _, of := range names {
		n += len(of)
	}
	s.named = named{held, int64(n), began, time.Since(began)}
	return s.named.n
}

// named is a count of symbols, and what it rests on.
type named struct {
	held map[place]int
	n    int64
	at   time.Time
	took time.Duration
}

// PartitionLoad is the busiest symbols of a partition, most ticks first.
type PartitionLoad struct {
	Topic     string
	Partition int32
	Busiest   []engine.SymbolLoad
}

// Busiest gives at most so many symbols of each partition of this process.
func (s *Status) Busiest(most int) (loads []PartitionLoad) {
	s.eachJudge(func(p place, judge *engine.Partition) bool {
		loads = append(loads, PartitionLoad{p.topic, p.partition, judge.Busiest(most)})
		return true
	})
	return loads
}

// eachJudge visits the partitions of the session under way, each under its
// lock.
func (s *Status) eachJudge(visit func(place, *engine.Partition) (goOn bool)) {
	s.mu.Lock()
	g := s.symbols
	s.mu.Unlock()
	if g == nil {
		return
	}
	session := g.session()
	if session == nil {
		return
	}
	for _, c := range session.ordered {
		c.mu.Lock()
		u, ok := c.unit.(*symbols)
		goOn := !ok || c.failed || visit(c.place, u.judge)
		c.mu.Unlock()
		if !goOn {
			return
		}
	}
}

// show lets the group's partitions be looked into.
func (s *Status) show(g *group) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.symbols = g
}
