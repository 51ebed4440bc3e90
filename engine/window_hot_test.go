package engine

import "testing"

// The hottest symbol of a window is named by how it is shown, and that may be
// how another symbol is spelled.
func TestHottestSymbolIsNamedAsShown(t *testing.T) {
	t.Parallel()
	l := DefaultLimits()
	p := NewPartition("ticks", 0, 4, &l)
	at := int64(1_735_831_800e9)
	for i, name := range []string{"\xff", `\xff`, `\xff`, "", "", ""} {
		p.Observe(&Tick{Offset: int64(i), EventTime: at, RecordTime: at, Symbol: []byte(name), Key: []byte("k"), Value: []byte("{}"), Unit: UnitNanos}, NoTime)
		want := map[int]string{0: ShowBytes("\xff"), 1: ShowBytes("\xff"), 2: ShowBytes(`\xff`), 5: ""}
		if hot, asked := want[i]; asked && p.row.Window.Hot != hot {
			t.Errorf("after tick %d the hottest is %q, not %q", i, p.row.Window.Hot, hot)
		}
	}
	at += int64(l.ReportInterval)
	p.Observe(&Tick{Offset: 6, EventTime: at, RecordTime: at, Symbol: []byte(`\xff`), Key: []byte("k"), Value: []byte("{}"), Unit: UnitNanos}, NoTime)
	if hot := p.row.Window.Hot; hot != ShowBytes(`\xff`) {
		t.Errorf("in the next window the hottest is %q", hot)
	}
}
