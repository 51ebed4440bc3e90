package main

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/auditstream/auditstream/internal/kafkatest"
)

func TestCollectPercent(t *testing.T) {
	for live, want := range map[uint64]int{0: 400, 30 << 20: 400, 96 << 20: 400, 150 << 20: 250, 384 << 20: 100, 4 << 30: 100, math.MaxUint64: 100} {
		if got := collectPercent(live); got != want {
			t.Errorf("%d live bytes: %d percent, want %d", live, got, want)
		}
	}
	runtime.GC()
	if liveBytes() == 0 {
		t.Error("the runtime tells no live bytes")
	}
}

func TestCollectRarelyRestores(t *testing.T) {
	t.Setenv("GOGC", "")
	was := debug.SetGCPercent(123)
	defer debug.SetGCPercent(was)
	restore := collectRarely()
	during := debug.SetGCPercent(collectMost)
	restore()
	if after := debug.SetGCPercent(123); during != collectMost || after != 123 {
		t.Errorf("%d percent during, %d after", during, after)
	}
}

// The percent follows what is live with each collection, and stays after the end.
func TestCollectRarelyFollowsCollections(t *testing.T) {
	t.Setenv("GOGC", "")
	was := debug.SetGCPercent(100)
	defer debug.SetGCPercent(was)
	percent := func() int {
		now := debug.SetGCPercent(-1)
		debug.SetGCPercent(now)
		return now
	}
	restore := collectRarely()
	live := make([]byte, 256<<20)
	for _, most := range []int{200, collectMost} {
		kafkatest.Eventually(t, "the percent to follow", func() bool {
			runtime.GC()
			return percent() <= most && percent() > most-150
		})
		runtime.KeepAlive(live)
		live = nil
	}
	restore()
	runtime.GC()
	if got := percent(); got != 100 {
		t.Errorf("%d percent after the end", got)
	}
}
