package engine

import (
	"fmt"
	"maps"
)

// unitSpelled reports whether a unit is one that times are spelled in.
func (u Unit) spelled() bool { return u > UnitAuto && u < UnitRecord }

// detectUnitChanged judges a tick whose unit is not the one that its symbol
// was last known to have. The first unit of a partition, or the configured
// one, is that of every symbol that has no other. through is the offset of the
// symbol's tick before.
func (p *Partition) detectUnitChanged(s *symbol, t *Tick, through int64) {
	if !t.Unit.spelled() {
		return
	}
	if p.row.Unit == UnitAuto {
		p.row.Unit = t.Unit
		if p.limits.Unit.spelled() {
			p.row.Unit = p.limits.Unit
		}
	}
	before := s.unit
	if before == UnitAuto && (s.count > 1 || p.limits.Unit.spelled()) {
		before = p.row.Unit
	}
	s.unit = t.Unit
	if before == UnitAuto || before == t.Unit {
		return
	}
	p.unitChanged(s, t, before, through)
}

// unitChanged notes the change in the partition's finding. A symbol that has not
// ticked since another one changed in the same way, and that finding was told
// and is over, is part of that change.
func (p *Partition) unitChanged(s *symbol, t *Tick, before Unit, through int64) {
	kind := before.String() + " -> " + t.Unit.String()
	if e := p.episodes[TimestampUnitChanged]; p.row.UnitKind == kind && through < p.row.UnitOffset && (e == nil || p.row.Watermark-e.Step > episodeQuiet) {
		return
	}
	e, opened := p.note(TimestampUnitChanged, t, kind, s.name, ShowBytes(s.name), 0)
	if e == nil {
		return
	}
	if opened {
		p.row.UnitKind, p.row.UnitOffset = kind, t.Offset
	}
	if len(t.Producer) > 0 {
		e.also(ShowBytes(string(t.Producer)), p.limits.SpellingsPerEvidence)
	}
	p.tellOf(e, opened)
}

// resolution is how far apart the times are that a unit can tell apart; 0: not
// known.
func (u Unit) resolution() int64 {
	switch u {
	case UnitSeconds:
		return second
	case UnitMillis:
		return second / 1e3
	case UnitMicros:
		return second / 1e6
	}
	return 0
}

// coarse reports whether a tick lies behind by back only because its unit
// cannot say more: another producer spelled the time before it in a finer one.
func (p *Partition) coarse(t *Tick, back int64) bool {
	r, seen := t.Unit.resolution(), p.row.Units&^(1<<UnitRecord)
	if back >= r || seen&(seen-1) == 0 {
		return false
	}
	return floor(t.EventTime+back, r) == t.EventTime
}

func describeUnitChanged(p *Partition, e *Episode, f *Finding) {
	f.Observed, f.Threshold, f.Unit = float64(e.Count), 0, "changes"
	f.Cause = fmt.Sprintf("the unit of event times on %s/%d changed (%s) from offset %d on, %s: it concerns %s",
		p.topic, p.id, e.Kind, e.FirstOffset, plural(e.Count, "time"), p.concerned(e))
	f.Evidence["concerned"] = p.concerned(e)
	f.Evidence["symbols"], f.Evidence["other_symbols"] = maps.Clone(e.Tally), e.Beyond
	if len(e.Also) > 0 {
		f.Evidence["producers"] = maps.Clone(e.Also)
	}
}

// concerned is the smallest thing that explains where the unit changed.
func (p *Partition) concerned(e *Episode) string {
	if producers := len(p.fit.producers); len(e.Also) == 1 && producers > 1 {
		for name := range e.Also {
			return "producer " + name
		}
	}
	switch changed := len(e.Tally); {
	case e.Beyond > 0:
		return fmt.Sprintf("more than %d of %s", changed, plural(int64(len(p.symbols)), "symbol"))
	case changed == len(p.symbols):
		return "every symbol of the partition"
	case changed == 1:
		return "symbol " + e.Symbol
	default:
		return fmt.Sprintf("%d of %s", changed, plural(int64(len(p.symbols)), "symbol"))
	}
}
