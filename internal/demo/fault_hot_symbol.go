package demo

import "github.com/auditstream/auditstream/engine"

// hotSymbol trades one symbol four times for every tick of the whole market, so
// that its partition carries several times the mean.
func hotSymbol() *Fault {
	const times = 4
	return &Fault{
		Name:    "hot symbol",
		Does:    symbolHot + " ticks four times as often as the whole market together",
		Lasts:   true,
		Expect:  []Expectation{expect(engine.PartitionUnbalanced, symbolHot, home(symbolHot))},
		touches: func(string) bool { return true },
		alter: func(m Message, _ int) []Message {
			out := []Message{m}
			for range times {
				out = append(out, message(Tick{
					At: m.At, Symbol: symbolHot, Sequence: m.Sequence,
					Bid: m.Bid, Ask: m.Ask, BidSize: m.BidSize, AskSize: m.AskSize,
				}))
			}
			return out
		},
	}
}
