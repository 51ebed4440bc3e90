package view

import "github.com/auditstream/auditstream/engine"

// Tracker tells the events in a run of reports apart from mere mentions: an
// interval report lists every open finding again, and a subscriber that starts
// in the middle first meets a finding in such a list. The zero value is ready.
type Tracker struct {
	known map[string]told
}

type told struct {
	state engine.State
	count int64
}

// trackedMost bounds the memory of findings; beyond it what is known is
// forgotten, and the worst that follows is that an open finding is told again.
const trackedMost = 100_000

// Events gives the findings of r that were not told before as they are now: a
// finding met for the first time, one that has changed its state, and one to
// which an update of its own, or the end of a run, brings a higher count.
func (t *Tracker) Events(r *engine.Report) []engine.Finding {
	if t.known == nil || len(t.known) > trackedMost {
		t.known = map[string]told{}
	}
	var events []engine.Finding
	event := r.Trigger == engine.TriggerFinding // otherwise a mention
	last := r.Trigger == engine.TriggerFinal    // which is the last word on what stays open
	for _, f := range r.Findings {
		before, seen := t.known[f.ID]
		switch {
		case !seen && f.State == engine.Resolved && !event:
			continue // over before the subscriber came
		case seen && before.state == engine.Resolved:
			continue // repeated after a crash without transactions
		case seen && f.State == engine.Opened:
			continue // a mention of how it opened, or a repeat
		case seen && f.State == engine.Updated && !((event || last) && f.Count > before.count):
			continue
		}
		t.known[f.ID] = told{f.State, f.Count}
		events = append(events, f)
	}
	return events
}
