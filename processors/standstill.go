package processors

import (
	"context"
	"sync"
	"time"
)

// standstill finds out that the process did not run for so long that its
// partitions may belong to somebody else without its knowing.
type standstill struct {
	limit, pause time.Duration

	mu          sync.Mutex
	last, until time.Time
}

func newStandstill(c *Config) *standstill {
	return &standstill{limit: c.SessionTimeout / 2, pause: 4 * c.HeartbeatInterval, last: wallClock()}
}

// observe is told the time often; it returns for how long the process stood
// still, 0 when it did not.
func (s *standstill) observe(now time.Time) (stood time.Duration) {
	now = now.Round(0) // the wall clock also runs while the machine sleeps
	s.mu.Lock()
	defer s.mu.Unlock()
	gap := now.Sub(s.last)
	s.last = now
	if gap <= s.limit {
		return 0
	}
	s.until = now.Add(s.pause)
	return gap
}

func (s *standstill) mayWrite() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.last.Before(s.until)
}

// watch observes until the context ends: the loop itself waits for Kafka at
// times, which is no standing still.
func (l *loop) watch(ctx context.Context, s *session) {
	ticker := time.NewTicker(loopEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			l.observe(s)
		}
	}
}

func (l *loop) observe(s *session) {
	if stood := l.stand.observe(time.Now()); stood > 0 {
		s.g.log.Warn().Dur("stood", stood).Msg("the process stood still; waiting for heartbeats before anything is written")
	}
}

// mayWrite holds back writes that no transaction would fence.
func (l *loop) mayWrite(s *session) bool {
	l.observe(s)
	return s.g.cfg.ExactlyOnce || l.stand.mayWrite()
}

func wallClock() time.Time { return time.Now().Round(0) }
