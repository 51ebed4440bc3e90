package demo

import (
	"fmt"
	"strings"
	"time"

	"github.com/auditstream/auditstream/engine"
)

// entry is a fault that can be asked for, and how long it is on.
type entry struct {
	fault func() *Fault
	takes time.Duration // 0: until the market closes
}

// catalog are the faults of a market that speaks a format.
func catalog(f *Format) []entry {
	of := func(fault func(*Format) *Fault) func() *Fault {
		return func() *Fault { return fault(f) }
	}
	return []entry{
		{garbage, 2 * time.Second},
		{of(strayFormat), 3 * time.Second},
		{disorder, 3 * time.Second},
		{skewedClock, 3 * time.Second},
		{of(venueClock), 3 * time.Second},
		{stalledSymbol, 10 * time.Second},
		{crc32Producer, 0},
		{hotSymbol, 9 * time.Second},
		{sequenceGap, 3 * time.Second},
		{unitChange, 3 * time.Second},
		{frozenSymbol, 10 * time.Second},
		{haltedSymbol, 10 * time.Second},
		{backfill, 2 * time.Second},
	}
}

// Faults are all faults that [Pick] knows.
func Faults(f *Format) (all []*Fault) {
	for _, e := range catalog(f) {
		all = append(all, e.fault())
	}
	return all
}

// ID is the fault's name as one word, such as hot-symbol.
func (f *Fault) ID() string { return strings.ReplaceAll(f.Name, " ", "-") }

// Pick is a schedule of the faults with these IDs, one beginning every 3 s in
// the order given, but for a second clock fault: two within 10 s are one finding.
// The error names the first that there is not.
func Pick(format *Format, ids []string) (Schedule, error) {
	const (
		lead  = 3 * time.Second  // between the beginnings of two faults
		after = 12 * time.Second // for the last to be found, and to resolve
		apart = 11 * time.Second // of two clock faults
	)
	var s Schedule
	seen := map[string]bool{}
	from := time.Duration(0)
	skewed := time.Duration(0) // end of the last clock fault
	for _, id := range ids {
		e, ok := find(format, id)
		if !ok || seen[id] {
			return s, fmt.Errorf("fault %q: there is none of that name, or it is named twice", id)
		}
		seen[id] = true
		from += lead
		fault, until := e.fault(), time.Duration(0)
		if len(fault.Expect) > 0 && fault.Expect[0].Code == engine.ClockSkew {
			if skewed > 0 {
				from = max(from, skewed+apart)
			}
			skewed = from + e.takes
		}
		if e.takes > 0 {
			until = from + e.takes
		}
		s.Faults = append(s.Faults, fault.window(from, until))
		s.Length = max(s.Length, from+e.takes+after)
	}
	return s, nil
}

func find(f *Format, id string) (entry, bool) {
	for _, e := range catalog(f) {
		if e.fault().ID() == id {
			return e, true
		}
	}
	return entry{}, false
}
