package demo

import "github.com/auditstream/auditstream/engine"

// stalledSymbol stops one symbol while all others go on, as a lost
// subscription does.
func stalledSymbol() *Fault {
	silent := expect(engine.StaleTick, symbolStalled, home(symbolStalled))
	silent.Kind = "SILENT"
	return &Fault{
		Name:    "stalled symbol",
		Does:    symbolStalled + " stops ticking",
		Lasts:   true,
		Expect:  []Expectation{silent},
		touches: only(symbolStalled),
		alter:   func(Message, int) []Message { return nil },
	}
}
