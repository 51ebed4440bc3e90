package engine

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// A constant 37 s of one of two producers, and a slow drift of its clock: one
// finding each, with its size.
func TestG59ConstantAndDriftingClocks(t *testing.T) {
	l := DefaultLimits()
	l.ClockSkewTolerance = 30e6
	b := []string{"BA", "BB", "BC", "BD", "BE"}
	write := func(w *world, n int, symbol, producer string, record, ahead int64) {
		r := record0(n, symbol, record)
		r.partition, r.tick.EventTime, r.tick.Producer = int32(n%len(w.parts)), record+ahead, []byte(producer)
		w.produce(r)
	}
	t.Run("constant", func(t *testing.T) {
		w := newWorld(t, 4, &l)
		for n := range 400 {
			at := t0 + int64(n)*int64(100e6)
			if n%2 == 0 {
				write(w, n, "QXA", "A", at, 20e6)
			} else {
				write(w, n, b[n/2%len(b)], "B", at, 37e9)
			}
		}
		f := onlySkew(t, w)
		if f.Count != 200 || f.Evidence["constant"] != true || f.Evidence["attributed_to"] != "producer B" || f.Observed != 37000 ||
			!strings.Contains(f.Evidence["hint"].(string), "TAI") || math.Abs(float64(f.Evidence["median_ns"].(int64))-37e9) > 1e6 {
			t.Errorf("%+v", f)
		}
	})
	t.Run("drift", func(t *testing.T) {
		w := newWorld(t, 1, &l)
		for n := range 3600 {
			at := t0 + int64(n)*second
			write(w, n, "QXA", "A", at, 20e6)
			if n%5 == 0 {
				write(w, n, "BA", "B", at, int64(n)*60e6/3600)
			}
		}
		for i := range w.logs[0] {
			w.logs[0][i].tick.Offset = int64(i)
		}
		f := onlySkew(t, w)
		slope, _ := f.Evidence["drift_ms_per_minute"].(float64)
		if f.Evidence["drifting"] != true || f.Evidence["constant"] != false || f.Evidence["attributed_to"] != "producer B" || math.Abs(slope-1) > 0.05 {
			t.Errorf("%+v", f)
		}
	})
	t.Run("a receiver that is slow throughout", func(t *testing.T) {
		w := newWorld(t, 3, &l)
		for n := range 300 {
			write(w, n, b[n%3], "R", t0+int64(n)*int64(100e6), 1_270e6+int64(n%12)*2e6)
		}
		f := onlySkew(t, w)
		if f.Count != 300 || f.Evidence["attributed_to"] != "the receiver" || f.Evidence["constant"] != true || !strings.Contains(f.Cause, "slow by about 1.2") {
			t.Errorf("%+v", f)
		}
	})
}

// record0 is a tick of a symbol at a record time.
func record0(offset int, symbol string, at int64) record {
	return record{now: NoTime, tick: Tick{
		Offset: int64(offset), RecordTime: at, EventTime: at, Symbol: []byte(symbol), Key: []byte(symbol), Value: []byte("{}"), Unit: UnitMillis,
	}}
}

// onlySkew audits what was produced: one CLOCK_SKEW and no disorder.
func onlySkew(t *testing.T, w *world) *Finding {
	t.Helper()
	for id := range w.parts {
		for w.step(id) {
			if w.at[id]%50 == 0 {
				w.checkpoint(id, true)
			}
		}
	}
	final := w.finish()
	var opened int
	for _, r := range w.reports {
		opened += len(slices.DeleteFunc(slices.Clone(r.Findings), func(f Finding) bool { return f.State != Opened || f.Code != ClockSkew }))
	}
	if opened != 1 || final.Counts.Disorder != 0 {
		t.Fatalf("%d findings of skew and %d steps back, want 1 and 0", opened, final.Counts.Disorder)
	}
	// A row that was restored would hold its evidence as JSON, the topic's own does not.
	f := w.topic.find(skewSubject)
	if f == nil {
		t.Fatal("the skew is over, although it lasts to the end")
	}
	return f
}

// One tick far in the future poisons nothing: those after it are in order,
// seen, and neither silent nor stale.
func TestOneWrongTickPoisonsNothing(t *testing.T) {
	l := DefaultLimits()
	l.MaxTickAge, l.MaxSymbolSilence, l.ClockSkewTolerance = 1e9, 5e9, 1e9
	w := newWorld(t, 1, &l)
	for n := range 60 {
		r := record0(n, "QXA", t0+int64(n)*second)
		if n == 20 {
			r.tick.EventTime += 365 * 24 * 3600 * second
		}
		w.produce(r)
	}
	for w.step(0) {
	}
	final := w.finish()
	for _, f := range final.Findings {
		if f.Code != ClockSkew || f.State != Resolved && f.Count != 1 {
			t.Errorf("%+v", f)
		}
	}
	if c := &final.Counts; c.Disorder != 0 || c.Old != 0 || c.Ahead != 1 {
		t.Errorf("%+v", c)
	}
}
