package codecs

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/auditstream/auditstream/engine"
)

// large is a report of a window with many symbols, findings and partitions.
func large(findings, symbols, partitions int) *engine.Report {
	r := &engine.Report{
		ID: "id", Topic: "ticks", Trigger: engine.TriggerInterval, SymbolsMap: map[string]int32{}, PartitionTicks: map[string]int64{},
		Symbols: int64(symbols), OutOfOrderTotal: int64(symbols), FindingsTotal: int64(findings), Notes: "as it was",
	}
	for i := range findings {
		f := engine.Finding{
			ID: fmt.Sprint(i), Code: engine.UpstreamDisorder, Severity: engine.Warning, Cause: strings.Repeat("c", 200),
			Evidence: map[string]any{"kind": "K", "bytes": strings.Repeat(`\x00`, 2_000)},
		}
		r.Findings = append(r.Findings, f)
		r.Warnings = append(r.Warnings, f.Code.String()+": "+f.Cause)
	}
	for i := range symbols {
		name := strings.Repeat("S", 500) + fmt.Sprint(i)
		r.SymbolsMap[name] = int32(i)
		r.OutOfOrder = append(r.OutOfOrder, name)
	}
	for i := range partitions {
		r.PartitionTicks[fmt.Sprint(i)] = int64(i)
		r.TotalTicks += int64(i)
	}
	return r
}

// G-62: a report over the broker's limit is cut with true totals, and always in
// the same way.
func TestG62LargeReportsAreCut(t *testing.T) {
	for _, r := range []*engine.Report{large(300, 20, 12), large(1, 20, 10_000), large(1, 0, 1), large(0, 3000, 1), large(100, 100, 5000)} {
		whole, err := EncodeReport(r)
		if err != nil {
			t.Fatal(err)
		}
		for _, limit := range []int{30_000, 6_000, 2_000} {
			b, err := FitReport(r, limit)
			if err != nil || len(b) > limit {
				t.Fatalf("limit %d: %d bytes, %v", limit, len(b), err)
			}
			again, err := FitReport(r, limit)
			if err != nil || !bytes.Equal(b, again) {
				t.Errorf("limit %d: cut in two ways, %v", limit, err)
			}
			got, err := DecodeReport(b)
			if err != nil {
				t.Fatal(err)
			}
			if got.FindingsTotal != r.FindingsTotal || got.Symbols != r.Symbols || got.OutOfOrderTotal != r.OutOfOrderTotal || got.TotalTicks != r.TotalTicks {
				t.Errorf("limit %d: totals %+v", limit, got)
			}
			if len(whole) > limit && !strings.Contains(got.Notes, "max.message.bytes") {
				t.Errorf("limit %d: cut, and the notes say %q", limit, got.Notes)
			}
			if cut := int64(len(got.Findings)) < r.FindingsTotal; cut != got.FindingsTruncated {
				t.Errorf("limit %d: %d of %d findings, truncated %v", limit, len(got.Findings), r.FindingsTotal, got.FindingsTruncated)
			}
			if r.FindingsTotal > 0 && (len(got.Findings) == 0 || got.Findings[0].Evidence["kind"] != "K") {
				t.Errorf("limit %d: the most severe finding is gone, or its kind", limit)
			}
		}
		if after, err := EncodeReport(r); err != nil || !bytes.Equal(after, whole) {
			t.Errorf("the report itself was changed, %v", err)
		}
	}
	if _, err := FitReport(large(0, 0, 1), 100); err == nil {
		t.Error("100 bytes hold a report")
	}
}
