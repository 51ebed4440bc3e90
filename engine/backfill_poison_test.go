package engine

import "testing"

// A single tick far ahead makes no history of those after it, whether or not
// records have times of their own.
func TestOneTickFarAheadMakesNoBackfill(t *testing.T) {
	for name, timed := range map[string]bool{"record times": true, "none": false} {
		for _, wrong := range []int64{2, 8, 30, 3000, 86400, 365 * 86400} {
			l := DefaultLimits()
			w := newWorld(t, 1, &l)
			for n := range 60 {
				r := record0(n, "QXA", t0+int64(n)*second/20)
				if n == 20 {
					r.tick.EventTime += wrong * second
				}
				if !timed {
					r.tick.RecordTime = NoTime
				}
				w.produce(r)
			}
			for w.step(0) {
			}
			c := w.finish().Counts
			if c.Backfilled > 0 {
				t.Errorf("%s, ahead by %d s: %d ticks of a backfill", name, wrong, c.Backfilled)
			}
		}
	}
}

// History behind live ticks without record times is one all the same.
func TestBackfillWithoutRecordTimes(t *testing.T) {
	l := DefaultLimits()
	w := newWorld(t, 1, &l)
	for n := range 120 {
		r := record0(n, "QXA", t0+int64(n)*second/20)
		if r.tick.RecordTime = NoTime; n >= 60 {
			r.tick.EventTime -= 3600 * second
		}
		w.produce(r)
	}
	w.restarts = true
	for w.step(0) {
	}
	if c := w.finish().Counts; c.Backfilled < 50 {
		t.Errorf("%+v", c)
	}
}
