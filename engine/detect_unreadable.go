package engine

import (
	"fmt"
	"maps"
	"strings"
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
	f.Cause = fmt.Sprintf("%s on %s/%d that %s, the first at offset %d%s",
		plural(e.Count, "value"), p.topic, p.id, what, e.FirstOffset, e.reasons())
	f.Evidence["reasons"] = maps.Clone(e.Tally)
	f.Evidence["first_bytes"] = e.Note
}

// reasons tells why: of one reason its name, which is the first value's too, of
// several the most frequent ones with their counts.
func (e *Episode) reasons() string {
	const most = 4
	all := e.counted()
	if len(all) == 1 && e.Beyond == 0 {
		return ": " + all[0].Symbol
	}
	var b strings.Builder
	for i, r := range all[:min(most, len(all))] {
		b.WriteString([]string{"; reasons: ", ", "}[min(i, 1)])
		fmt.Fprintf(&b, "%s %d", r.Symbol, r.Count)
	}
	if len(all) > most || e.Beyond > 0 {
		b.WriteString(", …")
	}
	return b.String()
}
