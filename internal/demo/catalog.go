package demo

import (
	"fmt"
	"strings"
	"time"
)

// entry is a fault that can be asked for, and how long it is on.
type entry struct {
	fault func() *Fault
	takes time.Duration // 0: until the market closes
}

var catalog = []entry{
	{garbage, 2 * time.Second},
	{disorder, 3 * time.Second},
	{skewedClock, 3 * time.Second},
	{stalledSymbol, 10 * time.Second},
	{crc32Producer, 0},
	{hotSymbol, 9 * time.Second},
	{sequenceGap, 3 * time.Second},
	{unitChange, 3 * time.Second},
	{frozenSymbol, 10 * time.Second},
	{haltedSymbol, 10 * time.Second},
	{backfill, 2 * time.Second},
}

// Faults are all faults that [Pick] knows.
func Faults() (all []*Fault) {
	for _, e := range catalog {
		all = append(all, e.fault())
	}
	return all
}

// ID is the fault's name as one word, such as hot-symbol.
func (f *Fault) ID() string { return strings.ReplaceAll(f.Name, " ", "-") }

// Pick is a schedule of the faults with these IDs, one beginning every 3 s in
// the order given. The error names the first that there is not.
func Pick(ids []string) (Schedule, error) {
	const (
		lead  = 3 * time.Second  // between the beginnings of two faults
		after = 12 * time.Second // for the last to be found, and to resolve
	)
	var s Schedule
	seen := map[string]bool{}
	for i, id := range ids {
		e, ok := find(id)
		if !ok || seen[id] {
			return s, fmt.Errorf("fault %q: there is none of that name, or it is named twice", id)
		}
		seen[id] = true
		from, until := time.Duration(i+1)*lead, time.Duration(0)
		if e.takes > 0 {
			until = from + e.takes
		}
		s.Faults = append(s.Faults, e.fault().window(from, until))
		s.Length = max(s.Length, from+e.takes+after)
	}
	return s, nil
}

func find(id string) (entry, bool) {
	for _, e := range catalog {
		if e.fault().ID() == id {
			return e, true
		}
	}
	return entry{}, false
}
