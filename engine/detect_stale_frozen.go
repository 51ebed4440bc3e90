package engine

import "fmt"

// kindFrozen is a symbol whose ticks come with new times and old content.
const kindFrozen = "FROZEN"

func (p *Partition) openFrozen(i int32, s *symbol, u *pulse, offset, still, budget int64) {
	e := &Episode{
		Code: StaleTick, Kind: kindFrozen, Symbol: s.name, FirstOffset: u.from, LastOffset: offset,
		FirstTime: u.since, LastTime: s.lastSeen, Count: u.same, Worst: still, Least: budget, Step: s.lastSeen, Told: s.lastSeen,
	}
	p.frozen[i] = e
	p.tell(p.episodeFinding(e, Opened))
}

// endFrozen ends it by the first tick of other content, or by a halt.
func (p *Partition) endFrozen(i int32, e *Episode, t *Tick) {
	delete(p.frozen, i)
	u := p.pulseOf(i)
	e.Count, e.Worst = u.same, u.open(u.since, p.symbols[i].lastSeen)
	e.LastOffset, e.LastTime = t.Offset, p.recordTime(t)
	p.tell(p.episodeFinding(e, Resolved))
}

func describeFrozen(p *Partition, e *Episode, f *Finding) {
	still, count := e.Worst, e.Count
	if f.State == Updated { // it goes on
		i := p.number(e.Symbol)
		s, u := p.symbols[i], p.pulseOf(i)
		still, count = u.open(u.since, s.lastSeen), u.same
		f.LastOffset, f.LastTime, f.Count = s.through, Time(s.lastSeen), count
	}
	f.Observed, f.Threshold = millis(still), millis(e.Least)
	f.Cause = fmt.Sprintf("%s of symbol %s on %s/%d from offset %d on carry new times and the same content, for %s of open time",
		plural(count, "tick"), ShowBytes(e.Symbol), p.topic, p.id, e.FirstOffset, showDuration(still))
	f.Action = "Look at the producer: a cache or a poll that repeats the last value stamps it anew; compare with the venue's own price."
	f.Evidence["frozen_ns"] = still
	f.Evidence["ticks"] = count
}
