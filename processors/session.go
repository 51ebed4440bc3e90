package processors

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kgo"
)

// session is one generation of the group in this process. It is the
// sarama.ConsumerGroupSession that goka sees.
type session struct {
	m          *member
	g          *group
	memberID   string
	generation int32
	claims     map[place]*claim
	ordered    []*claim

	ctx    context.Context
	cancel context.CancelCauseFunc
	wg     sync.WaitGroup // goka's ConsumeClaim and what feeds it
	pressure
	loop  loop
	found chan struct{} // a claim has a finding that waits for a checkpoint

	mu      sync.Mutex
	known   bool  // offsets are known: every claim has its position
	broken  error // the state of this session must not be written
	isSetup bool
}

func newSession(m *member, parts map[string][]int32) *session {
	s := &session{m: m, g: m.g, claims: map[place]*claim{}, found: make(chan struct{}, 1)}
	s.memberID, s.generation = m.client.GroupMetadata()
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	for topic, ids := range parts {
		for _, id := range ids {
			p := place{topic, id}
			virtual, ok := m.g.layout.virtual(topic, id)
			if !ok {
				s.broken = fatal{&GrowthError{topic, id, m.g.layout.count[topic]}}
				continue
			}
			c := newClaim(p, m.g.layout.stream, virtual, m.g.newUnit(p), m.g.budget)
			c.oldest, c.gate, c.generation, c.found = m.g.oldest, &m.g.gate, s.generation, s.found
			c.done, c.control = s.ctx.Done(), m.g.control
			_, c.resumed = c.control.input()
			if m.g.schemas != nil {
				c.ready = s.awaitSchemas
			}
			s.claims[p] = c
			s.ordered = append(s.ordered, c)
		}
	}
	slices.SortFunc(s.ordered, func(a, b *claim) int { return cmp.Compare(a.virtual, b.virtual) })
	return s
}

func (s *session) Claims() map[string][]int32 {
	claims := map[string][]int32{}
	for _, c := range s.ordered {
		claims[c.stream] = append(claims[c.stream], c.virtual)
	}
	return claims
}

func (s *session) MemberID() string         { return s.memberID }
func (s *session) GenerationID() int32      { return s.generation }
func (s *session) Context() context.Context { return s.ctx }

// Marks are held back: offsets are committed by checkpoints alone.
func (s *session) MarkOffset(string, int32, int64, string)           {}
func (s *session) ResetOffset(string, int32, int64, string)          {}
func (s *session) MarkMessage(msg *sarama.ConsumerMessage, _ string) {}
func (s *session) Commit()                                           {}

// setup recovers the state of the claims and has goka prepare its partitions.
func (s *session) setup(ctx context.Context) error {
	if s.broken != nil {
		return s.broken
	}
	began := time.Now()
	s.g.cfg.Status.group(s.g.name, "recovering")
	if s.g.onSetup != nil {
		s.g.onSetup(len(s.ordered))
	}
	rows, err := s.recover(ctx)
	if err != nil {
		return err
	}
	claims := make([]*claim, s.g.layout.total)
	for _, c := range s.ordered {
		claims[c.virtual] = c
	}
	s.g.claims.Store(&claims)
	if err := s.m.handler.Setup(s); err != nil {
		return fatal{err}
	}
	s.isSetup = true
	s.g.setSession(s)
	s.g.log.Info().Int32("generation", s.generation).Int("partitions", len(s.ordered)).
		Int("rows", rows).Dur("took", time.Since(began)).Msg("session set up")
	if len(s.ordered) == 0 {
		s.positioned()
	}
	return nil
}

// run starts goka on every claim, and the checkpoint loop.
func (s *session) run() {
	for _, c := range s.ordered {
		s.wg.Add(2)
		go func() {
			defer s.wg.Done()
			c.announce(&s.pressure, s.ctx.Done())
		}()
		go func() {
			defer s.wg.Done()
			err := s.m.handler.ConsumeClaim(s, c)
			if s.ctx.Err() == nil {
				s.fail(fatal{fmt.Errorf("processing of %s has stopped: %v", c.place, err)}) //nolint:errorlint // goka may end without an error
			}
		}()
	}
	s.wg.Go(s.watchBounds)
	s.loop.start(s)
}

// fail ends the member because of something in this session.
func (s *session) fail(err error) { s.m.fail(err) }

// spoil forbids every further write of this session.
func (s *session) spoil(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken == nil {
		s.broken = err
	}
}

func (s *session) spoiled() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.broken
}

// positioned notes that every claim knows where it reads: it is ready.
func (s *session) positioned() {
	s.mu.Lock()
	s.known = true
	s.mu.Unlock()
	s.g.cfg.Status.group(s.g.name, "")
}

func (s *session) isPositioned() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known
}

// deliver queues fetched records; it never waits.
func (s *session) deliver(f kgo.FetchTopicPartition) {
	c := s.claims[place{f.Topic, f.Partition}]
	if c == nil || len(f.Records) == 0 {
		return
	}
	end := f.HighWatermark
	if f.LastStableOffset >= 0 && !s.g.cfg.Limits.UncommittedReads {
		end = min(end, f.LastStableOffset) // what lies behind cannot be read yet
	}
	parts := map[string][]int32{c.topic: {c.partition}}
	c.queue.push(f.Records, logBounds{f.LogStartOffset, end, f.HighWatermark}, fetching{
		pause:  func() { s.m.client.PauseFetchPartitions(parts) },
		resume: func() { s.m.client.ResumeFetchPartitions(parts) },
	})
}

// end closes the session: all its partitions are fenced, then goka ends, so
// that no record is in flight, then comes the last checkpoint, unless the
// partitions are somebody else's by now: then one under way is cut off, as what
// it writes does not count any more. All that together has a time: a stop must
// not take long, and a rebalance waits.
func (s *session) end(cause error) error {
	limit := 2 * stopFor
	stopping := s.m.ctx.Err() != nil
	if stopping {
		limit = stopFor
	}
	until := time.Now().Add(limit)
	if cause == nil {
		s.g.gate.revoke(s.ordered)
	} else {
		until = time.Now()
		s.g.gate.lose(s.ordered)
		s.spoil(cause)
	}
	s.cancel(cause)
	s.wg.Wait()
	gokaErr := s.m.handler.Cleanup(s)
	s.loop.stop(time.Until(until))
	err := s.lastCheckpoint(until, stopping)
	if uncommitted := s.g.gate.settle(s.ordered); uncommitted != nil {
		s.g.log.Warn().Err(uncommitted).Msg("what is not committed will be read again")
	}
	if err == nil && gokaErr != nil {
		err = fatal{gokaErr}
	}
	s.discard()
	return err
}

// discard forgets the session's state.
func (s *session) discard() {
	s.cancel(errLost)
	if s.isSetup {
		s.g.setSession(nil)
	}
	s.g.claims.Store(nil)
	for _, c := range s.ordered {
		c.queue.drop()
	}
	s.g.cfg.Status.group(s.g.name, "waiting for partitions")
}
