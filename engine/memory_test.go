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

// What a topic keeps of a symbol, in the instance that judges it, is bounded
// too: all that is allocated for a million, less what was before.
func TestMillionSymbolsOfATopic(t *testing.T) {
	const n, most = 1_000_000, 250
	l := DefaultLimits()
	topic := NewTopic("ticks", 16, &l)
	before := liveHeap()
	at := int64(1_735_831_800_000_000_000)
	const atOnce = 10_000
	for i := range n / atOnce {
		stats := &PartitionStats{Topic: "ticks", Partition: int32(i % 16), Partitions: 16, Through: int64(i)}
		for k := range atOnce {
			name := fmt.Sprintf("EQ%06d", i*atOnce+k)
			stats.Sightings = append(stats.Sightings, Sighting{
				Symbol: name, Key: name, Offset: int64(k), Count: 1, Time: at, Fits: 1, Spelled: true, FirstEvent: at, LastEvent: at, Seen: at,
			})
		}
		topic.Fold(stats)
		topic.Snapshot()
	}
	topic.Snapshot()
	each := float64(liveHeap()-before) / n
	if len(topic.symbols) != n || each > most {
		t.Errorf("%d symbols of %.1f bytes, want at most %d bytes", len(topic.symbols), each, most)
	}
	t.Logf("%.1f bytes a symbol", each)
	runtime.KeepAlive(topic)
}

func liveHeap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
