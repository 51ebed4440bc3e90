package engine

import (
	"math"
	"strconv"
)

const second = int64(1e9)

func newWindow(start int64) WindowState {
	return WindowState{Start: start, From: -1, Through: -1, MaxAge: NoTime}
}

// floor is the greatest multiple of step at or below t.
func floor(t, step int64) int64 {
	r := t % step
	if r < 0 {
		r += step
	}
	return t - r
}

// advance moves the partition's record time on to at: it closes windows that
// are over and sweeps at the last whole second passed.
func (p *Partition) advance(at int64) {
	p.mark = max(at, p.row.Watermark)
	if at == NoTime {
		return
	}
	if p.row.FirstTime == NoTime {
		p.row.FirstTime = at
	}
	w, step := &p.row.Window, int64(p.limits.ReportInterval)
	if p.period == NoTime || at < p.period || at >= p.period+step {
		p.period = floor(at, step) // nearly always the same as before, and divisions are slow
	}
	start := p.period
	switch {
	case w.Start == NoTime && start >= p.row.ClosedTo:
		w.Start = start
	case w.Start == NoTime:
		w.Start = p.row.ClosedTo
		p.both(func(c *Counts) { c.Late++ })
	case start > w.Start:
		p.closeWindow(start)
	case start < w.Start:
		p.both(func(c *Counts) { c.Late++ })
	}
	if at <= p.row.Watermark {
		return
	}
	if p.limits.MaxTickAge > 0 {
		p.begins(at)
	}
	p.row.Watermark = at
	if at < p.row.SweptTo+second {
		return
	}
	if sec := floor(at, second); sec > p.row.SweptTo {
		p.row.SweptTo = sec
		p.sweepSnapshots(sec)
		p.endEpisodes(sec, episodeQuiet)
		if !p.progress.live {
			p.sweepSilence(sec)
		}
	}
}

// advanceAgain moves the time of records that are read again because some
// symbol rows are older than the partition's: only symbols are judged by it.
// A symbol whose row is newer is not affected, as it has been seen later.
func (p *Partition) advanceAgain(at int64) {
	before := p.reread
	p.reread = max(at, before)
	p.mark = p.reread
	if sec := floor(p.reread, second); p.reread != NoTime && (before == NoTime || sec > before) {
		p.endQuietSymbols(sec, episodeQuiet)
		if !p.progress.live {
			p.sweepSilence(sec)
		}
	}
}

// Sweep tells a live partition the time, about once a second: what record
// times leave open on an idle partition is closed by the clock.
func (p *Partition) Sweep(now int64) {
	p.judgeBehind(now)
	if unsure := p.settleClock(now); unsure || !p.progress.live {
		return
	}
	step := int64(p.limits.ReportInterval)
	if w := &p.row.Window; w.Start == NoTime {
		w.Start = max(floor(now-idleGrace, step), p.row.ClosedTo)
		p.changed = true
	} else {
		p.closeByClock(now)
	}
	p.sweepSnapshots(now)
	p.endEpisodes(now, episodeQuiet+idleEpisode)
	if p.behind() > 0 {
		// A symbol's next tick may be among the records not read yet.
		now = min(now, p.row.Watermark)
	}
	p.sweepSilence(now)
}

// idleWindows bounds the windows that the clock closes at once, one by one.
const idleWindows = 16

// closeByClock closes the windows that the clock has passed. Nothing came for
// a while: where that is less than usual, it may yet come, from a producer or a
// broker that stands still.
func (p *Partition) closeByClock(now int64) {
	step := int64(p.limits.ReportInterval)
	for n := 0; p.row.Window.Start+step+idleGrace <= now; n++ {
		w := &p.row.Window
		missing, next := max(0, w.Usual-w.Keyed), w.Start+step
		if n == idleWindows {
			next = floor(now-idleGrace, step)
		}
		p.closeWindow(next)
		p.closed[len(p.closed)-1].Missing = missing
	}
}

// Close ends the input: it sweeps at now, which is NoTime or the greatest
// record time of the whole input, and closes the open window.
func (p *Partition) Close(now int64) {
	if now != NoTime && now > p.row.Watermark && !p.progress.live {
		p.row.Watermark = now
		p.endEpisodes(floor(now, second), episodeQuiet)
		p.sweepSilence(floor(now, second))
	}
	p.tellSnapshots()
	if p.row.Window.Start != NoTime || p.row.Window.Counts.Records > 0 {
		p.closeWindow(NoTime)
	}
	p.closingSightings()
	p.changed, p.relist, p.rankDue = true, math.MaxInt, true
}

// closeWindow writes the open window's report and opens the one at next.
func (p *Partition) closeWindow(next int64) {
	w := &p.row.Window
	cause := "window/" + strconv.FormatInt(w.Start, 10)
	if w.Start == NoTime {
		cause = "offset/" + strconv.FormatInt(w.From, 10)
	}
	r := p.report(TriggerInterval, cause)
	fs, total := p.open(p.limits.FindingsPerReport)
	r.list(fs, len(fs))
	r.FindingsTotal, r.FindingsTruncated = int64(total), total > len(fs)
	p.out = append(p.out, r)
	p.rankDue = true
	p.closed = append(p.closed, WindowLoad{
		Start: w.Start, Keyed: w.Keyed, Ticks: w.Counts.Ticks, Symbols: w.Symbols, Hot: w.Hot,
		HotN: w.HotN, MaxAge: w.MaxAge, Late: w.Counts.Late, Through: p.row.Through, Total: p.row.Counts,
	})
	if w.Start != NoTime {
		p.row.ClosedTo = w.Start + int64(p.limits.ReportInterval)
	}
	usual := max(w.Keyed, w.Usual*3/4)
	p.row.Window = newWindow(next)
	p.row.Window.Usual = usual
	p.changed, p.relist = true, max(p.relist, p.limits.FindingsPerReport)
}

// report is a PARTITION report of the open window.
func (p *Partition) report(trigger Trigger, cause string) *Report {
	w, l := &p.row.Window, p.limits
	r := l.newReport(p.topic, trigger)
	r.Scope = ScopePartition
	r.ID = reportID(p.topic, "PARTITION/"+p.idText, trigger.String(), cause)
	id := p.id
	r.Partition, r.Assigned, r.Partitions = &id, id, p.partitions
	r.WindowStart, r.WindowEnd = Time(w.Start), Time(NoTime)
	if w.Start != NoTime {
		r.WindowEnd = Time(w.Start + int64(l.ReportInterval))
	}
	r.Counts = w.Counts
	r.TotalTicks = w.Counts.Ticks
	r.Throughput = float64(w.Counts.Ticks) / l.ReportInterval.Seconds()
	r.PartitionTicks[p.idText] = w.Counts.Ticks
	r.Symbols = int64(len(p.symbols))
	for _, s := range p.rank() {
		r.SymbolsMap[s.Symbol] = p.id
	}
	for _, s := range p.ranked.late {
		r.OutOfOrder = append(r.OutOfOrder, s.Symbol)
	}
	r.OutOfOrderTotal = p.row.Disordered
	r.TimestampUnit = unitsText(p.row.Units)
	if w.From >= 0 {
		from, through := w.From, w.Through
		r.FromOffset, r.ThroughOffset = &from, &through
	}
	if l.MaxTickAge > 0 && w.MaxAge != NoTime {
		ms := millis(w.MaxAge)
		r.MaxTickAgeMs = &ms
	}
	r.Status = p.status()
	r.Notes = p.notes()
	return r
}

// notes says what the report cannot say.
func (p *Partition) notes() string {
	n := ""
	if p.limits.MaxTickAge == 0 {
		n += "age not judged: max.tick.age.ms is not set; "
	}
	if p.limits.UncommittedReads {
		n += "reads uncommitted records: those of aborted transactions are counted; "
	}
	if p.row.Cuts > 0 {
		n += "counts are not exact: the log was truncated below what had been read; "
	}
	n += "lag and skew are in the reports of TOPIC scope"
	return n
}

// unitsText lists the units in a bit set, such as "ms,us".
func unitsText(set uint8) string {
	s := ""
	for u := UnitNanos; u <= UnitRecord; u++ {
		if set&(1<<u) != 0 {
			if s != "" {
				s += ","
			}
			s += u.String()
		}
	}
	return s
}
