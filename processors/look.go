package processors

import (
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
