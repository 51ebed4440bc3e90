package main

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

const (
	collectMost  = 400       // percent that the heap may grow by while little is live
	collectLeast = 100       // Go's default
	collectAfter = 384 << 20 // bytes that it should grow by
	collectEvery = 5 * time.Second
)

// collectRarely lets the heap grow by up to 384 MiB, but to no more than five
// times what is live, before it is collected: an audit's state is small beside
// what fetches allocate, and at Go's default a quarter of its CPU went into
// collecting. Where the state is large the default stands. GOGC overrides.
func collectRarely() (restore func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	old := debug.SetGCPercent(collectMost)
	quit := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		ticker := time.NewTicker(collectEvery)
		defer ticker.Stop()
		percent := collectMost
		for {
			select {
			case <-quit:
				return
			case <-ticker.C:
			}
			if now := collectPercent(liveBytes()); now != percent {
				percent = now
				debug.SetGCPercent(percent)
			}
		}
	})
	return func() {
		close(quit)
		done.Wait()
		debug.SetGCPercent(old)
	}
}

// collectPercent is by how much the heap may grow over so many live bytes, in
// steps of 50 so that it is seldom changed.
func collectPercent(live uint64) int {
	percent := collectAfter * 100 / max(live, 1) / 50 * 50
	return int(min(max(percent, collectLeast), collectMost))
}

// liveBytes is what the last collection found in use.
func liveBytes() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
