package demo

import (
	"time"

	"github.com/auditstream/auditstream/engine"
)

// sequenceGap loses a few messages whose numbers the venue has given.
func sequenceGap() *Fault {
	const lost = 3
	return &Fault{
		Name:    "sequence gap",
		Does:    "three messages of " + symbolGap + " are lost, their numbers with them",
		Expect:  []Expectation{expect(engine.SequenceGap, symbolGap, home(symbolGap))},
		touches: only(symbolGap),
		alter: func(m Message, n int) []Message {
			if n < lost {
				return nil
			}
			return []Message{m}
		},
	}
}

// unitChange spells one symbol's event times in microseconds, as a feed does
// after a release.
func unitChange() *Fault {
	return &Fault{
		Name:    "unit change",
		Does:    "event times of " + symbolUnit + " come in microseconds",
		Expect:  []Expectation{expect(engine.TimestampUnitChanged, symbolUnit, home(symbolUnit))},
		touches: only(symbolUnit),
		alter: func(m Message, _ int) []Message {
			m.Micros = true
			return []Message{m}
		},
	}
}

// frozenSymbol stamps one old quote with new times, as a cache does whose
// source is gone.
func frozenSymbol() *Fault {
	frozen := expect(engine.StaleTick, symbolFrozen, home(symbolFrozen))
	frozen.Kind = "FROZEN"
	var first Tick
	return &Fault{
		Name:    "frozen symbol",
		Does:    symbolFrozen + " repeats one quote with new times",
		Lasts:   true,
		Expect:  []Expectation{frozen},
		touches: only(symbolFrozen),
		alter: func(m Message, n int) []Message {
			if n == 0 {
				first = m.Tick
			}
			at := m.At
			m.Tick, m.At = first, at
			return []Message{m}
		},
	}
}

// haltedSymbol stops one symbol after a tick that tells of a trading halt.
// The silence that follows is no fault.
func haltedSymbol() *Fault {
	return &Fault{
		Name:    "halted symbol",
		Does:    "trading of " + symbolHalted + " is halted, which its last tick tells: nothing must be found",
		touches: only(symbolHalted),
		alter: func(m Message, n int) []Message {
			if n > 0 {
				return nil
			}
			m.Halted = true
			return []Message{m}
		},
	}
}

// backfill writes history of one symbol behind its live ticks. Until enough of
// it has come, its first record looks like any other step back.
func backfill() *Fault {
	const (
		records = 30
		behind  = 20 * time.Second
		apart   = 100 * time.Millisecond
	)
	return &Fault{
		Name: "backfill",
		Does: "3 s of history of " + symbolBackfill + ", 20 s old, are written at once",
		Expect: []Expectation{
			expect(engine.UpstreamDisorder, symbolBackfill, home(symbolBackfill)),
			expect(engine.Backfill, symbolBackfill, home(symbolBackfill)),
		},
		touches: only(symbolBackfill),
		alter: func(m Message, n int) []Message {
			out := []Message{m}
			for i := range time.Duration(records) {
				if n > 0 {
					break
				}
				old := m
				old.Event += i*apart - behind
				old.Bid, old.Ask = old.Bid+int64(i), old.Ask+int64(i)
				out = append(out, old)
			}
			return out
		},
	}
}
