package engine

import (
	"math"
	mathbits "math/bits"
	"time"
)

// pulse is what the staleness of a symbol rests on beside the time of its
// last tick. It is kept only where silence is judged.
type pulse struct {
	hours  Hours // nil: always open
	halted bool  // a record has told of a halt, and none of its end
	ended  bool  // silent for so long that it is over

	content   uint64 // of the last tick, 0: none is known
	same      int64  // ticks of that content
	from      int64  // offset of the first of them
	since     int64  // when that was seen
	event     int64  // and its event time
	ticked    int64  // second of the last tick that is in gaps
	changed   int64  // the same for changes
	gaps      pace   // between seconds with a tick
	changes   pace   // between seconds with a change of content
	haveTimes bool   // ticked and changed are set
}

const (
	// endedAfter is the silence after which a symbol is taken to trade no more:
	// longer than any market is closed.
	endedAfter = 7 * 24 * 3600 * second
	// endedBudgets is how many of its budgets such a silence has at least, in
	// open time.
	endedBudgets = 10
	// frozenTicks is how many ticks show at least that content stands still.
	frozenTicks = 3
	// autoLeast is the least budget made from a symbol's own rate.
	autoLeast = 10 * time.Second
	// autoFactor is the budget in terms of the longest usual gap.
	autoFactor = 4
	// paceNeeds is how many gaps a rate is made from at least.
	paceNeeds = 16
)

// pace counts the gaps of a symbol by their length in seconds of open time,
// bin i holding those of 2^(i-1) up to 2^i. Bursts do not count: it is fed
// once a second at most. Old gaps fade, since all bins are halved when one is
// full.
type pace [PaceBins]uint16

// PaceBins is how many bins a rate in a [PulseRow] has at most: up to 24 days.
const PaceBins = 22

// paceFull is the count at which all bins are halved.
const paceFull = 4096

func (c *pace) add(open time.Duration) {
	i := min(mathbits.Len64(uint64(open/time.Second)), PaceBins-1)
	if c[i]++; c[i] >= paceFull {
		for k := range c {
			c[k] /= 2
		}
	}
}

// usual is the longest gap that is usual: the upper edge of the bin that
// remains when the longest gaps, one and each 512th, are left out, so that an
// outage does not count. It is 0 while there are too few.
func (c *pace) usual() time.Duration {
	n := 0
	for _, k := range c {
		n += int(k)
	}
	if n < paceNeeds {
		return 0
	}
	for i, above := PaceBins-1, 0; i >= 0; i-- {
		if above += int(c[i]); above > 1+n/512 {
			return time.Second << i
		}
	}
	return 0
}

// budget is how long the symbol may be without, 0: that is not known.
func (c *pace) budget() time.Duration {
	usual := c.usual()
	if usual == 0 {
		return 0
	}
	return max(autoLeast, autoFactor*usual)
}

// judgesSilence reports whether the silence of symbols is judged at all.
func (l *Limits) judgesSilence() bool { return l.MaxSymbolSilence > 0 || l.AutoSilence }

// leastSilence is the least budget that a symbol can have.
func (l *Limits) leastSilence() int64 {
	if l.AutoSilence {
		return int64(autoLeast)
	}
	return int64(l.MaxSymbolSilence)
}

// pulseOf is the pulse of a symbol, made on first use.
func (p *Partition) pulseOf(i int32) *pulse {
	for len(p.pulses) <= int(i) {
		u := pulse{since: NoTime, event: NoTime}
		if c := p.limits.Calendar; c != nil {
			u.hours = c.Hours(p.symbols[len(p.pulses)].name)
		}
		p.pulses = append(p.pulses, u)
	}
	return &p.pulses[i]
}

// open is the open time between two instants.
func (u *pulse) open(from, to int64) int64 {
	if u.hours == nil || to <= from {
		return max(0, to-from)
	}
	return int64(u.hours.Open(from, to))
}

// after is when so much open time has passed since from.
func (u *pulse) after(from, open int64) int64 {
	switch {
	case u.hours != nil:
		return u.hours.After(from, time.Duration(open))
	case open > math.MaxInt64-from:
		return math.MaxInt64
	}
	return from + open
}

// silenceBudget is how long a symbol may be silent in open time, 0: not known.
func (p *Partition) silenceBudget(u *pulse) int64 {
	if p.limits.AutoSilence {
		return int64(u.gaps.budget())
	}
	return int64(p.limits.MaxSymbolSilence)
}

// frozenBudget is how long its content may stand still.
func (p *Partition) frozenBudget(u *pulse) int64 {
	if p.limits.AutoSilence {
		return int64(u.changes.budget())
	}
	return int64(p.limits.MaxSymbolSilence)
}

// beat notes a tick in the pulse of its symbol. The symbol has been seen at
// s.lastSeen.
func (p *Partition) beat(s *symbol, t *Tick) {
	u := p.pulseOf(p.current)
	if u.ended {
		*u = pulse{hours: u.hours, since: NoTime, event: NoTime}
	}
	switch t.Halt {
	case Halted:
		u.halted = true
	case Resumed:
		u.halted = false
	}
	sec := floor(s.lastSeen, second)
	if p.limits.AutoSilence && (!u.haveTimes || sec > u.ticked) {
		if u.haveTimes {
			u.gaps.add(time.Duration(u.open(u.ticked, sec)))
		} else {
			u.changed, u.haveTimes = sec, true
		}
		u.ticked = sec
	}
	if t.Content != 0 {
		p.content(s, u, t, sec)
	}
}

// content judges whether the content of a symbol's ticks stands still while
// their time goes on.
func (p *Partition) content(s *symbol, u *pulse, t *Tick, sec int64) {
	if t.Content != u.content || u.halted {
		if e := p.frozen[p.current]; e != nil {
			p.endFrozen(p.current, e, t)
		}
		if p.limits.AutoSilence && u.content != 0 && sec > u.changed {
			u.changes.add(time.Duration(u.open(u.changed, sec)))
			u.changed = sec
		}
		u.content, u.same, u.from, u.since, u.event = t.Content, 1, t.Offset, s.lastSeen, t.EventTime
		return
	}
	u.same++
	if p.frozen[p.current] != nil {
		return
	}
	budget := p.frozenBudget(u)
	if budget == 0 || u.same < frozenTicks || t.EventTime <= u.event || s.lastSeen-u.since <= budget {
		return
	}
	if still := u.open(u.since, s.lastSeen); still > budget {
		p.openFrozen(p.current, s, u, t.Offset, still, budget)
	}
}
