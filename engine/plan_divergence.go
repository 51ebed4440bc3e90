package engine

import "errors"

// Divergence is a symbol that not all of the compared clients write to the
// same partition.
type Divergence struct {
	Symbol     []byte
	Partitions []int32 // one for each client, in their order; -1: not decided by the key
}

// PlanDivergence compares where clients write the same symbols in a topic of
// n partitions and returns those that differ, each once, in the order of first
// sight. A symbol that a client spreads whatever its key differs, even from
// another client that spreads it too: its ticks have no one partition. An
// error says that n is not positive or that there are no two clients.
func PlanDivergence(clients []Partitioner, symbols [][]byte, n int32) ([]Divergence, error) {
	if err := positivePartitions(n); err != nil {
		return nil, err
	}
	if len(clients) < 2 {
		return nil, errors.New("a comparison needs at least two clients")
	}
	var differing []Divergence
	for _, symbol := range distinct(symbols) {
		d := Divergence{Symbol: symbol}
		agree := true
		for _, client := range clients {
			partition, _, ok := client.Place(symbol, false, n)
			d.Partitions = append(d.Partitions, partition)
			agree = agree && ok && partition == d.Partitions[0]
		}
		if !agree {
			differing = append(differing, d)
		}
	}
	return differing, nil
}
