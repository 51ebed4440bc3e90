package engine

import (
	"bytes"
	"fmt"
	"maps"
)

// detectKeyMismatch judges ticks whose key does not spell their symbol.
func detectKeyMismatch(p *Partition, s *symbol, t *Tick) {
	if len(t.Key) == 0 || bytes.Equal(t.Key, t.Symbol) {
		return
	}
	if p.limits.NormalizeUpper && bytes.Equal(bytes.ToUpper(bytes.TrimSpace(t.Key)), t.Symbol) {
		return
	}
	if p.fresh {
		p.both(func(c *Counts) { c.KeyDiffers++ })
	}
	name := "key " + firstBytes(t.Key) + ", symbol " + firstBytes(t.Symbol)
	p.fault(KeyMismatch, t, "", s.name, name, 0)
}

func describeKeyMismatch(p *Partition, e *Episode, f *Finding) {
	f.Observed, f.Threshold, f.Unit = float64(e.Count), 0, "records"
	f.Cause = fmt.Sprintf("%s on %s/%d with a key that does not spell the symbol, the first at offset %d: %s",
		plural(e.Count, "tick"), p.topic, p.id, e.FirstOffset, e.counted()[0].Symbol)
	f.Evidence["spellings"] = maps.Clone(e.Tally)
	f.Evidence["other_spellings"] = e.Beyond
}
