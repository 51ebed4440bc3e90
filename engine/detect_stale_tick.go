package engine

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// The kinds of STALE_TICK, with FROZEN.
const (
	kindOld    = "OLD_TICK"
	kindSilent = "SILENT"
)

// silenceDue is when a symbol becomes silent, math.MaxInt64: never as it is.
func (p *Partition) silenceDue(i int32, s *symbol) (since, budget, due int64) {
	u := p.pulseOf(i)
	budget = p.silenceBudget(u)
	if budget == 0 || u.halted || u.ended {
		return 0, 0, math.MaxInt64
	}
	since = s.lastSeen
	if p.progress.live {
		since = max(since, p.progress.since)
	}
	return since, budget, u.after(since, budget)
}

// sweepSilence opens a silence for each symbol that has not ticked for longer
// than its budget of open time at time at, and ends those that have lasted too
// long. It looks at all symbols only when one of them can have become silent
// since the last look.
func (p *Partition) sweepSilence(at int64) {
	if !p.limits.judgesSilence() || at <= p.nextSilence {
		return
	}
	next := at + p.limits.leastSilence()
	var over []int32
	for i, s := range p.symbols {
		if s.lastSeen == NoTime || p.silences[int32(i)] != nil {
			continue
		}
		if _, _, due := p.silenceDue(int32(i), s); at > due {
			over = append(over, int32(i))
		} else {
			next = min(next, due)
		}
	}
	p.nextSilence = next
	slices.SortFunc(over, func(a, b int32) int {
		return cmp.Compare(p.symbols[a].through, p.symbols[b].through)
	})
	for _, i := range over {
		p.openSilence(i, p.symbols[i], at)
	}
	p.sweepEnded(at)
}

// sweepEnded ends the silences of symbols that trade no more, in the order of
// their offsets.
func (p *Partition) sweepEnded(at int64) {
	var over []int32
	for i, e := range p.silences {
		u := p.pulseOf(i)
		if at-e.FirstTime >= endedAfter && u.open(e.FirstTime, at) >= endedBudgets*e.Least {
			over = append(over, i)
		}
	}
	slices.SortFunc(over, func(a, b int32) int {
		return cmp.Compare(p.silences[a].FirstOffset, p.silences[b].FirstOffset)
	})
	for _, i := range over {
		e, u := p.silences[i], p.pulseOf(i)
		delete(p.silences, i)
		u.ended = true
		e.Worst, e.LastTime, e.Note = u.open(e.FirstTime, at), at, noteEnded
		p.markDirty(i)
		p.tell(p.episodeFinding(e, Resolved))
	}
}

// noteEnded marks a silence that is over because its symbol is.
const noteEnded = "ended"

func (p *Partition) openSilence(i int32, s *symbol, at int64) {
	u := p.pulseOf(i)
	e := &Episode{
		Code: StaleTick, Kind: kindSilent, Symbol: s.name, FirstOffset: s.through, LastOffset: s.through,
		FirstTime: s.lastSeen, LastTime: s.lastSeen, Count: 1, Worst: u.open(s.lastSeen, at), Least: p.silenceBudget(u), Step: at, Told: at,
	}
	p.silences[i] = e
	p.markDirty(i)
	p.tell(p.episodeFinding(e, Opened))
}

// endSilence ends a symbol's silence by its next tick.
func (p *Partition) endSilence(i int32, e *Episode, t *Tick) {
	delete(p.silences, i)
	e.Worst = max(e.Worst, p.pulseOf(i).open(e.FirstTime, p.symbols[i].lastSeen))
	e.LastOffset, e.LastTime = t.Offset, p.recordTime(t)
	p.tell(p.episodeFinding(e, Resolved))
}

func describeStaleTick(p *Partition, e *Episode, f *Finding) {
	f.Observed, f.Unit = millis(e.Worst), "ms"
	switch e.Kind {
	case kindSilent:
		describeSilent(p, e, f)
		return
	case kindFrozen:
		describeFrozen(p, e, f)
		return
	}
	describeOld(p, e, f)
}

func describeSilent(p *Partition, e *Episode, f *Finding) {
	silent, u := e.Worst, p.pulseOf(p.number(e.Symbol))
	if f.State == Updated && p.row.Watermark != NoTime {
		silent = max(silent, u.open(e.FirstTime, p.row.Watermark)) // it goes on
	}
	f.Observed, f.Threshold = millis(silent), millis(e.Least)
	of := ""
	if u.hours != nil {
		of = " of open time"
	}
	f.Cause = fmt.Sprintf("symbol %s on %s/%d is silent: its last tick is at offset %d, and %s%s passed without one",
		ShowBytes(e.Symbol), p.topic, p.id, e.FirstOffset, showDuration(silent), of)
	f.Action = "Check the feed's subscription of this symbol and whether it still trades; other symbols of the partition tell whether the feed itself is up."
	f.Evidence["silent_ns"] = silent
	f.Evidence["judged_by"] = p.judgedBy()
	if p.limits.AutoSilence {
		f.Evidence["usual_gap_ns"] = int64(u.gaps.usual())
	}
	if e.Note == noteEnded {
		f.Evidence["ended"] = true
		f.Cause += "; it is taken to have ended, and a next tick starts anew"
		f.Action = "Nothing, where the symbol was renamed or delisted; otherwise check the feed's subscription of it."
	}
}

// judgedBy names the clock that ages and silences were held against last.
func (p *Partition) judgedBy() string {
	switch {
	case p.limits.Now != NoTime:
		return "given_now"
	case p.progress.live || p.byWall:
		return "wall_clock"
	}
	return "record_time"
}
