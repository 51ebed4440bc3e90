package engine

import (
	"fmt"
	"maps"
)

// detectRedelivered judges ticks whose headers name their first place.
func detectRedelivered(p *Partition, s *symbol, t *Tick) {
	if t.Origin == nil {
		return
	}
	if p.fresh {
		p.both(func(c *Counts) { c.Duplicates++ })
	}
	name := fmt.Sprintf("%s/%d@%d", ShowBytes(t.Origin.Topic), t.Origin.Partition, t.Origin.Offset)
	p.fault(Redelivered, t, "", s.name, name, 0)
}

// ObserveAgain counts a record whose offset was judged already although the
// input is read once: a capture that holds it twice, or out of order. It is
// counted and told as REDELIVERED, and judges nothing else. now is as in
// Observe.
func (p *Partition) ObserveAgain(t *Tick, now int64) {
	p.fresh, p.again, p.changed = true, true, true
	at := p.timeOf(t, now)
	p.setClock(t, now, at)
	through := p.row.Window.Through
	if t.Item == 0 {
		p.advance(at)
	}
	p.count(t)
	p.row.Window.Through = max(through, p.row.Window.Through)
	p.both(func(c *Counts) { c.Duplicates++ })
	p.fault(Redelivered, t, "", string(t.Symbol), fmt.Sprintf("%s/%d@%d", p.topic, p.id, t.Offset), 0)
}

func describeRedelivered(p *Partition, e *Episode, f *Finding) {
	f.Observed, f.Threshold, f.Unit = float64(e.Count), 0, "records"
	f.Cause = fmt.Sprintf("%s on %s/%d, offsets %d to %d, came again: from places that the headers name, or with sequence numbers seen before",
		plural(e.Count, "tick"), p.topic, p.id, e.FirstOffset, e.LastOffset)
	f.Evidence["first_places"] = maps.Clone(e.Tally)
	f.Evidence["other_places"] = e.Beyond
}
