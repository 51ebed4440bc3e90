package engine

import (
	"fmt"
	"maps"
)

// sequenceGap notes numbers that are missing in front of the tick.
func (p *Partition) sequenceGap(s *symbol, t *Tick, venue string, gap Span) {
	if p.fresh {
		p.both(func(c *Counts) { c.SequenceGaps++ })
	}
	e := p.currentEpisode(p.gaps)
	if e == nil {
		e = &Episode{
			Code: SequenceGap, Symbol: s.name, FirstOffset: t.Offset, FirstTime: p.recordTime(t), WorstOffset: t.Offset,
		}
	}
	name := gap.String()
	if venue != "" {
		name = ShowBytes(venue) + " " + name
	}
	e.Count++
	e.Worst = plus(e.Worst, gap.length())
	e.tallyOf(name, p.limits.SpellingsPerEvidence, gap.length())
	p.symbolFault(p.gaps, e, t)
}

// filled notes that missing numbers came after all. The gap is over when none
// is missing any more.
func (p *Partition) filled(n *NumberRow, first, last int64) {
	e := p.gaps[p.current]
	if e == nil {
		return
	}
	e.Least = min(plus(e.Least, Span{first, last}.length()), e.Worst)
	if e.Least == e.Worst && len(n.Missing) == 0 {
		p.endSymbolEpisode(p.gaps, p.current)
	}
}

func describeSequenceGap(p *Partition, e *Episode, f *Finding) {
	f.Observed, f.Threshold, f.Unit = float64(e.Worst), 0, "numbers"
	f.Cause = fmt.Sprintf("%s of %s on %s/%d missing before offsets %d to %d, in %s: the feed or the producer dropped them, or they were never sent",
		plural(e.Worst, "sequence number"), ShowBytes(e.Symbol), p.topic, p.id, e.FirstOffset, e.LastOffset, plural(e.Count, "gap"))
	if e.Least > 0 {
		f.Cause += fmt.Sprintf("; %s came later, out of order", plural(e.Least, "number"))
	}
	f.Evidence["missing"], f.Evidence["missing_ranges"] = e.Worst, maps.Clone(e.Tally)
	f.Evidence["missing_in_other_ranges"], f.Evidence["came_later"] = e.Beyond, e.Least
	var repeats, resets int64
	for _, st := range p.streams[p.number(e.Symbol)] {
		repeats += st.numbers.Repeats
		resets += st.numbers.Resets
	}
	f.Evidence["repeats"], f.Evidence["resets"] = repeats, resets
	if p.row.Shared.is() {
		f.Evidence["shared_counter"] = true
		f.Cause += "; the numbers of different symbols ascend together, so the feed counts all of them with one counter, and a symbol's own numbers have gaps by design"
		f.Action = "Unset field.sequence, or name the venue in sequence.filtered.venues; gaps of a counter that symbols share cannot be told on a topic that is partitioned by symbol."
	}
}
