package engine

import (
	"fmt"
	"testing"
)

// A thousand symbols that change their unit together, the thin ones as late as
// their next ticks come, are one finding a partition.
func TestAThousandSymbolsChangeTheirUnitOnce(t *testing.T) {
	l := DefaultLimits()
	p := NewPartition("ticks", 0, 1, &l)
	opened, count, offset := 0, int64(0), int64(0)
	tick := func(symbol int, seconds int64, unit Unit) {
		r := record0(int(offset), fmt.Sprintf("S%d", symbol), t0+seconds*second)
		r.tick.Unit = unit
		p.Observe(&r.tick, NoTime)
		offset++
		for _, r := range p.Snapshot().Reports {
			for _, f := range r.Findings {
				if f.Code == TimestampUnitChanged {
					count = max(count, f.Count)
					if f.State == Opened {
						opened++
					}
				}
			}
		}
	}
	for s := range 1000 {
		tick(s, int64(s)/100, UnitMillis)
	}
	for s := range 500 {
		tick(s, 20+int64(s)/100, UnitMicros)
	}
	for s := range 500 {
		tick(500+s, 60+int64(s)*20, UnitMicros)
		tick(0, 61+int64(s)*20, UnitMicros)
	}
	if opened != 1 || count != 500 {
		t.Errorf("%d findings, of up to %d changes", opened, count)
	}
}
