package processors

import (
	"fmt"
	"math/rand/v2"
	"testing/synctest"
	"time"

	"github.com/IBM/sarama"
	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/topology"
)

// sim is one seed's world: a market, a cluster, and processes that audit it
// while things go wrong.
type sim struct {
	seed        uint64
	random      *rand.Rand
	kafka       *simKafka
	topo        topology.Topology
	names       topology.Names
	exactlyOnce bool
	faults      simFaults
	procs       []*simProc
	target      int // processes that should run
	market      simMarket
	log         zerolog.Logger

	sink     func(sink) sink // what a canary does wrong
	unit     func(unit) unit
	unfenced bool
}

const simTicks = "ticks"

func newSim(seed uint64, log zerolog.Logger) *sim {
	random := rand.New(rand.NewPCG(seed, 0))
	s := &sim{log: log, seed: seed, random: random, kafka: newSimKafka(random), exactlyOnce: random.IntN(2) == 0}
	s.topo = topology.New(topology.Options{Name: "sim", Topics: []string{simTicks}, DeadLetterTopic: "dead"})
	s.names = topology.NamesOf("sim")
	partitions := int32(1 + random.IntN(4))
	for _, topic := range s.topo.Topics {
		switch {
		case topic.Role == topology.RoleTicks, topic.Name == s.names.Table:
			s.kafka.create(topic.Name, topic.Name+"-id", partitions)
		default:
			s.kafka.create(topic.Name, topic.Name+"-id", 1)
		}
	}
	newSimGroup(s.kafka, s.names.Group, simTicks)
	newSimGroup(s.kafka, s.names.DistributionGroup, s.names.DistributionTopic)
	s.market.symbols = 2 + random.IntN(6)
	return s
}

// config is that of a process that starts now.
func (s *sim) config() Config {
	prepared := Prepared{Partitions: map[string]int32{}, TopicIDs: map[string]string{}}
	for topic, n := range s.kafka.counts {
		prepared.Partitions[topic], prepared.TopicIDs[topic] = n, s.kafka.ids[topic]
	}
	return Config{
		Topology: s.topo, prepared: prepared, Limits: engine.DefaultLimits(), ExactlyOnce: s.exactlyOnce,
		CheckpointInterval: 200 * time.Millisecond, SessionTimeout: 6 * time.Second, HeartbeatInterval: 500 * time.Millisecond,
		StopAtEnd: true, // judged by record times, so that the outcome is the same whenever things are read
		Sarama:    func() (*sarama.Config, error) { return new(sarama.Config), nil },
		Decoder: func() (codecs.TickDecoder, error) {
			return codecs.NewJSON(codecs.JSONFields{Symbol: "symbol", Timestamp: "ts"})
		},
		Logger: s.log,
	}
}

// live is the part of a seed in which things go wrong.
func (s *sim) live() {
	s.target = 1 + s.random.IntN(4)
	// Each seed has its own mix, and some faults not at all.
	some := func(most int) int { return max(0, s.random.IntN(2*most)-most/2) }
	s.faults = simFaults{
		crash: some(40), crashAfter: some(40), fail: some(100), lose: some(60), slow: some(30), stall: some(30),
	}
	for range 300 + s.random.IntN(300) {
		s.pass()
		s.market.produce(s)
		s.population()
		s.turn()
	}
}

// pass lets time pass, and what is due in the cluster happen.
func (s *sim) pass() {
	d := s.random.Int64N(int64(100 * time.Millisecond))
	if s.random.IntN(100) == 0 {
		d *= 30
	}
	simWait(time.Duration(1 + d))
	synctest.Wait()
	s.kafka.pump()
	s.kafka.expire()
	for _, g := range s.kafka.ordered() {
		g.progress()
	}
	for _, p := range s.procs {
		for _, m := range p.members {
			if p.beats() && !m.busy && m.state == simRunning {
				m.session.loop.stand.observe(time.Now()) // as its ticker does
			}
		}
	}
}

// population starts, stops and wakes processes.
func (s *sim) population() {
	live := s.procs[:0]
	for _, p := range s.procs {
		if !p.dead {
			live = append(live, p)
		}
	}
	s.procs = live
	if s.random.IntN(150) == 0 {
		s.target = 1 + s.random.IntN(4)
	}
	switch {
	case len(s.procs) < s.target && s.random.IntN(10) == 0:
		s.spawn()
	case len(s.procs) > s.target && s.random.IntN(10) == 0:
		s.stop(s.procs[s.random.IntN(len(s.procs))])
	}
	for _, p := range s.procs {
		if stood := time.Since(p.stood); !p.stood.IsZero() && s.random.Int64N(int64(20*time.Second)) < int64(stood)/10 {
			p.goOn()
			synctest.Wait()
		}
	}
	if s.random.IntN(100) == 0 && s.exactlyOnce {
		for _, l := range s.kafka.logs {
			if l.topic == s.names.Table || l.topic == s.names.DistributionTable {
				l.compact()
			}
		}
	}
}

// spawn starts a process under an instance id that is free, or was left by
// one that was killed.
func (s *sim) spawn() {
	for i := range 5 {
		instance, taken := fmt.Sprintf("i%d", i), false
		for _, p := range s.procs {
			taken = taken || p.instance == instance
		}
		if !taken {
			s.procs = append(s.procs, newSimProc(s, instance))
			return
		}
	}
}

// stop ends a process in order, if it is not in the middle of something.
func (s *sim) stop(p *simProc) {
	if !p.beats() || p.members[0].busy || p.members[1].busy {
		return
	}
	p.cancel()
	for _, m := range p.members {
		if m.member != nil {
			m.start(func() {
				_ = m.member.end(nil)
				m.coordinator.remove(m)
			})
		}
	}
	m0, m1 := p.members[0], p.members[1]
	for range 20 {
		if !m0.busy && !m1.busy {
			break
		}
		simWait(time.Second)
	}
	p.kill()
	synctest.Wait()
}

// turn lets a few members do their next thing.
func (s *sim) turn() {
	for range 1 + s.random.IntN(4) {
		if len(s.procs) > 0 {
			s.procs[s.random.IntN(len(s.procs))].members[s.random.IntN(2)].next()
		}
	}
}

// finish ends all processes, and audits to the end without faults.
func (s *sim) finish() (done bool) {
	s.faults = simFaults{}
	for _, p := range s.procs {
		p.faults = simFaults{}
		p.goOn()
	}
	synctest.Wait()
	for _, p := range s.procs {
		if s.random.IntN(2) == 0 {
			s.stop(p)
		}
		p.kill()
	}
	s.procs = nil
	s.market.settle(s)
	for range 200 { // sessions, transactions and retries come to their ends
		simWait(100 * time.Millisecond)
		s.pass()
	}
	return s.toTheEnd()
}

// toTheEnd is what a run with StopAtEnd does.
func (s *sim) toTheEnd() (done bool) {
	p := newSimProc(s, "last")
	ends := map[place]int64{}
	for at, l := range s.kafka.logs {
		if at.topic == simTicks {
			ends[at] = l.end()
		}
	}
	p.audit.ends, p.audit.symbols.ends = ends, ends
	s.procs = []*simProc{p}
	told := int64(-1)
	for range 3000 {
		s.pass()
		s.turn()
		symbols := p.audit.symbols.session()
		if symbols == nil || p.members[0].busy || p.members[1].busy {
			continue
		}
		if told < 0 {
			if symbols.done() {
				told = s.kafka.logs[place{s.names.DistributionTopic, 0}].end()
			}
		} else if done, mine := p.audit.finalDone(told); done && mine {
			s.stop(p)
			s.kafka.flush()
			return true
		}
	}
	p.kill()
	return false
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
