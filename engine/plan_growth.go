package engine

import "fmt"

// Move is a symbol that goes to another partition after growth.
type Move struct {
	Symbol   []byte
	From, To int32
}

// Stranded tells how many moved symbols leave their history on a partition.
type Stranded struct {
	Partition int32
	Symbols   int
}

// Growth is what becomes of the symbols of a topic whose partition count is
// raised. Kafka moves no record: a moved symbol's history stays on its old
// partition until retention removes it, so that for as long there is no order
// between its old ticks and its new ones, and state kept by partition starts
// without them.
type Growth struct {
	From, To int32
	Symbols  int        // distinct symbols looked at
	Spread   int        // of those: not decided by the key, before and after
	Moves    []Move     // in the order of first sight
	Stranded []Stranded // by partition, ascending
}

// PlanGrowth finds the symbols that move when a topic grows. An error says
// that a count is not positive or that the topic would shrink, which Kafka
// refuses.
func PlanGrowth(p Partitioner, symbols [][]byte, from, to int32) (Growth, error) {
	g := Growth{From: from, To: to}
	for _, n := range []int32{from, to} {
		if err := positivePartitions(n); err != nil {
			return g, err
		}
	}
	if to < from {
		return g, fmt.Errorf("from %d to %d partitions: a topic cannot shrink", from, to)
	}
	left := make(map[int32]int)
	for _, symbol := range distinct(symbols) {
		g.Symbols++
		before, _, ok := p.Place(symbol, false, from)
		after, _, _ := p.Place(symbol, false, to)
		if !ok {
			g.Spread++
		} else if before != after {
			g.Moves = append(g.Moves, Move{Symbol: symbol, From: before, To: after})
			left[before]++
		}
	}
	for partition := range from {
		if n := left[partition]; n > 0 {
			g.Stranded = append(g.Stranded, Stranded{Partition: partition, Symbols: n})
		}
	}
	return g, nil
}
