package engine

import (
	"fmt"
	"maps"
)

// detectKeyMissing judges good ticks with a null key.
func detectKeyMissing(p *Partition, t *Tick) {
	if t.Kind == Good && t.Key == nil && t.Item == 0 {
		name := ShowBytes(string(t.Symbol))
		p.fault(KeyMissing, t, "", string(t.Symbol), name, 0)
	}
}

func describeKeyMissing(p *Partition, e *Episode, f *Finding) {
	p.describeKeyless(e, f, "a null key")
}

// describeKeyless fills a finding about ticks without a usable key.
func (p *Partition) describeKeyless(e *Episode, f *Finding, what string) {
	f.Observed, f.Threshold, f.Unit = float64(e.Count), 0, "records"
	f.Cause = fmt.Sprintf("%s on %s/%d with %s, the first at offset %d (symbol %s)",
		plural(e.Count, "tick"), p.topic, p.id, what, e.FirstOffset, e.Symbol)
	f.Evidence["symbols"] = maps.Clone(e.Tally)
	f.Evidence["other_symbols"] = e.Beyond
}
