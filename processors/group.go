package processors

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/IBM/sarama"
	"github.com/lovoo/goka"
	"github.com/rs/zerolog"
)

// group is one of the two consumer groups as this process takes part in it.
// It is the sarama.ConsumerGroup that its goka processor gets: goka's marks
// are held back, and sessions follow each other inside Consume, so that goka
// never gets to its pause of 5 s.
type group struct {
	cfg      *Config
	name     string
	table    string
	layout   layout
	instance string // static member id
	oldest   bool   // read from the start where nothing is committed, whatever is configured
	newUnit  func(place) unit
	schemas  Schemas // what decoding waits for, nil: nothing
	// onSetup is told before a session's claims are recovered, and how many they
	// are, onRebalance when a session after the first has begun; both may be nil.
	onSetup     func(claims int)
	onRebalance func()
	sink        sink
	offsets     offsetLister
	log         zerolog.Logger
	ends        map[place]int64 // where --stop-at-end ends each partition; nil: nowhere
	control     *Control        // holds the input; nil: nothing does

	gate    gate
	budget  *budget
	claims  atomic.Pointer[[]*claim] // by virtual partition; nil where not owned
	errs    chan error
	durable atomic.Int64 // monotonic time at which all was made durable last, 0: not yet
	fences  atomic.Int32 // times in a row that the producer was fenced

	mu        sync.Mutex
	current   *session
	sessions  []int64   // monotonic times at which sessions after the first began, bounded
	joined    bool      // a session has been set up since the start
	since     time.Time // when it was set up first
	reclaimed time.Time // when this process took its place back last
	failure   error     // what ended the group
}

func (g *group) Errors() <-chan error      { return g.errs }
func (g *group) Pause(map[string][]int32)  {}
func (g *group) Resume(map[string][]int32) {}
func (g *group) PauseAll()                 {}
func (g *group) ResumeAll()                {}
func (g *group) Close() error              { return nil }

// Consume implements sarama.ConsumerGroup: it is a member of the group until
// the context ends or something fails that joining again cannot cure.
func (g *group) Consume(ctx context.Context, _ []string, h sarama.ConsumerGroupHandler) error {
	var failing failures
	for {
		err := g.member(ctx, h)
		if ctx.Err() != nil && (err == nil || again(err)) {
			return nil
		}
		if hopeless(err) {
			g.fail(err)
			return err
		}
		if lasted := failing.lasted(monotonic(), g.durable.Load()); lasted > g.cfg.RetryFor {
			err = fmt.Errorf("group %s: nothing done for %s: %w", g.name, lasted.Round(time.Second), err)
			g.fail(err)
			return err
		}
		g.log.Info().Str("why", err.Error()).Msg("joining again")
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return nil
		}
	}
}

// failures are members that have ended and joined again, one after another. One
// that has got something done before is in order.
type failures struct{ since int64 } // monotonic time of the first, 0: none

// lasted is how long they have gone on, with another at a monotonic time and
// state made durable last at one.
func (f *failures) lasted(now, durable int64) time.Duration {
	if f.since == 0 || durable > f.since {
		f.since = now
	}
	return time.Duration(now - f.since)
}

// fail notes what ended the group; the first cause counts.
func (g *group) fail(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.failure == nil && err != nil && !errors.Is(err, errStopped) {
		g.failure = err
	}
}

func (g *group) cause() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.failure
}

func (g *group) session() *session {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.current
}

func (g *group) setSession(s *session) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.current = s
	if s == nil {
		g.claims.Store(nil)
		return
	}
	if g.joined {
		g.sessions = append(g.sessions, monotonic())
		g.sessions = g.sessions[max(0, len(g.sessions)-64):]
		if g.onRebalance != nil {
			g.onRebalance()
		}
	}
	if !g.joined {
		g.since = time.Now()
	}
	g.joined = true
}

// rebalances are the times, on a monotonic clock, at which sessions after the
// first began: a revoke and the assign after it are one.
func (g *group) rebalances() []int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]int64(nil), g.sessions...)
}

// onFrame is goka's callback: one call a frame of records.
func (g *group) onFrame(ctx goka.Context, _ any) {
	claims := g.claims.Load()
	if claims == nil {
		return
	}
	c := (*claims)[ctx.Partition()]
	if c == nil || !g.control.wait(c.done) {
		return
	}
	if err := c.consume(); err != nil {
		if s := g.session(); s != nil {
			s.fail(fatal{err})
		}
	}
}

var processStart = time.Now()

// monotonic is nanoseconds since the process started, on a clock that is
// never set back.
func monotonic() int64 { return int64(time.Since(processStart)) }
