//go:build !race

package processors

import (
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/topology"
)

// world lets the topics change under the audit, once in a while.
func (s *sim) world() {
	switch s.random.IntN(5000) {
	case 0, 1:
		s.growTopic()
	case 2:
		s.recreateTopic()
	}
	// Nothing fences a row that comes late where there are no transactions: it
	// does no harm while the newer one is still there.
	late := !s.exactlyOnce && s.faults.slow+s.faults.stall > 0
	if s.random.IntN(15) == 0 && !late {
		for at, l := range s.kafka.logs {
			if t, ok := s.topo.Topic(at.topic); ok && t.Role == topology.RoleTable {
				l.compact()
			}
		}
	}
}

// growTopic adds a partition. Members hear of it when they look for it.
func (s *sim) growTopic() {
	if n := s.kafka.counts[simTicks]; n < 5 && !s.recreated {
		s.note("growth")
		s.grown = true
		s.kafka.grow(simTicks, n)
		s.kafka.groups[s.names.Group].rebalance()
	}
}

// recreateTopic deletes the topic of ticks and makes it anew. Kafka forgets
// the offsets of a deleted topic, at some time.
func (s *sim) recreateTopic() {
	if s.recreated || s.grown {
		return
	}
	s.note("re-creation")
	s.recreated = true
	s.market.settle(s)
	s.kafka.flush()
	s.kafka.create(simTicks, "anew", s.kafka.counts[simTicks])
	if s.random.IntN(2) == 0 {
		clear(s.kafka.groups[s.names.Group].offsets)
	}
}

// adapt makes the table as wide as the topic before a process starts, as Run
// does after a GrowthError.
func (s *sim) adapt() {
	for n := s.kafka.counts[s.names.Table]; n < s.kafka.counts[simTicks]; n++ {
		s.kafka.grow(s.names.Table, n)
	}
}

// simMarket writes ticks.
type simMarket struct {
	symbols int
	open    string // transactional id of one under way
	n       int
}

func (m *simMarket) produce(s *sim) {
	if s.random.IntN(3) > 0 {
		return
	}
	k, id, epoch := s.kafka, "", 0
	switch {
	case m.open != "":
		id, epoch = m.open, k.txns[m.open].epoch
	case s.random.IntN(20) == 0:
		m.n++
		m.open = fmt.Sprintf("market-%d", m.n)
		id, epoch = m.open, k.initialize(m.open)
	}
	for range 1 + s.random.IntN(5) {
		p, r := m.tick(s)
		_ = k.produce(place{simTicks, p}, r, id, epoch)
	}
	if id != "" && s.random.IntN(3) == 0 {
		_ = k.endTransaction(id, epoch, s.random.IntN(3) > 0)
		m.open = ""
	}
}

func (m *simMarket) settle(s *sim) {
	if m.open != "" {
		_ = s.kafka.endTransaction(m.open, s.kafka.txns[m.open].epoch, true)
		m.open = ""
	}
}

// tick is a record, good or not.
func (m *simMarket) tick(s *sim) (partition int32, r *kgo.Record) {
	n := s.random.IntN(m.symbols)
	symbol := fmt.Sprintf("Q%d", n)
	now := time.Now()
	event := now.Add(-time.Duration(s.random.IntN(50)) * time.Millisecond)
	if s.random.IntN(12) == 0 {
		event = event.Add(-time.Duration(s.random.IntN(20_000)) * time.Millisecond)
	}
	r = &kgo.Record{
		Key: []byte(symbol), Timestamp: now.Truncate(time.Millisecond),
		Value: fmt.Appendf(nil, `{"symbol":%q,"ts":%d}`, symbol, event.UnixNano()),
	}
	partition = int32(n) % s.kafka.counts[simTicks]
	switch s.random.IntN(60) {
	case 0:
		r.Value = []byte(`{"symbol":"Q`)
	case 1:
		r.Value = nil
	case 2:
		r.Key = nil
	case 3:
		r.Key = []byte{}
	case 4:
		r.Key = []byte("q" + symbol)
	case 5:
		partition = s.random.Int32N(s.kafka.counts[simTicks])
	}
	return partition, r
}
