package main

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
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
