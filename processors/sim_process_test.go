//go:build !race

package processors

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"testing/synctest"
	"time"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// simFaults are the chances, of 10 000 operations on Kafka, that something
// happens to one.
type simFaults struct {
	crash, crashAfter int // the process is killed before, or after it was done
	fail, lose        int // it was not done, or done and the answer was lost
	slow, stall       int // it takes its time; the process stands still
}

var errSimNet = errors.New("connection lost")

// simProc is one process: the audit as newAudit builds it, with clients of
// the cluster in memory.
type simProc struct {
	kafka    *simKafka
	note     func(string)
	instance string
	random   *rand.Rand
	faults   simFaults
	cfg      Config
	audit    *audit
	members  [2]*simMember // symbols, distribution

	ctx    context.Context
	cancel context.CancelFunc
	dead   bool
	stood  time.Time       // since when it stands still, zero: it runs
	asleep []chan struct{} // what waits for its going on
}

func newSimProc(s *sim, instance string) *simProc {
	s.adapt()
	p := &simProc{kafka: s.kafka, note: s.note, instance: instance, random: rand.New(rand.NewPCG(s.random.Uint64(), 1)), faults: s.faults, cfg: s.config()}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.cfg.dial, p.cfg.table = p.dial, p.openTable
	p.cfg.setDefaults()
	p.cfg.Logger = p.cfg.Logger.With().Str("proc", instance).Logger()
	p.audit = &audit{cfg: &p.cfg, instance: instance, names: p.cfg.names(), lags: &lagWatch{}}
	p.audit.makeGroups()
	for i, g := range []*group{p.audit.symbols, p.audit.distribution} {
		g.offsets = simOffsets{p}
		if s.sink != nil {
			g.sink = s.sink(g.sink)
		}
		s.kafka.unfenced = s.unfenced
		if s.unit != nil {
			newUnit := g.newUnit
			g.newUnit = func(at place) unit { return s.unit(newUnit(at)) }
		}
		p.members[i] = &simMember{proc: p, group: g, coordinator: s.kafka.groups[g.name]}
	}
	return p
}

// beats reports whether heartbeats are sent.
func (p *simProc) beats() bool { return !p.dead && p.stood.IsZero() }

// goOn ends a standstill. What had stopped goes on one after another, and far
// enough apart for the nanoseconds that its steps take, so that a seed is the
// same each time.
func (p *simProc) goOn() {
	p.stood = time.Time{}
	for _, wake := range p.wake() {
		close(wake)
		simWait(time.Microsecond)
		synctest.Wait()
	}
}

func (p *simProc) wake() (asleep []chan struct{}) {
	asleep, p.asleep = p.asleep, nil
	return asleep
}

func (p *simProc) kill() {
	p.dead = true
	p.cancel()
	for _, wake := range p.wake() {
		close(wake)
	}
}

// alive waits while the process stands still, and never returns in one that
// was killed.
func (p *simProc) alive() {
	for !p.stood.IsZero() && !p.dead {
		wake := make(chan struct{})
		p.asleep = append(p.asleep, wake)
		<-wake
	}
	if p.dead {
		runtime.Goexit()
	}
}

// do does an operation on Kafka, with what the seed has in store for it.
func (p *simProc) do(operation func() error) error {
	p.alive()
	f, roll := p.faults, p.random.IntN(10_000)
	happens := func(chance int) bool {
		roll -= chance
		return roll < 0 && roll >= -chance
	}
	switch {
	case happens(f.crash):
		p.note("kill")
		p.kill()
	case happens(f.crashAfter):
		p.note("kill behind an operation")
		_ = operation()
		p.kill()
	case happens(f.fail):
		p.note("failure")
		return errSimNet
	case happens(f.lose):
		p.note("lost answer")
		_ = operation()
		return errSimNet
	case happens(f.slow):
		p.note("slow answer")
		simWait(time.Duration(1 + p.random.Int64N(int64(6*time.Second))))
	case happens(f.stall):
		p.note("standstill")
		p.stood = time.Now()
	}
	p.alive()
	return operation()
}

type simState int

const (
	simOut      simState = iota // not a member
	simJoined                   // waits for its assignment
	simAssigned                 // has one, to be set up
	simPlacing                  // set up, offsets to be fetched
	simRunning
)

// simMember is a process in one group.
type simMember struct {
	proc        *simProc
	group       *group
	coordinator *simGroup
	id          string
	generation  int32
	heard       time.Time
	lost        bool // the coordinator has removed it
	state       simState
	busy        bool // it is in the middle of something

	member  *member
	parts   map[string][]int32
	session *session
	at      map[place]int64 // where fetching stands
}

// start does something as the process would. It returns when that is done, or
// waits: for time, or for the process to go on.
func (m *simMember) start(f func()) {
	m.busy = true
	go func() {
		defer func() { m.busy = false }()
		m.proc.alive()
		f()
	}()
	synctest.Wait()
}

func (m *simMember) assign(places []place, generation int32) {
	m.parts, m.generation, m.state = map[string][]int32{}, generation, simAssigned
	for _, p := range places {
		m.parts[p.topic] = append(m.parts[p.topic], p.partition)
	}
}

// next does the next thing of a member that has nothing under way.
func (m *simMember) next() {
	c := m.coordinator
	switch {
	case m.proc.dead || m.busy || !m.proc.stood.IsZero():
	case m.member == nil:
		m.member = &member{g: m.group, ctx: m.proc.ctx, handler: simHandler{}, client: simClient{m}, ended: make(chan struct{})}
		c.join(m)
	case m.member.cause != nil: // what group.Consume does
		m.start(func() {
			_ = m.member.end(nil)
			m.group.log.Info().Err(m.member.cause).Msg("member ended")
			if hopeless(m.member.cause) {
				m.proc.kill() // the program ends
				return
			}
			m.member, m.session, m.state = nil, nil, simOut
		})
	case m.lost && m.state == simRunning && m.proc.random.IntN(4) > 0:
		m.proc.note("a step of a member that was removed")
		m.run() // it has not heard of it
	case m.lost:
		m.start(func() { m.member.fail(m.member.end(errLost)); m.rejoin() })
	case !c.preparing.IsZero() && m.state > simJoined:
		m.start(func() {
			m.cutOff()
			m.member.fail(m.member.end(nil))
			m.session, m.state = nil, simJoined
		})
	case m.state == simAssigned:
		m.proc.note("session")
		m.start(func() {
			if m.session = m.member.open(m.parts); m.session != nil {
				m.session.loop.ready(m.session)
				m.state = simPlacing
			}
		})
	case m.state == simPlacing:
		m.place()
	case m.state == simRunning:
		m.run()
	}
}

// cutOff ends the checkpoint loop as the end of a session does: what is under
// way has a time to finish.
func (m *simMember) cutOff() {
	if m.state != simRunning || m.proc.random.IntN(2) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(m.proc.ctx, time.Duration(1+m.proc.random.Int64N(int64(6*time.Second))))
	defer cancel()
	m.session.loop.step(ctx, m.session)
}

func (m *simMember) rejoin() {
	m.session, m.state = nil, simOut
	if m.member.cause == nil {
		m.coordinator.join(m)
	}
}

// place fetches the committed offsets, as franz-go does: stable ones only.
func (m *simMember) place() {
	offsets, places := map[string]map[int32]kgo.Offset{}, []place{}
	for topic, parts := range m.parts {
		offsets[topic] = map[int32]kgo.Offset{}
		for _, id := range parts {
			p := place{topic, id}
			places = append(places, p)
			offsets[topic][id] = kgo.NewOffset().AtStart()
			if at, ok := m.coordinator.offsets[p]; ok {
				offsets[topic][id] = kgo.NewOffset().At(at)
			}
		}
	}
	if m.coordinator.unstable(places) {
		return
	}
	m.start(func() {
		offsets, _ = m.member.positions(m.proc.ctx, offsets)
		m.at = map[place]int64{}
		for topic, parts := range offsets {
			for id, o := range parts {
				m.at[place{topic, id}] = max(0, o.EpochOffset().Offset)
			}
		}
		m.state = simRunning
	})
}

// run reads, or does what the checkpoint loop does.
func (m *simMember) run() {
	s := m.session
	if m.proc.random.IntN(2) == 0 {
		m.start(func() { s.loop.step(m.proc.ctx, s) })
		return
	}
	if id := m.proc.cfg.prepared.TopicIDs[simTicks]; m.proc.kafka.ids[simTicks].String() != id {
		if m.proc.random.IntN(4) == 0 {
			m.member.fail(fatal{kerr.UnknownTopicID}) // as a fetch says
		}
		return
	}
	m.start(func() {
		for _, c := range s.ordered {
			l := m.proc.kafka.logs[c.place]
			records, next := l.read(m.at[c.place], 1+m.proc.random.IntN(60))
			if m.proc.random.IntN(20) > 0 { // otherwise the same comes again
				m.at[c.place] = next
			} else if len(records) > 0 {
				m.proc.note("the same again")
			}
			s.deliver(kgo.FetchTopicPartition{Topic: c.topic, FetchPartition: kgo.FetchPartition{
				Partition: c.partition, HighWatermark: l.end(), LastStableOffset: l.stable(), Records: records,
			}})
			for s.pressure.open == nil && !c.queue.empty() {
				if err := c.consume(); err != nil {
					m.member.fail(fatal{err})
					return
				}
			}
		}
	})
}

// simHandler stands for goka, which has nothing to set up.
type simHandler struct{}

func (simHandler) Setup(sarama.ConsumerGroupSession) error   { return nil }
func (simHandler) Cleanup(sarama.ConsumerGroupSession) error { return nil }
func (simHandler) ConsumeClaim(sarama.ConsumerGroupSession, sarama.ConsumerGroupClaim) error {
	return nil
}
