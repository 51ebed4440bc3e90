package engine

import (
	"fmt"
	"testing"
)

// placesOfSplit are the places that the only SYMBOL_SPLIT of a report names.
func placesOfSplit(t *testing.T, r *Report) (f Finding, counts map[int32]int64) {
	t.Helper()
	f, counts = one(t, r, SymbolSplit), map[int32]int64{}
	for _, p := range f.Evidence["partitions"].([]SymbolPlace) {
		counts[p.Partition] = p.Count
	}
	return f, counts
}

// keyed writes n ticks of a symbol to a partition, with that key.
func (f *fleet) keyed(symbol string, key []byte, partition int32, n int) {
	for range n {
		f.at += 1e6
		r := at(f.offsets[partition], f.at, symbol)
		f.offsets[partition]++
		r.tick.Key, r.partition = key, partition
		f.produce(r)
		f.step(int(partition))
		if f.at%7e6 == 0 {
			f.checkpoint(int(partition), true)
			f.restart(int(partition))
		}
	}
}

func TestTheLastCountsOfASplitAreExact(t *testing.T) {
	l := DefaultLimits()
	w := newFleet(t, 3, &l)
	key := []byte("AAPL")
	w.keyed("AAPL", key, 0, 120)
	w.keyed("AAPL", key, 1, 53)
	w.keyed("AAPL", nil, 1, 200) // no key, no place
	w.keyed("AAPL", nil, 2, 30)
	w.keyed("AAPL", key, 0, 114)
	f, counts := placesOfSplit(t, w.finish())
	if fmt.Sprint(counts) != "map[0:234 1:53]" || f.Count != 53 || f.Observed != 2 {
		t.Errorf("places %v, count %d, observed %v", counts, f.Count, f.Observed)
	}
}

func TestTheLastCountsOfSpellingsAreExact(t *testing.T) {
	l := DefaultLimits()
	w := newFleet(t, 3, &l)
	w.keyed("AAPL", []byte("AAPL"), 0, 53)
	w.keyed("aapl", []byte("aapl"), 1, 20)
	w.keyed("AAPL", []byte("AAPL"), 0, 4)
	f := one(t, w.finish(), KeyMismatch)
	if got := fmt.Sprint(f.Evidence["spellings"]); got != "[{AAPL 57} {aapl 20}]" {
		t.Errorf("spellings %s", got)
	}
}

// Ticks without a key are no load of their partition: KEY_MISSING tells them,
// and no other place for symbols helps.
func TestTicksWithoutAKeyAreNoSkew(t *testing.T) {
	l := DefaultLimits()
	l.PartitionSkewMin = 10
	w := newFleet(t, 3, &l)
	for i := range 12 {
		w.keyed(fmt.Sprintf("S%02d", i), []byte(fmt.Sprintf("S%02d", i)), int32(i%3), 20)
		w.keyed(fmt.Sprintf("S%02d", i), nil, 1, 100)
	}
	none(t, w.finish(), PartitionUnbalanced)
}
