package processors

import "time"

// stepMin is how far the wall clock must be moved against the monotonic one to
// have been set: slewing moves it by half a millisecond a second at most.
const stepMin = 500 * time.Millisecond

// clockWatch notices that the wall clock is set.
type clockWatch struct {
	from time.Time     // with both clocks; zero: nothing was seen yet
	off  time.Duration // wall clock ahead of the monotonic one, since then
}

// step is by how much the wall clock was set since the last call, 0: it was
// not. now has both clocks.
func (w *clockWatch) step(now time.Time) time.Duration {
	return w.moved(now, now.Sub(w.from))
}

// moved is step for a time by the wall clock and the monotonic time since from.
func (w *clockWatch) moved(now time.Time, monotonic time.Duration) time.Duration {
	if w.from.IsZero() {
		w.from = now
		return 0
	}
	off := now.Round(0).Sub(w.from.Round(0)) - monotonic
	step := off - w.off
	if w.off = off; step.Abs() < stepMin {
		return 0
	}
	return step
}
