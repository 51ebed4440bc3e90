package processors

import "sync"

// pressure stops the input while state cannot be made durable: what is judged
// meanwhile would pile up without bound. Frames then wait in their queues,
// full queues pause their fetching, and nothing is dropped.
type pressure struct {
	mu   sync.Mutex
	open chan struct{} // closed when the input may go on; nil: it flows
}

// wait blocks while the input is held; it reports false when done came first.
func (p *pressure) wait(done <-chan struct{}) bool {
	p.mu.Lock()
	open := p.open
	p.mu.Unlock()
	if open == nil {
		return true
	}
	select {
	case <-open:
		return true
	case <-done:
		return false
	}
}

// set holds the input or lets it go on, and reports whether that is new.
func (p *pressure) set(held bool) (changed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case held && p.open == nil:
		p.open = make(chan struct{})
	case !held && p.open != nil:
		close(p.open)
		p.open = nil
	default:
		return false
	}
	return true
}

// hold stops the input of the session; readiness says why.
func (s *session) hold(why string) {
	if s.ctx.Err() != nil {
		return
	}
	s.g.cfg.Status.group(s.g.name, "state is not durable, the input waits: "+why)
	if s.pressure.set(true) {
		s.g.log.Warn().Str("why", why).Msg("state is not durable, the input waits")
	}
}

// release lets the input go on.
func (s *session) release() {
	if s.pressure.set(false) {
		s.g.cfg.Status.group(s.g.name, "")
		s.g.log.Info().Msg("state is durable again, the input goes on")
	}
}
