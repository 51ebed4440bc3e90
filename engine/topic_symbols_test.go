package engine

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// A symbol counts once, whatever its partitions: split, moved by growth, with
// and without keys; as a batch of the same ticks counts it.
func TestEachSymbolCountsOnce(t *testing.T) {
	for seed := range uint64(8) {
		random := rand.New(rand.NewPCG(5, seed))
		l := DefaultLimits()
		l.Replay = seed%2 == 0
		w := newWorld(t, 3, &l)
		symbols := map[string]bool{}
		offsets := make([]int64, 8)
		if !l.Replay {
			w.topic.HasPartitions(3, 0, 0)
		}
		for i := range int64(200) {
			if i == 120 && seed%3 == 0 {
				w.grow(8)
			}
			name := fmt.Sprintf("S%02d", random.IntN(30))
			id := random.IntN(len(w.parts))
			if random.IntN(3) > 0 {
				id = int(HashMurmur2.Partition([]byte(name), int32(len(w.parts))))
			}
			r := at(offsets[id], i*1e8, name)
			r.partition = int32(id)
			offsets[id]++
			switch random.IntN(6) {
			case 0:
				r.tick.Key = nil
			case 1:
				r.tick.Key = []byte{}
			case 2:
				r.tick.Origin = &Place{"ticks", 0, 0}
			case 3:
				r.tick.Key = []byte("other")
			}
			symbols[name] = true
			w.produce(r)
			w.step(id)
			switch random.IntN(12) {
			case 0:
				w.checkpoint(id, true)
			case 1:
				w.checkpoint(id, true)
				w.restart(id)
			case 2:
				w.restart(id) // what came after the last checkpoint is read again
			case 3:
				w.parts[id].Return(w.parts[id].Snapshot())
			}
		}
		for id := range w.parts { // what was read last may be gone by a restart
			for w.step(id) {
			}
		}
		if final := w.finish(); final.Symbols != int64(len(symbols)) {
			t.Errorf("seed %d: %d symbols, want %d", seed, final.Symbols, len(symbols))
		}
	}
}

// A window with fewer symbols than partitions is no skew, however many
// partitions each lies on.
func TestASplitSymbolIsNoSecondOneOfAWindow(t *testing.T) {
	l := DefaultLimits()
	l.PartitionSkewMin = 10
	w := newFleet(t, 4, &l)
	for i := range 60 {
		w.send([]string{"QXA", "QXB"}[i%2], int32(i%2*2+i/2%2))
		w.send("QXA", 0)
		w.send("QXA", 0)
	}
	for id := range w.parts {
		w.checkpoint(id, true)
	}
	final := w.finish()
	none(t, final, PartitionUnbalanced)
	if final.SkewApplicable || final.Symbols != 2 {
		t.Errorf("judged %v, %d symbols", final.SkewApplicable, final.Symbols)
	}
}
