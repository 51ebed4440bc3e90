package codecs

import "github.com/auditstream/auditstream/engine"

// Plan reads the fields of ticks out of records of one schema. It is
// immutable, and total: bytes that are not the schema's give a reason.
type Plan interface {
	// Read checks the whole record. It finds the fields of its only tick, or
	// sets s.Several.
	Read(payload []byte, s *Scalars) engine.Reason
	// Next finds the fields of each of several ticks in turn, until it is false.
	// s is what Read was given.
	Next(s *Scalars) bool
}

// byPlan reads the ticks of records that have a plan.
type byPlan struct {
	meaning *Meaning
	found   Scalars
	plan    Plan // of the record that may have more ticks, nil: none
}

// read reads a record's first tick. A record that has no tick, since its array
// is empty, is ignored.
func (d *byPlan) read(p Plan, payload []byte, t *engine.Tick) {
	d.plan = nil
	if t.Reason = p.Read(payload, &d.found); t.Reason != engine.ReasonNone {
		return
	}
	if !d.found.Several {
		d.meaning.Fill(t, &d.found)
		return
	}
	if d.plan = p; !d.next(t) {
		t.Kind = engine.Ignored
	}
}

// next reads a further tick of the record.
func (d *byPlan) next(t *engine.Tick) bool {
	if d.plan == nil || !d.plan.Next(&d.found) {
		d.plan = nil
		return false
	}
	t.Kind, t.Reason, t.Symbol, t.EventTime, t.Unit = engine.Good, engine.ReasonNone, nil, 0, engine.UnitAuto
	d.meaning.Fill(t, &d.found)
	return true
}
