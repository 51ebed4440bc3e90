package engine

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// maxWindows bounds the windows that wait for a partition that lags.
const maxWindows = 20_000

// addWindow notes a closed window of a partition, once. One that the topic
// has closed without it only moves the partition's totals on.
func (t *Topic) addWindow(p *TopicPart, id int32, w *WindowLoad) {
	if w.Start == NoTime || w.Start <= p.Last {
		return
	}
	p.Last = w.Start
	if w.Start <= t.state.ClosedTo {
		p.Closed = w.Total
		return
	}
	tw := t.windows[w.Start]
	if tw == nil {
		tw = &TopicWindow{Start: w.Start, Loads: map[int32]*WindowLoad{}, TopicID: t.state.TopicID}
		t.windows[w.Start] = tw
	}
	c := *w
	tw.Loads[id] = &c
	t.changed[windowKey(w.Start)] = true
}

// closeWindows judges and reports each window that starts before passed, in
// order; beyond maxWindows the oldest does not wait any longer.
func (t *Topic) closeWindows(passed int64) {
	if len(t.windows) == 0 || passed == NoTime && len(t.windows) <= maxWindows {
		return
	}
	starts := slices.Sorted(maps.Keys(t.windows))
	for i, start := range starts {
		if start >= passed && len(starts)-i <= maxWindows {
			return
		}
		t.closeWindow(t.windows[start], start < passed)
	}
}

// closeWindow reports a window. One that is not whole, because a partition
// has not come to it yet, is not judged: its loads are no skew.
func (t *Topic) closeWindow(w *TopicWindow, whole bool) {
	delete(t.windows, w.Start)
	t.state.ClosedTo = w.Start
	t.changed[windowKey(w.Start)], t.changed["t"] = true, true
	l := t.load(w)
	for id, pl := range w.Loads {
		t.part(id).Closed = pl.Total
		t.changed[partKey(id)] = true
	}
	t.skew, t.skewKnown = 0, false
	if whole {
		t.asOf(l)
		t.judgeBalance(l)
	}
	t.settleRecreated()
	r := t.report(TriggerInterval, "window/"+strconv.FormatInt(w.Start, 10))
	r.WindowStart, r.WindowEnd = Time(w.Start), Time(w.Start+int64(t.limits.ReportInterval))
	r.Throughput = float64(l.ticks) / t.limits.ReportInterval.Seconds()
	if t.limits.MaxTickAge > 0 && l.maxAge != NoTime {
		ms := millis(l.maxAge)
		r.MaxTickAgeMs = &ms
	}
	t.count(r, func(p *TopicPart) *Counts { return &p.Closed })
	r.list(t.findings(), t.limits.FindingsPerReport)
	t.out = append(t.out, r)
}

// load is the load of one window over all partitions.
func (t *Topic) load(w *TopicWindow) *balance {
	b := &balance{start: w.Start, end: w.Start + int64(t.limits.ReportInterval), loads: make([]int64, t.state.Partitions), maxAge: NoTime, late: map[int32]int64{}}
	for id, l := range w.Loads {
		if int(id) >= len(b.loads) {
			continue
		}
		b.loads[id] = l.Keyed
		b.ticks += l.Ticks
		b.symbols += l.Symbols
		b.maxAge = max(b.maxAge, l.MaxAge)
		b.missing += l.Missing
		b.late[id] = l.Late
		if l.HotN > 0 {
			b.hot = append(b.hot, hotSymbol{l.Hot, id, l.HotN})
		}
	}
	b.symbols -= t.countedTwice(w)
	return b
}

// report is a TOPIC report with everything but its window, counts and findings.
func (t *Topic) report(trigger Trigger, cause string) *Report {
	r := t.limits.newReport(t.name, trigger)
	r.ID = reportID(t.name, "TOPIC", trigger.String(), cause)
	r.Partitions = t.state.Partitions
	r.MaxLagTicks, r.LaggingID = t.maxLag, t.lagging
	r.SkewRatio, r.SkewApplicable = t.skew, t.skewKnown
	r.Partitioner = t.partitioner()
	r.Notes = t.notes()
	r.Status = t.status()
	return r
}

// placedLoad is a symbol's count on one partition.
type placedLoad struct {
	SymbolLoad
	partition int32
}

// count fills a report's totals from each partition's counts.
func (t *Topic) count(r *Report, of func(*TopicPart) *Counts) {
	var busy []placedLoad
	late := map[string]int64{}
	var units uint8
	loaded := 0
	for id := range t.state.Partitions {
		r.PartitionTicks[strconv.Itoa(int(id))] = 0
	}
	for _, id := range slices.Sorted(maps.Keys(t.parts)) {
		p := t.parts[id]
		c := of(p)
		r.Counts.Add(c)
		r.PartitionTicks[strconv.Itoa(int(id))] = c.Ticks
		r.OutOfOrderTotal += p.Stats.Disordered
		units |= p.Stats.Units
		if c.Ticks > 0 {
			loaded++
			r.Assigned = id
		}
		ranks := t.ranksOf(id)
		for _, s := range ranks.Top {
			busy = append(busy, placedLoad{s, id})
		}
		for _, s := range ranks.Late {
			late[s.Symbol] += s.Count
		}
	}
	if loaded != 1 {
		r.Assigned = -1
	}
	r.TotalTicks, r.Symbols = r.Counts.Ticks, t.distinctSymbols()
	r.TimestampUnit = unitsText(units)
	slices.SortFunc(busy, func(a, b placedLoad) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Symbol, b.Symbol), cmp.Compare(a.partition, b.partition))
	})
	for _, s := range busy {
		if _, ok := r.SymbolsMap[s.Symbol]; !ok && len(r.SymbolsMap) < t.limits.SymbolsPerReport {
			r.SymbolsMap[s.Symbol] = s.partition
		}
	}
	var worst []SymbolLoad
	for s, n := range late {
		worst = rank(worst, s, n, t.limits.SymbolsPerReport)
	}
	for _, s := range worst {
		r.OutOfOrder = append(r.OutOfOrder, s.Symbol)
	}
}

// notes says what the report cannot say.
func (t *Topic) notes() string {
	n := ""
	if t.limits.MaxTickAge == 0 {
		n += "age not judged: max.tick.age.ms is not set; "
	}
	if t.maxLag == nil {
		n += "lag unknown: no watched group's offsets are known; "
	}
	if t.unknown != "" {
		n += t.unknown + "; "
	}
	if !t.skewKnown {
		n += "skew not judged: fewer symbols than partitions, too few ticks with a key, ticks that may yet come, or a topic that has grown; "
	}
	if t.limits.UncommittedReads {
		n += "reads uncommitted records: those of aborted transactions are counted; "
	}
	for _, id := range slices.Sorted(maps.Keys(t.parts)) {
		if t.parts[id].Stats.Cuts > 0 {
			n += fmt.Sprintf("counts of partition %d are not exact: its log was truncated below what had been read; ", id)
		}
	}
	return n + t.partitionerNote()
}
