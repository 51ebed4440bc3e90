package demo

import "github.com/auditstream/auditstream/engine"

// garbage writes one record whose value was cut off in the middle, as a
// producer does that frees its buffer too early.
func garbage() *Fault {
	return &Fault{
		Name:    "garbage record",
		Does:    "one value of " + symbolGarbage + " is cut off in the middle",
		Expect:  []Expectation{expect(engine.UnreadableValue, symbolGarbage, home(symbolGarbage))},
		touches: only(symbolGarbage),
		alter: func(m Message, n int) []Message {
			if n > 0 {
				return []Message{m}
			}
			cut := m
			cut.Cut = true
			return []Message{m, cut}
		},
	}
}
