package processors

import (
	"errors"
	"fmt"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/engine"
)

// gate is the rebalance guard of a group: it says which records may still be
// judged while partitions come and go, and in the end whose offset was not
// committed. Partitions have their virtual numbers.
type gate struct {
	mu    sync.Mutex
	guard *engine.Guard // nil before the first partition
}

// lock gives the guard. It remembers no keys: a record is known by its offset.
func (g *gate) lock() (guard *engine.Guard, unlock func()) {
	g.mu.Lock()
	if g.guard == nil {
		g.guard = engine.NewGuard(0)
	}
	return g.guard, g.mu.Unlock
}

// assign opens the claim's partition where it reads next.
func (g *gate) assign(c *claim) {
	guard, unlock := g.lock()
	defer unlock()
	guard.Assign(c.generation, c.virtual, c.next)
}

// seek notes that the claim goes on elsewhere.
func (g *gate) seek(c *claim) {
	guard, unlock := g.lock()
	defer unlock()
	guard.Seek(c.generation, c.virtual, c.next)
}

// admit gives those of the records that may be judged.
func (g *gate) admit(c *claim, records []*kgo.Record) []*kgo.Record {
	if len(records) == 0 {
		return nil
	}
	guard, unlock := g.lock()
	from, a := guard.AdmitRun(c.generation, c.virtual, records[0].Offset, records[len(records)-1].Offset)
	unlock()
	if a != engine.Admitted {
		return nil
	}
	for records[0].Offset < from {
		records = records[1:]
	}
	return records
}

// revoke fences the claims, all of them before anything else happens.
func (g *gate) revoke(claims []*claim) {
	guard, unlock := g.lock()
	defer unlock()
	guard.Revoke(numbers(claims))
}

// settle ends the revocation. The error tells together whose offset is not
// committed: its owner reads again from the checkpoint before.
func (g *gate) settle(claims []*claim) error {
	guard, unlock := g.lock()
	defer unlock()
	for _, c := range claims {
		guard.Drained(c.virtual, c.unwritten())
	}
	_, err := guard.Settle()
	return err
}

// lose forgets the claims: they may be somebody else's by now.
func (g *gate) lose(claims []*claim) {
	guard, unlock := g.lock()
	defer unlock()
	guard.Lose(numbers(claims))
}

func numbers(claims []*claim) []int32 {
	ids := make([]int32, len(claims))
	for i, c := range claims {
		ids[i] = c.virtual
	}
	return ids
}

// unwritten tells what of the claim the last checkpoint has left out.
func (c *claim) unwritten() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.failed:
		return errors.New("its processing has failed")
	case c.next > c.committed && (c.committed >= 0 || c.next > c.start):
		return fmt.Errorf("offsets %d to %d are not durable", max(c.committed, c.start), c.next-1)
	}
	return nil
}
