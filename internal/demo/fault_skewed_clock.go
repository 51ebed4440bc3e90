package demo

import (
	"time"

	"github.com/auditstream/auditstream/engine"
)

// skewedClock moves the event times of one symbol ahead by the seconds
// between TAI and UTC, as a venue's host does whose clock follows TAI.
func skewedClock() *Fault {
	const ahead = 37 * time.Second
	skewed := expect(engine.ClockSkew, symbolSkewed, home(symbolSkewed))
	skewed.Blames = "symbol " + symbolSkewed
	return &Fault{
		Name:    "skewed clock",
		Does:    "event times of " + symbolSkewed + " are 37 s ahead",
		Expect:  []Expectation{skewed},
		touches: only(symbolSkewed),
		alter: func(m Message, _ int) []Message {
			m.Event += ahead
			return []Message{m}
		},
	}
}
