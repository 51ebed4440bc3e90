package demo

import (
	"time"

	"github.com/auditstream/auditstream/engine"
)

// Outcome is what became of one expectation of a fault.
type Outcome struct {
	Fault    *Fault
	Expect   Expectation
	Injected time.Time // zero: the fault was never on
	Found    time.Time // zero: not found
	Blamed   bool      // it was attributed as expected
	Resolved bool
	id       string
}

// ledger holds what was injected against what was found.
type ledger struct {
	outcomes []*Outcome
	harmless []*Fault
	others   []engine.Finding // at WARNING or above, and no fault brought them about
}

func newLedger(faults []*Fault) *ledger {
	l := new(ledger)
	for _, f := range faults {
		if len(f.Expect) == 0 {
			l.harmless = append(l.harmless, f)
		}
		for _, e := range f.Expect {
			l.outcomes = append(l.outcomes, &Outcome{Fault: f, Expect: e})
		}
	}
	return l
}

// injected notes that a fault has altered its first message.
func (l *ledger) injected(f *Fault, at time.Time) {
	for _, o := range l.outcomes {
		if o.Fault == f {
			o.Injected = at
		}
	}
}

// found notes an event of a finding. A finding that no fault accounts for, or
// that came before its fault, is one of the others.
func (l *ledger) found(f *engine.Finding, at time.Time) {
	for _, o := range l.outcomes {
		if o.id == f.ID && f.State == engine.Resolved {
			o.Resolved = true
		}
		if o.id == f.ID {
			return
		}
	}
	for _, o := range l.outcomes {
		if o.id == "" && !o.Injected.IsZero() && o.Expect.met(f) {
			o.id, o.Found, o.Blamed = f.ID, at, o.Expect.blamed(f)
			return
		}
	}
	if f.Severity < engine.Warning {
		return
	}
	for _, other := range l.others {
		if other.ID == f.ID {
			return
		}
	}
	l.others = append(l.others, *f)
}

// mentioned notes how a finding stands that a report lists: what it is
// attributed to is known only after some ticks.
func (l *ledger) mentioned(f *engine.Finding) {
	for _, o := range l.outcomes {
		if o.id == f.ID && o.id != "" {
			o.Blamed = o.Expect.blamed(f)
		}
	}
}

// foundAll says whether all that a fault must bring about was found.
func (l *ledger) foundAll(f *Fault) bool {
	for _, o := range l.outcomes {
		if o.Fault == f && o.Found.IsZero() {
			return false
		}
	}
	return true
}

// settled says whether every injected fault was found for what it is.
func (l *ledger) settled() bool {
	for _, o := range l.outcomes {
		if o.Found.IsZero() || !o.Blamed {
			return false
		}
	}
	return true
}
