package engine

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// FinalID names the ends that a FINAL report rests on, so that it is written
// once whatever instance writes it.
func FinalID(ends map[int32]int64) string {
	s := ""
	for _, id := range slices.Sorted(maps.Keys(ends)) {
		s += fmt.Sprintf("%d:%d ", id, ends[id])
	}
	return stableID("final", s)
}

// Ended reports whether the FINAL report of that id has been written.
func (t *Topic) Ended(id string) bool { return t.state.Ended == id && id != "" }

// Final judges what waits for partitions that will not speak any more and
// appends the FINAL report: totals of everything and every finding as it
// stood last. id is that of FinalID.
func (t *Topic) Final(id string) *Report {
	t.ending = true
	t.judgePlaces()
	t.closeWindows(math.MaxInt64)
	t.judgeSkews(true)
	b := t.total()
	t.judgeTotal(b)
	r := t.totals(id, b)
	t.state.Ended = id
	t.changed["t"] = true
	t.out = append(t.out, r)
	return r
}

// Retold is the FINAL report of an end that was told before and is reached
// again, for whoever asks a second time. It judges and changes nothing.
func (t *Topic) Retold(id string) *Report {
	skew, known := t.skew, t.skewKnown
	defer func() { t.skew, t.skewKnown = skew, known }()
	b := t.total()
	t.skew, _, _, t.skewKnown = t.measure(b)
	return t.totals(id, b)
}

// totals is a report of everything, and every finding as it stands.
func (t *Topic) totals(id string, b *balance) *Report {
	r := t.report(TriggerFinal, id)
	r.list(t.findings(), t.limits.FindingsPerReport)
	t.count(r, func(p *TopicPart) *Counts { return &p.Stats.Counts })
	if r.Counts.Records == 0 {
		r.Notes = "no record was read: nothing could be judged; " + r.Notes
	}
	from, to := int64(NoTime), int64(NoTime)
	for _, p := range t.parts {
		if f := p.Stats.FirstTime; f != NoTime && (from == NoTime || f < from) {
			from = f
		}
		to = max(to, p.Stats.Watermark)
	}
	r.WindowStart, r.WindowEnd = Time(from), Time(to)
	if to > from && from != NoTime {
		r.Throughput = float64(r.TotalTicks) / (float64(to-from) / 1e9)
	}
	if t.limits.MaxTickAge > 0 && b.maxAge != NoTime {
		ms := millis(b.maxAge)
		r.MaxTickAgeMs = &ms
	}
	return r
}

// judgeTotal judges the load of everything. It opens a finding that no window
// has opened, but ends none: a topic can be unbalanced at times only.
func (t *Topic) judgeTotal(b *balance) {
	ratio, busiest, keyed, known := t.measure(b)
	t.skew, t.skewKnown = ratio, known
	if known && ratio > t.limits.PartitionSkew && t.find(subjectBalance) == nil {
		t.unbalanced(b, ratio, busiest, keyed)
	}
}

// total is the load of everything over all partitions.
func (t *Topic) total() *balance {
	// Over a growth the new partitions have had less time for their load.
	b := &balance{
		start: NoTime, end: math.MaxInt64, loads: make([]int64, t.state.Partitions), symbols: t.distinctSymbols(), maxAge: NoTime, grew: len(t.state.Growths) > 0,
	}
	for id, p := range t.parts {
		if int(id) >= len(b.loads) {
			continue
		}
		c := &p.Stats.Counts
		b.loads[id] = p.Stats.Keyed
		b.ticks += c.Ticks
		b.maxAge = max(b.maxAge, p.Stats.MaxAge)
		if b.start == NoTime || p.Stats.FirstTime != NoTime && p.Stats.FirstTime < b.start {
			b.start = p.Stats.FirstTime
		}
		top := t.ranksOf(id).Top
		for _, s := range top[:min(1, len(top))] {
			b.hot = append(b.hot, hotSymbol{s.Symbol, id, s.Count})
		}
	}
	return b
}
