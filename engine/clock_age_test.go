package engine

import (
	"fmt"
	"strings"
	"testing"
)

// Ages that a clock explains say so, with what is off, by how much and by which
// known constant; ages of delay do not.
func TestOldTicksTellClocksFromDelay(t *testing.T) {
	const ticks = 200
	for name, c := range map[string]struct {
		stamped string
		age     func(n int) int64 // of the nth tick
		live    bool
		who     string // "": delay
		hint    string
		drifts  bool
	}{
		"the broker's clock goes forward by an hour": {stamped: "LogAppendTime", age: func(n int) int64 {
			if n < 50 {
				return 0
			}
			return 3600 * second
		}, who: "the broker", hint: "1 h"},
		"a receiver on TAI":         {stamped: "CreateTime", age: func(int) int64 { return 37 * second }, who: "the receiver", hint: "TAI"},
		"live, a feed behind":       {age: func(int) int64 { return 5 * second }, live: true, who: "the feed"},
		"a clock that drifts":       {stamped: "CreateTime", age: func(n int) int64 { return 2*second + int64(n)*1e6 }, who: "the receiver", drifts: true},
		"one of two producers":      {stamped: "CreateTime", age: func(n int) int64 { return int64(n%2) * 37 * second }, who: "producer 1", hint: "TAI"},
		"delay":                     {stamped: "CreateTime", age: func(n int) int64 { return second + int64(n*n*7919%3000)*1e7 }},
		"a few that are late alike": {stamped: "CreateTime", age: func(n int) int64 { return int64(n/(ticks-5)) * 30 * second }},
	} {
		t.Run(name, func(t *testing.T) {
			l := DefaultLimits()
			l.MaxTickAge, l.TimestampType = 1e9, c.stamped
			w := newWorld(t, 1, &l)
			for n := range ticks {
				at := t0 + int64(n)*second
				r := record0(n, fmt.Sprintf("QX%d", n%2), at)
				r.tick.RecordTime, r.tick.Producer = at+c.age(n), []byte{byte('0' + n%2)}
				if c.live {
					r.now, r.tick.RecordTime = at+c.age(n), at
				}
				w.produce(r)
			}
			if c.live {
				w.parts[0].Progress(0, t0)
			}
			for w.step(0) {
				if w.at[0] == 100 && !c.live {
					w.checkpoint(0, true)
					w.restart(0)
				}
			}
			e := w.parts[0].episodes[StaleTick]
			if e == nil {
				t.Fatal("no tick is old")
			}
			f := w.parts[0].episodeFinding(e, Updated)
			who, _ := f.Evidence["attributed_to"].(string)
			hint, _ := f.Evidence["hint"].(string)
			if who != c.who || (hint == "") != (c.hint == "") || !strings.Contains(hint, c.hint) || f.Evidence["drifting"] != c.drifts {
				t.Errorf("attributed to %q, hint %q: %s\n%v", who, hint, f.Cause, f.Evidence)
			}
		})
	}
}

// A counter that all symbols share is named; counters of their own are not.
func TestSharedCounter(t *testing.T) {
	for name, shared := range map[string]bool{"one for all": true, "one each": false} {
		l := DefaultLimits()
		l.Sequences = true
		p := NewPartition("ticks", 0, 4, &l)
		for n := range 300 {
			at := t0 + int64(n)*int64(1e6)
			tick := record0(n, fmt.Sprintf("QX%d", n*n%7), at).tick
			tick.HasSequence, tick.Sequence = true, int64(n)*3+1000
			if !shared {
				tick.Sequence = int64(n)*3 + int64(n*n%7)*1_000_000
			}
			tick.SequenceFirst = tick.Sequence
			p.Observe(&tick, NoTime)
		}
		f := p.episodeFinding(p.gaps[0], Updated)
		if named := f.Evidence["shared_counter"] == true; named != shared || strings.Contains(f.Cause, "one counter") != shared {
			t.Errorf("%s: %s", name, f.Cause)
		}
	}
}
