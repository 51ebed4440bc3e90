package demo

import (
	"time"

	"github.com/auditstream/auditstream/engine"
)

// disorder writes ticks with an event time before that of the tick in front
// of them, as a producer does that retries with several requests in flight.
func disorder() *Fault {
	const back = 400 * time.Millisecond
	return &Fault{
		Name:    "disorder",
		Does:    "every second tick of " + symbolDisorder + " is written again with an event time 400 ms back",
		Expect:  []Expectation{expect(engine.UpstreamDisorder, symbolDisorder, home(symbolDisorder))},
		touches: only(symbolDisorder),
		alter: func(m Message, n int) []Message {
			if n%2 > 0 {
				return []Message{m}
			}
			late := m
			late.Event -= back
			return []Message{m, late}
		},
	}
}
