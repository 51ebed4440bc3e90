package processors

import (
	"context"
	"errors"
	"sync"
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

// errAsked ends a life of the groups that another one may follow.
var errAsked = errors.New("asked for over its control")

// Control pauses, resumes, stops and restarts a running audit. Nothing that it
// does loses a record: what is judged is made durable, and reading goes on
// where that ends. A pause holds the input of ticks alone: checkpoints,
// statistics and the watch of other groups go on, and no symbol is silent, nor
// the audit behind, for what it was not to read.
//
// What was asked for is not remembered when the process ends. Any goroutine may
// call its methods; a nil Control leaves the audit running.
type Control struct {
	mu      sync.Mutex
	target  State // Running, Paused or Stopped
	alive   bool  // a life of the groups is under way
	end     context.CancelCauseFunc
	held    chan struct{} // closed when the input may go on; nil: it flows
	changed chan struct{} // closed when target changes
	resumed int64         // times that held input has gone on
}

// NewControl is the control of an audit that runs from its start.
func NewControl() *Control { return &Control{changed: make(chan struct{})} }

// Pause holds the input, and starts a stopped audit's groups without it.
func (c *Control) Pause() { c.set(Paused) }

// Resume lets a paused or stopped audit go on.
func (c *Control) Resume() { c.set(Running) }

// Stop has the audit leave its groups and wait.
func (c *Control) Stop() { c.set(Stopped) }

// Restart ends the groups in order and begins them anew. A paused audit stays
// paused; of a stopped one nothing is left to restart.
func (c *Control) Restart() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.end != nil && c.target != Stopped {
		c.end(errAsked)
	}
}

// State is what the audit does now: a stop is over once the groups are left.
func (c *Control) State() State {
	if c == nil {
		return Running
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case !c.alive && c.target == Stopped:
		return Stopped
	case !c.alive:
		return Restarting
	case c.target == Paused:
		return Paused
	}
	return Running
}

func (c *Control) set(target State) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.target == target {
		return
	}
	c.target = target
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

// begin is the context of a life of the groups. over ends it, and reports
// whether Stop or Restart have already done so.
func (c *Control) begin(ctx context.Context) (life context.Context, over func() (asked bool)) {
	life, end := context.WithCancelCause(ctx)
	if c == nil {
		return life, func() bool { end(nil); return false }
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.alive, c.end = true, end
	if c.target == Stopped {
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
		target, changed := c.target, c.changed
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
