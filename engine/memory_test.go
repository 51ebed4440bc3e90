//go:build !race

package engine

import (
	"fmt"
	"runtime"
	"testing"
)

// The race detector has memory of its own, so this runs without it.
//
// A symbol costs at most 200 bytes of live heap, its name of eight bytes, its
// entry in the index and the slack of both included.
func TestMillionSymbols(t *testing.T) {
	const n, most = 1_000_000, 200
	l := DefaultLimits()
	p := NewPartition("ticks", 0, 16, &l)
	before := liveHeap()
	for i := range n {
		name := fmt.Appendf(nil, "EQ%06d", i)
		at := int64(1_735_831_800_000_000_000) + int64(i)*50_000
		tick := Tick{Offset: int64(i), RecordTime: at, EventTime: at, Symbol: name, Key: name, Value: []byte("{}"), Unit: UnitNanos}
		p.Observe(&tick, NoTime)
		if i%100_000 == 0 {
			p.Snapshot()
		}
	}
	p.Snapshot()
	each := float64(liveHeap()-before) / n
	if p.Symbols() != n || each > most {
		t.Errorf("%d symbols of %.1f bytes, want at most %d bytes", p.Symbols(), each, most)
	}
	t.Logf("%.1f bytes a symbol", each)
	runtime.KeepAlive(p)
}

func liveHeap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
