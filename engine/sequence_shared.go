package engine

// SharedNumbers says how the sequence numbers of different symbols follow one
// another on a partition: where they ascend throughout, the feed has one
// counter for all of them, and every symbol's own numbers have gaps.
type SharedNumbers struct {
	Up     int64  `json:"up"`   // times that the next symbol's number was greater
	Down   int64  `json:"down"` // times that it was not
	Last   int64  `json:"last"`
	Symbol string `json:"symbol"` // of the last number
	Venue  string `json:"venue,omitempty"`
}

const (
	sharedNeeds = 20   // numbers that ascend by chance are one in 2^20 cases
	sharedFull  = 4096 // at which old ones fade
)

func (n *SharedNumbers) take(symbol, venue string, first, last int64) {
	switch {
	case n.Symbol == "" || n.Symbol == symbol || n.Venue != venue:
	case first > n.Last:
		n.Up++
	default:
		n.Down++
	}
	if n.Up+n.Down >= sharedFull {
		n.Up, n.Down = n.Up/2, n.Down/2
	}
	n.Last, n.Symbol, n.Venue = last, symbol, venue
}

// is reports whether there is one counter. A few repeats do not speak against
// it.
func (n *SharedNumbers) is() bool { return n.Up >= sharedNeeds && n.Down*20 <= n.Up }
