package processors

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/rs/zerolog"
)

// State is what a [Control] has an audit do.
type State uint8

// The states, as Kafka Connect tells them apart: a paused audit keeps its
// partitions and reads nothing, a stopped one has left its groups.
const (
	Running State = iota
	Paused
	Stopped
	Restarting // between two lives of the groups
)

// String is Kafka Connect's word for the state.
func (s State) String() string { return [...]string{"RUNNING", "PAUSED", "STOPPED", "RESTARTING"}[s] }

// Asked is what an audit was asked to be last.
type Asked struct {
	State State     // Running, Paused or Stopped
	Since time.Time // zero: nobody has asked for anything yet
	By    string    // who has, as they are known; "" when they are not
}

// errAsked ends a life of the groups that another one may follow.
var errAsked = errors.New("asked for over its control")

// Control pauses, resumes, stops and restarts a running audit. Nothing that it
// does loses a record: what is judged is made durable, and reading goes on
// where that ends. A pause holds the input of ticks alone: checkpoints,
// statistics and the watch of other groups go on, and no symbol is silent, nor
// the audit behind, for what it was not to read.
//
// What was asked for is not remembered when the process ends. Any goroutine may
// call its methods; a nil Control leaves the audit running. Whoever asks for
// something says who they are, for the log and for those who wonder later why
// nothing is judged.
type Control struct {
	log     zerolog.Logger
	mu      sync.Mutex
	asked   Asked
	begun   bool // the groups have been begun once
	alive   bool // a life of them is under way
	end     context.CancelCauseFunc
	held    chan struct{} // closed when the input may go on; nil: it flows
	changed chan struct{} // closed when asked changes
	resumed int64         // times that held input has gone on
}

// NewControl is the control of an audit that runs from its start. It logs what
// is asked for.
func NewControl(log zerolog.Logger) *Control {
	return &Control{log: log, changed: make(chan struct{})}
}

// Pause holds the input, and starts a stopped audit's groups without it.
func (c *Control) Pause(by string) { c.set(Paused, by) }

// Resume lets a paused or stopped audit go on.
func (c *Control) Resume(by string) { c.set(Running, by) }

// Stop has the audit leave its groups and wait.
func (c *Control) Stop(by string) { c.set(Stopped, by) }

// Restart ends the groups in order and begins them anew. A paused audit stays
// paused; of a stopped one nothing is left to restart.
func (c *Control) Restart(by string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.end != nil && c.asked.State != Stopped {
		c.log.Info().Str("by", by).Stringer("state", c.asked.State).Msg("restart asked for: groups are left and joined again")
		c.end(errAsked)
	}
}

// Asked is what the audit was asked to be last. It answers at once.
func (c *Control) Asked() Asked {
	if c == nil {
		return Asked{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked
}

// State is what the audit does now: a stop is over once the groups are left.
func (c *Control) State() State {
	if c == nil {
		return Running
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case !c.alive && c.asked.State == Stopped:
		return Stopped
	case !c.alive && c.begun:
		return Restarting
	case c.asked.State == Paused:
		return Paused
	}
	return Running
}

func (c *Control) set(target State, by string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asked.State == target {
		return
	}
	c.tell(target, by)
	c.asked = Asked{target, time.Now(), by}
	close(c.changed)
	c.changed = make(chan struct{})
	switch {
	case target == Stopped && c.end != nil:
		c.end(errAsked)
	case target == Paused && c.held == nil:
		c.held = make(chan struct{})
	case target == Running && c.held != nil:
		c.resumed++
		close(c.held)
		c.held = nil
	}
}

// tell logs what is asked for. What keeps ticks from being judged is a warning:
// it must be found in a log that has no more than those.
func (c *Control) tell(target State, by string) {
	event, what := c.log.Info(), "resumed: ticks are judged again, from the next offset on"
	switch target {
	case Paused:
		event, what = c.log.Warn(), "paused as asked: partitions are kept, no tick of them is judged until the audit is resumed"
	case Stopped:
		event, what = c.log.Warn(), "stopped as asked: the groups are left, nothing is judged here until the audit is resumed"
	}
	event = event.Str("by", by).Stringer("was", c.asked.State)
	if !c.asked.Since.IsZero() {
		event = event.Dur("for", time.Since(c.asked.Since))
	}
	event.Msg(what)
}

// begin is the context of a life of the groups. over ends it, and reports
// whether Stop or Restart have already done so.
func (c *Control) begin(ctx context.Context) (life context.Context, over func() (asked bool)) {
	life, end := context.WithCancelCause(ctx)
	if c == nil {
		return life, func() bool { end(nil); return false }
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun, c.alive, c.end = true, true, end
	if c.asked.State == Stopped {
		end(errAsked)
	}
	return life, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.alive, c.end = false, nil
		end(nil)
		return errors.Is(context.Cause(life), errAsked)
	}
}

// start waits until the groups are to be begun; it reports false when the
// context ended first.
func (c *Control) start(ctx context.Context) bool {
	for {
		c.mu.Lock()
		target, changed := c.asked.State, c.changed
		c.mu.Unlock()
		if target != Stopped {
			return ctx.Err() == nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

// wait blocks while the input is held; it reports false when done came first.
func (c *Control) wait(done <-chan struct{}) bool {
	for {
		held, _ := c.input()
		if held == nil {
			return true
		}
		select {
		case <-held:
		case <-done:
			return false
		}
	}
}

// input gives what is closed when held input goes on, nil while it flows, and
// how often it has gone on.
func (c *Control) input() (held <-chan struct{}, resumed int64) {
	if c == nil {
		return nil, 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.held, c.resumed
}

// again readies another life of the groups after one that was ended over the
// control, and waits until it is to begin.
func (a *audit) again(ctx context.Context, ended error) (Prepared, error) {
	log := a.cfg.Logger
	log.Info().Err(ended).Msg("groups left as asked")
	a.cfg.Status.dropPartitions()
	a.cfg.Status.dropTopics()
	for _, name := range []string{a.names.Group, a.names.DistributionGroup} {
		a.cfg.Status.group(name, "stopped as asked")
	}
	if !a.cfg.Control.start(ctx) {
		return Prepared{}, nil
	}
	log.Info().Msg("groups begin anew as asked")
	return a.cfg.Prepare(ctx)
}

// resume tells the unit, once, that held input goes on. The caller holds the
// claim's lock.
func (c *claim) resume() {
	if _, resumed := c.control.input(); resumed != c.resumed {
		c.resumed = resumed
		c.unit.goesOn()
	}
}

func (u *symbols) goesOn() { u.judge.GoesOn() }
