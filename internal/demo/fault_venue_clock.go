package demo

import (
	"time"

	"github.com/auditstream/auditstream/engine"
)

// venueClock moves the event times of one venue ahead by the seconds between
// GPS time and UTC.
func venueClock(f *Format) *Fault {
	const ahead = 18 * time.Second
	venue := f.venue(symbolsVenue[0])
	wanted := Expectation{Code: engine.ClockSkew, Symbol: symbolsVenue[0], Symbols: symbolsVenue, Blames: "venue " + venue}
	for _, s := range symbolsVenue {
		wanted.Partitions = append(wanted.Partitions, home(s))
	}
	return &Fault{
		Name:    "venue clock",
		Does:    "the clock of venue " + venue + " is 18 s ahead",
		Expect:  []Expectation{wanted},
		touches: only(symbolsVenue...),
		alter: func(m Message, _ int) []Message {
			m.Event += ahead
			return []Message{m}
		},
	}
}
