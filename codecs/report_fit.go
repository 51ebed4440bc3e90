package codecs

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/auditstream/auditstream/engine"
)

// FitReport is [EncodeReport] in at most limit bytes. A report that is longer
// is cut, always in the same way: the longest of its lists is halved until it
// fits. Totals stay true: findings_total with findings_truncated,
// symbols_total, out_of_order_symbols_total and total_ticks_processed; what was
// cut is said in audit_notes. The error says that nothing is left to cut.
func FitReport(r *engine.Report, limit int) ([]byte, error) {
	return fitReport(r, limit, EncodeReport)
}

func fitReport(r *engine.Report, limit int, encode func(*engine.Report) ([]byte, error)) ([]byte, error) {
	b, err := encode(r)
	if err != nil || len(b) <= limit {
		return b, err
	}
	c := cutReport{Report: *r, cut: map[string]bool{}}
	c.Findings = slices.Clone(r.Findings)
	for len(b) > limit {
		if !c.shorten() {
			return nil, fmt.Errorf("report %s of %s: %d bytes, and at most %d fit", r.ID, r.Key(), len(b), limit)
		}
		c.Notes = r.Notes + c.note()
		if b, err = encode(&c.Report); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// cutReport is a report that is made shorter.
type cutReport struct {
	engine.Report
	cut map[string]bool // lists by their names in the report
}

func (c *cutReport) note() string {
	return fmt.Sprintf("; cut to what the audit topic takes (max.message.bytes): %v", slices.Sorted(maps.Keys(c.cut)))
}

// shorten halves the longest list; false: there is none.
func (c *cutReport) shorten() bool {
	parts := []struct {
		name  string
		list  any
		some  bool
		halve func()
	}{
		{"findings", c.Findings, len(c.Findings) > 1, c.halveFindings},
		{"symbols_partition_map", c.SymbolsMap, len(c.SymbolsMap) > 0, func() { c.SymbolsMap = halved(c.SymbolsMap, false) }},
		{"out_of_order_symbols", c.OutOfOrder, len(c.OutOfOrder) > 0, func() { c.OutOfOrder = c.OutOfOrder[:len(c.OutOfOrder)/2] }},
		{"partition_tick_counts", c.PartitionTicks, len(c.PartitionTicks) > 1, func() { c.PartitionTicks = halved(c.PartitionTicks, true) }},
		{"evidence", c.evidence(), len(c.evidence()) > len(kindOf(c.evidence())), c.dropEvidence},
	}
	longest, size := -1, 0
	for i, p := range parts {
		if !p.some {
			continue
		}
		if b, err := encodeJSON(p.list); err == nil && len(b) > size {
			longest, size = i, len(b)
		}
	}
	if longest < 0 {
		return false
	}
	parts[longest].halve()
	c.cut[parts[longest].name] = true
	return true
}

func (c *cutReport) halveFindings() {
	c.Findings = c.Findings[:len(c.Findings)/2]
	c.FindingsTruncated = true
	c.Warnings = []string{}
	for i := range c.Findings {
		if f := &c.Findings[i]; f.Severity >= engine.Warning {
			c.Warnings = append(c.Warnings, f.Code.String()+": "+f.Cause)
		}
	}
}

// evidence is that of the only finding: with several, fewer are listed.
func (c *cutReport) evidence() map[string]any {
	if len(c.Findings) != 1 {
		return nil
	}
	return c.Findings[0].Evidence
}

func (c *cutReport) dropEvidence() {
	c.Findings[0].Evidence = kindOf(c.Findings[0].Evidence)
}

// kindOf is what of the evidence is never cut.
func kindOf(evidence map[string]any) map[string]any {
	left := map[string]any{}
	if kind, ok := evidence["kind"]; ok {
		left["kind"] = kind
	}
	return left
}

// halved keeps half of a map: that with the greatest values, or the first by
// name.
func halved[V cmp.Ordered](m map[string]V, greatest bool) map[string]V {
	keys := slices.Sorted(maps.Keys(m))
	if greatest {
		slices.SortStableFunc(keys, func(a, b string) int { return cmp.Compare(m[b], m[a]) })
	}
	out := make(map[string]V, len(keys)/2)
	for _, k := range keys[:len(keys)/2] {
		out[k] = m[k]
	}
	return out
}
