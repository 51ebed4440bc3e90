package engine

import (
	"fmt"
	"maps"
)

// detectUnreadable judges values that cannot be decoded or have no symbol.
func detectUnreadable(p *Partition, t *Tick) {
	if t.Kind == Unreadable && !t.Reason.AboutSchema() || t.Kind == Unusable && !t.Reason.AboutTime() {
		p.fault(UnreadableValue, t, "", "", t.Reason.String(), 0)
	}
}

func describeUnreadable(p *Partition, e *Episode, f *Finding) {
	p.describeBad(e, f, "could not be decoded or had no usable symbol")
}

// describeBad fills a finding about values with counted reasons.
func (p *Partition) describeBad(e *Episode, f *Finding, what string) {
	f.Symbol = ""
	f.Observed, f.Threshold, f.Unit = float64(e.Count), 0, "records"
	f.Cause = fmt.Sprintf("%s on %s/%d that %s, the first at offset %d: %s",
		plural(e.Count, "value"), p.topic, p.id, what, e.FirstOffset, e.counted()[0].Symbol)
	f.Evidence["reasons"] = maps.Clone(e.Tally)
	f.Evidence["first_bytes"] = e.Note
}
