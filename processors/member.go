package processors

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// member is one life of this process in a group: one franz-go client, and one
// session after another in it.
type member struct {
	g       *group
	ctx     context.Context
	handler sarama.ConsumerGroupHandler // goka's
	client  groupClient
	made    chan struct{} // closed when client is set: it may assign partitions before that

	once  sync.Once
	ended chan struct{} // the member should end
	cause error         // why; set before ended is closed

	mu      sync.Mutex
	session *session

	told   string // last warning about a fetch, of the reading goroutine
	toldAt time.Time
}

const warnEvery = 10 * time.Second

// member joins and reads until the context ends or something fails.
func (g *group) member(ctx context.Context, h sarama.ConsumerGroupHandler) error {
	m := &member{g: g, ctx: ctx, handler: h, made: make(chan struct{}), ended: make(chan struct{})}
	client, err := kgo.NewClient(append(append([]kgo.Opt(nil), g.cfg.ConsumerOptions...), m.options()...)...)
	if err != nil {
		return fatal{fmt.Errorf("group %s: %w", g.name, err)}
	}
	m.client = client
	close(m.made)
	m.read()
	// franz-go revokes on the way out, and with that the session ends.
	client.CloseAllowingRebalance()
	m.fail(m.end(nil))
	return m.cause
}

func (m *member) options() []kgo.Opt {
	return []kgo.Opt{
		kgo.ConsumerGroup(m.g.name),
		kgo.InstanceID(m.g.instance),
		kgo.ConsumeTopics(m.g.layout.topics...),
		kgo.Balancers(kgo.RangeBalancer()),
		kgo.BlockRebalanceOnPoll(),
		// Markers are records without meaning, but they hold offsets: without
		// them a log that ends in one would never be read to its end.
		kgo.KeepControlRecords(),
		kgo.OnPartitionsAssigned(func(_ context.Context, _ *kgo.Client, parts map[string][]int32) {
			<-m.made
			m.assigned(parts)
		}),
		kgo.OnPartitionsRevoked(func(context.Context, *kgo.Client, map[string][]int32) { m.fail(m.end(nil)) }),
		kgo.OnPartitionsLost(func(context.Context, *kgo.Client, map[string][]int32) { m.fail(m.end(errLost)) }),
		kgo.AdjustFetchOffsetsFn(m.positions),
		kgo.WithHooks(m),
	}
}

// OnGroupManageError implements kgo.HookGroupManageError. franz-go would join
// again by itself, which is right for all but one error: a member that was
// replaced by another with its instance id would throw that one out again.
func (m *member) OnGroupManageError(err error) {
	if errors.Is(err, kerr.FencedInstanceID) {
		m.fail(m.g.replaced(fmt.Sprintf(" in group %s", m.g.name)))
	}
	if hopeless(err) {
		m.fail(fmt.Errorf("group %s: %w", m.g.name, err))
	}
}

// fail ends the member; the first cause counts, nil is none.
func (m *member) fail(err error) {
	if err == nil {
		return
	}
	m.once.Do(func() {
		m.cause = err
		close(m.ended)
	})
}

// read polls until the member ends.
func (m *member) read() {
	ctx, cancel := context.WithCancel(m.ctx)
	defer cancel()
	go func() {
		select {
		case <-m.ended:
			cancel()
		case <-ctx.Done():
		}
	}()
	for {
		fetches := m.client.PollRecords(ctx, -1)
		if ctx.Err() != nil || fetches.IsClientClosed() {
			return
		}
		fetches.EachError(m.fetchError)
		m.mu.Lock()
		s := m.session
		m.mu.Unlock()
		if s != nil {
			fetches.EachPartition(s.deliver)
		}
		m.client.AllowRebalance()
		m.g.budget.wait(ctx.Done())
	}
}

// fetchError judges an error of a fetch. franz-go goes on by itself after all
// that can pass, so such errors are only told.
func (m *member) fetchError(topic string, partition int32, err error) {
	if is(err, context.Canceled, kgo.ErrClientClosed) {
		return
	}
	var session *kgo.ErrGroupSession
	if errors.As(err, &session) {
		m.g.log.Warn().Err(session.Err).Msg("group session lost")
		return
	}
	var loss *kgo.ErrDataLoss
	if errors.As(err, &loss) {
		m.lost(loss)
		return
	}
	if is(err, kerr.UnknownTopicID) {
		m.fail(fatal{&TopicGoneError{topic}})
		return
	}
	if hopeless(err) {
		m.fail(fatal{fmt.Errorf("read %s/%d: %w", topic, partition, err)})
		return
	}
	// The same again is told once an interval, however often it comes.
	if text := err.Error(); text != m.told || time.Since(m.toldAt) > warnEvery {
		m.told, m.toldAt = text, time.Now()
		m.g.log.Warn().Err(err).Str("topic", topic).Int32("partition", partition).Msg("fetch failed")
	}
}

// assigned sets up a session. It runs in franz-go's callback: nothing is
// polled until it returns, and heartbeats go on meanwhile.
func (m *member) assigned(parts map[string][]int32) {
	if s := m.open(parts); s != nil {
		s.run()
	}
}

// open sets up the session; nil when that has failed and ended the member.
func (m *member) open(parts map[string][]int32) *session {
	s := newSession(m, parts)
	if err := s.setup(m.ctx); err != nil {
		s.discard()
		m.fail(fmt.Errorf("group %s: set up partitions: %w", m.g.name, err))
		return nil
	}
	m.mu.Lock()
	m.session = s
	m.mu.Unlock()
	return s
}

// end closes the session, if there is one. It runs in franz-go's callback, so
// the rebalance waits for the last checkpoint.
func (m *member) end(cause error) error {
	m.mu.Lock()
	s := m.session
	m.session = nil
	m.mu.Unlock()
	if s == nil {
		return nil
	}
	return s.end(cause)
}

// positions is told where reading begins, and begins anew where the committed
// offset is about a log that is gone.
func (m *member) positions(_ context.Context, offsets map[string]map[int32]kgo.Offset) (map[string]map[int32]kgo.Offset, error) {
	m.mu.Lock()
	s := m.session
	m.mu.Unlock()
	if s == nil {
		return offsets, nil
	}
	for topic, parts := range offsets {
		for partition, offset := range parts {
			if c := s.claims[place{topic, partition}]; c != nil {
				parts[partition] = c.begin(offset)
			}
		}
	}
	s.positioned()
	return offsets, nil
}
