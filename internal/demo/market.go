package demo

import (
	"math/rand/v2"
	"slices"
	"time"
)

// The market's size.
const (
	symbolCount    = 200
	partitionCount = 6
)

// Every symbol trades at restRate a second, and up to burstRate times its
// weight more while a burst lasts.
const (
	restRate  = 2.0
	burstRate = 5.0
)

// slice is the step in which the market's ticks are made.
const slice = 50 * time.Millisecond

// Tick is one quote of the market.
type Tick struct {
	At       time.Duration // since the market opened
	Symbol   string
	Sequence int64 // of the symbol, from 1
	Bid      int64 // in cents, like Ask
	Ask      int64
	BidSize  int64
	AskSize  int64
}

// Market makes the quotes of one session: a burst at the opening, a quiet
// middle, a burst at the close, and the quiet rate from then on. The same seed
// and length give the same quotes.
type Market struct {
	random  *rand.Rand
	length  time.Duration
	symbols []listing
	next    time.Duration // start of the slice to be made next
}

// listing is a symbol with where its quotes stand.
type listing struct {
	symbol   string
	weight   float64 // how much it takes part in bursts, 0.5 to 1.5
	credit   float64 // quotes due, the fraction of one included
	price    int64   // cents
	sequence int64
}

// NewMarket opens a market whose session lasts length.
func NewMarket(seed uint64, length time.Duration) *Market {
	m := &Market{random: rand.New(rand.NewPCG(seed, symbolCount)), length: length}
	for _, name := range Symbols() {
		m.symbols = append(m.symbols, listing{
			symbol: name,
			weight: 0.5 + m.random.Float64(),
			credit: m.random.Float64(),
			price:  500 + m.random.Int64N(50_000),
		})
	}
	return m
}

// Until makes the quotes up to a time since the opening, in the order of time;
// a symbol's own quotes rise strictly in time and sequence.
func (m *Market) Until(at time.Duration) []Tick {
	var ticks []Tick
	for m.next+slice <= at {
		ticks = append(ticks, m.slice()...)
	}
	return ticks
}

// slice makes the quotes of the next slice.
func (m *Market) slice() []Tick {
	var ticks []Tick
	burst := burstRate * activity(float64(m.next)/float64(m.length))
	for i := range m.symbols {
		l := &m.symbols[i]
		l.credit += (restRate + burst*l.weight) * slice.Seconds()
		// Several quotes of one symbol share the slice in equal parts, so that
		// they rise in time whatever their jitter.
		due := int(l.credit)
		for k := range due {
			part := slice / time.Duration(due)
			jitter := time.Duration(m.random.Int64N(int64(part)))
			ticks = append(ticks, l.quote(m.random, m.next+time.Duration(k)*part+jitter))
		}
		l.credit -= float64(due)
	}
	m.next += slice
	slices.SortStableFunc(ticks, func(a, b Tick) int { return int(a.At - b.At) })
	return ticks
}

// quote moves the price by a small step and quotes it.
func (l *listing) quote(random *rand.Rand, at time.Duration) Tick {
	l.price = max(100, l.price+random.Int64N(11)-5)
	l.sequence++
	return Tick{
		At: at, Symbol: l.symbol, Sequence: l.sequence,
		Bid: l.price, Ask: l.price + 1 + random.Int64N(4),
		BidSize: 100 * (1 + random.Int64N(20)), AskSize: 100 * (1 + random.Int64N(20)),
	}
}

// activity is how lively the session is after a share x of it, from 0 to 1:
// it falls over the first eighth and rises over the last.
func activity(x float64) float64 {
	const edge = 0.125
	switch {
	case x < edge:
		return 1 - x/edge
	case x > 1-edge && x < 1:
		return (x - (1 - edge)) / edge
	}
	return 0
}
