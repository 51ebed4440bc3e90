package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

const (
	collectMost  = 400       // percent that the heap may grow by while little is live
	collectLeast = 100       // Go's default
	collectAfter = 384 << 20 // bytes that it should grow by
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
	c := &collector{percent: collectMost}
	c.await()
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.ended = true
		debug.SetGCPercent(old)
	}
}

// collector sets the percent anew after each collection: only that tells what is
// live, and the next one may be seconds or half a gigabyte away.
type collector struct {
	mu      sync.Mutex
	percent int
	ended   bool
}

// await has the next collection told by the end of something that nobody holds.
func (c *collector) await() {
	runtime.AddCleanup(new([64]byte), (*collector).collected, c)
}

func (c *collector) collected() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return
	}
	if now := collectPercent(liveBytes()); now != c.percent {
		c.percent = now
		debug.SetGCPercent(now)
	}
	c.await()
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
