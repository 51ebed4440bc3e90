package engine

import (
	"fmt"
	"testing"
)

// Every symbol is found by its name and no other is, whatever hashes they
// have: names of one hash, names beside each other, and around the end.
func TestSymbolIndex(t *testing.T) {
	t.Parallel()
	x := newSymbolIndex()
	var symbols []*symbol
	for n := range 20_000 {
		name := fmt.Sprint("Q", n)
		if i, held := x.find([]byte(name), symbols); held {
			t.Fatalf("%s is held as %d before it was added", name, i)
		}
		symbols = append(symbols, &symbol{name: name})
		x.add(name, int32(n))
	}
	for n, s := range symbols {
		if i, held := x.find([]byte(s.name), symbols); !held || i != int32(n) {
			t.Fatalf("%s: %d, %v", s.name, i, held)
		}
	}
	if empty := len(x.slots) - x.used; empty*4 < len(x.slots) {
		t.Errorf("%d of %d slots are empty: a name that is not held is looked for long", empty, len(x.slots))
	}

	// The same hash for all, which begins at the last slot.
	x, symbols = newSymbolIndex(), nil
	for n := range 6 {
		name := fmt.Sprint("same", n)
		symbols = append(symbols, &symbol{name: name})
		x.put(symbolSlot{uint32(len(x.slots) - 1), int32(n + 1)})
	}
	for n := range symbols {
		if at := (len(x.slots) - 1 + n) % len(x.slots); x.slots[at].next != int32(n+1) {
			t.Errorf("slot %d is of symbol %d, not %d", at, x.slots[at].next-1, n)
		}
	}
}
