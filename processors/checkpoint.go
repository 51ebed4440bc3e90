package processors

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// sweep tells every unit the clock and how far it has read. While the input is
// held, or read up to a fixed end, the clock judges nothing.
func (s *session) sweep() {
	if !s.isPositioned() {
		return
	}
	held, _ := s.g.control.input()
	for _, c := range s.ordered {
		c.mu.Lock()
		if !c.failed && held == nil && c.stop < 0 {
			c.resume()
			c.unit.progress(c.next, max(c.end, c.next))
			c.unit.sweep()
		}
		if !c.failed {
			c.unit.stands(c.end, c.lag(c.next))
		}
		c.mu.Unlock()
	}
}

func (s *session) urgent() bool {
	return slices.ContainsFunc(s.ordered, (*claim).urgent)
}

func (c *claim) urgent() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.failed && c.unit.urgent()
}

// closeDrained closes the units that have reached their fixed end.
func (s *session) closeDrained() (any bool) {
	if s.g.ends == nil || !s.isPositioned() {
		return false
	}
	for _, c := range s.ordered {
		c.mu.Lock()
		if !c.closed && !c.failed && c.drained(true) {
			c.closed, any = true, true
			c.next = max(c.next, c.stop)
			c.unit.close()
		}
		c.mu.Unlock()
	}
	return any
}

// done reports whether every claim has reached its end and that is durable,
// last statistics included: they are cumulative, so that a FINAL report that
// rests on them is exact whatever was read before.
func (s *session) done() bool {
	if !s.isPositioned() {
		return false
	}
	for _, c := range s.ordered {
		c.mu.Lock()
		done := c.told && (c.committed >= c.next || c.committed < 0 && c.next <= c.start)
		c.mu.Unlock()
		if !done {
			return false
		}
	}
	return true
}

// scope says which claims a checkpoint is of. Partitions share nothing, so any
// of them may be ahead of the others in what is durable.
type scope uint8

const (
	everyClaim scope = iota
	urgentOnly       // those with a finding to tell
)

// checkpoint makes durable what the claims have to make durable, together.
// Whatever fails leaves the state as if it had not been tried; what may have
// come true in spite of that is written no second time.
func (s *session) checkpoint(ctx context.Context, of scope) error {
	if !s.isPositioned() {
		return nil
	}
	began := time.Now()
	batches, err := s.take(of)
	if err != nil {
		s.giveBack(batches)
		return err
	}
	if len(batches) == 0 {
		s.g.durable.Store(monotonic())
		return nil
	}
	if err = ctx.Err(); err == nil {
		err = s.g.sink.write(ctx, s, batches)
	}
	if err != nil {
		s.giveBack(batches)
		if mustDiscard(err) {
			s.spoil(errLost)
		}
		return err
	}
	for _, b := range batches {
		b.claim.mu.Lock()
		b.claim.settle(b)
		b.claim.told = b.claim.told || b.closing
		b.claim.unit.settle(b, b.claim.end, b.claim.lag(b.next))
		b.claim.mu.Unlock()
	}
	s.g.fences.Store(0)
	s.g.durable.Store(monotonic())
	s.g.cfg.Status.checkpoint(time.Since(began))
	for _, b := range batches {
		for _, r := range b.reports {
			s.g.cfg.Status.reported(r)
			s.g.cfg.OnReport(r)
		}
	}
	return nil
}

func (s *session) take(of scope) ([]*batch, error) {
	var batches []*batch
	for _, c := range s.ordered {
		if of == urgentOnly && !c.urgent() {
			continue
		}
		b, err := c.take()
		if err != nil {
			return batches, fatal{fmt.Errorf("state of %s: %w", c.place, err)}
		}
		if b != nil {
			batches = append(batches, b)
		}
	}
	return batches, nil
}

func (s *session) giveBack(batches []*batch) {
	for _, b := range batches {
		b.claim.mu.Lock()
		if b.inner != nil {
			b.claim.unit.giveBack(b)
		}
		b.claim.mu.Unlock()
	}
}

// take gives what is not durable of the claim: its unit's batch, or the offset
// alone when only markers were read.
func (c *claim) take() (*batch, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed || c.next < 0 {
		return nil, nil
	}
	b, err := c.unit.take()
	if err != nil {
		return nil, err
	}
	moved := c.next > c.committed && (c.committed >= 0 || c.next > c.start)
	if b == nil && !moved {
		return nil, nil
	}
	if b == nil {
		b = &batch{}
	}
	// What is read again lies before a commit that stands already.
	b.claim, b.next, b.epoch, b.rewind, b.closing = c, max(c.next, c.committed), -1, -1, c.closed
	if c.rewind >= 0 && len(b.rows) > 0 {
		b.next, b.rewind = c.next, c.rewind
	}
	if b.next == c.next {
		b.epoch = c.epoch // by it a truncation is found out that the log's growth has hidden
	}
	return b, nil
}

// settle notes that a batch of the claim is durable.
func (c *claim) settle(b *batch) {
	c.committed = b.next
	switch {
	case c.next < b.next && c.rewind < 0: // truncated meanwhile
		c.rewind = c.next
	case c.next >= b.next && b.rewind >= 0:
		c.rewind = -1
	}
}

// lastCheckpoint is the one at the end of a session. Where it fails nothing is
// lost: the next owner reads again from the checkpoint before.
func (s *session) lastCheckpoint(until time.Time, stopping bool) error {
	err := s.loop.cut
	if err == nil && (s.spoiled() != nil || !s.loop.mayWrite(s)) {
		return nil
	}
	ctx, cancel := context.WithDeadline(context.Background(), until)
	defer cancel()
	faultpoint(s.g.name, "last checkpoint")
	for {
		if err == nil {
			err = s.checkpoint(ctx, everyClaim)
		}
		switch {
		case err == nil:
			return nil
		case over(err):
			s.g.log.Warn().Err(err).Msg("last checkpoint refused: the partitions belong to another member")
			return nil
		case hopeless(err):
			return fatal{fmt.Errorf("last checkpoint of group %s: %w", s.g.name, err)}
		case ctx.Err() != nil || mustDiscard(err):
			err = s.loop.why(err)
			s.g.log.Warn().Err(err).Msg("last checkpoint failed; what follows the one before will be read again")
			if stopping {
				return fatal{fmt.Errorf("last checkpoint of group %s: %w", s.g.name, err)}
			}
			return nil
		}
		select {
		case <-time.After(2 * loopEvery):
		case <-ctx.Done():
		}
		err = nil
	}
}
