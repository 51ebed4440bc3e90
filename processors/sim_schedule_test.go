//go:build !race

package processors

import (
	"fmt"
	"math/rand/v2"
	"testing/synctest"
	"time"

	"github.com/IBM/sarama"
	"github.com/rs/zerolog"

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
	byClock     bool // judged by the clock too; otherwise by record times alone
	clocked     bool // it was so until the end
	grown       bool
	recreated   bool
	happened    map[string]int
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
	s := &sim{
		log: log, seed: seed, random: random, kafka: newSimKafka(random), happened: map[string]int{},
		exactlyOnce: random.IntN(2) == 0, byClock: random.IntN(6) == 0,
	}
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
		prepared.Partitions[topic], prepared.TopicIDs[topic] = n, s.kafka.ids[topic].String()
	}
	return Config{
		Topology: s.topo, prepared: prepared, Limits: engine.DefaultLimits(), ExactlyOnce: s.exactlyOnce,
		CheckpointInterval: 200 * time.Millisecond, SessionTimeout: 6 * time.Second, HeartbeatInterval: 500 * time.Millisecond,
		// Judged by record times, the outcome is the same whenever things are read.
		StopAtEnd: !s.byClock,
		Sarama:    func() (*sarama.Config, error) { return new(sarama.Config), nil },
		Decoder: func() (codecs.TickDecoder, error) {
			return codecs.NewJSON(codecs.Fields{Symbol: "symbol", Timestamp: "ts", Unit: engine.UnitNanos})
		},
		Logger: s.log,
	}
}

// live is the part of a seed in which things go wrong.
func (s *sim) live() {
	s.target = 1 + s.random.IntN(4)
	s.note(map[bool]string{false: "at least once", true: "exactly once"}[s.exactlyOnce])
	// Each seed has its own mix, and some faults not at all.
	some := func(most int) int { return max(0, s.random.IntN(2*most)-most/2) }
	s.faults = simFaults{
		crash: some(80), crashAfter: some(80), fail: some(150), lose: some(150), slow: some(60), stall: some(150),
	}
	for range 250 + s.random.IntN(250) {
		s.pass()
		s.market.produce(s)
		s.world()
		s.population()
		s.turn()
	}
	s.happened["transaction timed out"] = s.kafka.timedOut
	for _, g := range s.kafka.groups {
		s.happened["rebalance"] += int(g.generation)
	}
}

// note counts what happened, so that a seed in which nothing did is told from
// one that stood it.
func (s *sim) note(what string) { s.happened[what]++ }

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
		simWait(1) // nothing starts at the same instant, so nothing ends at one
		synctest.Wait()
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
	s.byClock = false
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
