package processors

import (
	"context"
	"fmt"
	"time"
)

// loop is the write-behind of one session: it sweeps, and makes state durable
// at each interval, sooner when a finding asks for it.
type loop struct {
	quit, done chan struct{}
	cancel     context.CancelFunc
	stand      *standstill

	swept, checked, failing time.Time     // last sweep and checkpoint; since when checkpoints fail
	whole                   time.Time     // last checkpoint of every claim
	took                    time.Duration // of the last checkpoint
	cause                   error         // of the failures, where it is more than that time ran out
	cut                     error         // of the checkpoint under way at the end, where no other may follow it
	told                    string        // failure warned of last
	toldAt                  time.Time
}

func (l *loop) start(s *session) {
	ctx, cancel := context.WithCancel(context.Background())
	l.quit, l.done, l.cancel = make(chan struct{}), make(chan struct{}), cancel
	l.ready(s)
	go l.run(ctx, s)
	go l.watch(ctx, s)
}

func (l *loop) ready(s *session) {
	l.stand, l.checked = newStandstill(s.g.cfg), time.Now()
	l.whole = l.checked
}

// stop ends the loop. A checkpoint under way may finish within a time.
func (l *loop) stop(within time.Duration) {
	if l.quit == nil {
		return
	}
	close(l.quit)
	timer := time.AfterFunc(within, l.cancel)
	<-l.done
	timer.Stop()
	l.cancel()
	l.quit = nil
}

func (l *loop) run(ctx context.Context, s *session) {
	defer close(l.done)
	timer := time.NewTimer(loopEvery)
	defer timer.Stop()
	for {
		select {
		case <-l.quit:
			return
		case <-s.found:
		case <-timer.C:
		}
		if !l.step(ctx, s) {
			return
		}
		timer.Reset(l.rest(s))
	}
}

// gap is the least time between checkpoints that findings ask for. It grows
// with what a checkpoint takes, so that a storm of findings leaves most of the
// time to reading.
func (l *loop) gap() time.Duration { return min(urgentAfter, 3*l.took) }

// rest is the time until the next step that nothing has asked for.
func (l *loop) rest(s *session) time.Duration {
	if wait := l.gap() - time.Since(l.checked); wait > 0 && wait < loopEvery && s.urgent() {
		return wait
	}
	return loopEvery
}

// step does what is due, and reports whether to go on.
func (l *loop) step(ctx context.Context, s *session) (goOn bool) {
	now := time.Now()
	if now.Sub(l.swept) >= sweepEvery {
		l.swept = now
		s.sweep()
	}
	closed := s.closeDrained()
	of := everyClaim
	due := now.Sub(l.whole) >= s.g.cfg.CheckpointInterval || closed
	if !due {
		// A finding does not wait for the rows of partitions that have none: a
		// transaction takes longer with each partition that it writes to.
		due = now.Sub(l.checked) >= l.gap() && s.urgent()
		if l.failing.IsZero() { // what fails must be among what is tried again
			of = urgentOnly
		}
	}
	if !due || s.ctx.Err() != nil || s.spoiled() != nil || !l.mayWrite(s) {
		return true
	}
	slow := time.AfterFunc(holdAfter, func() { s.hold("a checkpoint is not acknowledged yet") })
	since := l.failing
	if since.IsZero() {
		since = now
	}
	attempt, cancel := context.WithDeadline(ctx, since.Add(s.g.cfg.RetryFor))
	err := s.checkpoint(attempt, of)
	cancel()
	slow.Stop()
	l.checked = time.Now()
	l.took = l.checked.Sub(now)
	if of == everyClaim {
		l.whole = l.checked
	}
	if err == nil {
		l.failing, l.cause = time.Time{}, nil
		s.release()
		return true
	}
	l.failing, l.took = since, urgentAfter
	if l.ends(ctx) {
		if mustDiscard(err) {
			l.cut = err
		}
		return false
	}
	return l.goOn(s, l.why(err), l.checked.Sub(since))
}

// ends reports whether the loop is told to stop.
func (l *loop) ends(ctx context.Context) bool {
	select {
	case <-l.quit:
		return true
	case <-ctx.Done():
		return true
	default:
		return false
	}
}

// why is the error with what made an attempt before it fail, where itself says
// only that time ran out.
func (l *loop) why(err error) error {
	switch {
	case !is(err, context.DeadlineExceeded):
		l.cause = err
	case l.cause != nil:
		return fmt.Errorf("%w, after %w", err, l.cause)
	}
	return err
}

// goOn judges a failed checkpoint and reports whether to try another.
func (l *loop) goOn(s *session, err error, lasted time.Duration) bool {
	switch {
	case mustDiscard(err):
		// The heartbeat will hear of a lost session too; until then nothing is
		// written.
		s.g.log.Warn().Err(err).Msg("checkpoint refused, state discarded")
		if fenced(err) && s.g.fences.Add(1) > 1 {
			s.fail(s.g.replaced(fmt.Sprintf(": its producer has fenced this one's in group %s", s.g.name)))
			return false
		}
		if s.awaitEnd() {
			s.fail(fmt.Errorf("%w: %w", errLost, err))
		}
		return false
	case hopeless(err) || lasted >= s.g.cfg.RetryFor:
		s.spoil(err)
		s.fail(fatal{fmt.Errorf("checkpoint of group %s failed for %s: %w", s.g.name, lasted.Round(time.Second), err)})
		return false
	}
	s.hold(err.Error())
	// There may be several attempts a second, for minutes.
	if text := err.Error(); text != l.told || time.Since(l.toldAt) > warnEvery {
		l.told, l.toldAt = text, time.Now()
		s.g.log.Warn().Err(err).Msg("checkpoint failed, trying again")
	}
	return true
}

// awaitEnd gives the heartbeats time to end the session and to tell why:
// another member with the same instance id may have taken this one's place.
// It reports whether they did not. A producer is fenced for that reason, and
// also when its own transaction stood still for too long.
func (s *session) awaitEnd() (goesOn bool) {
	select {
	case <-s.m.ended:
	case <-s.ctx.Done():
	case <-s.m.ctx.Done():
	case <-time.After(2*s.g.cfg.HeartbeatInterval + time.Second):
		return true
	}
	return false
}
