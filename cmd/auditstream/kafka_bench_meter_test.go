package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// benchMeter measures the process from the first tick to the one that makes
// them enough.
type benchMeter struct {
	name        string
	want, total int64        // ticks to measure, ticks in the topic
	known       atomic.Int64 // ticks that come before
	begin, end  sync.Once
	over        chan struct{}
	seen        atomic.Int64
	start       time.Time
	usage       syscall.Rusage
	memory      runtime.MemStats
	profiled    *os.File

	ticks        int64 // that were measured
	elapsed, cpu time.Duration
	system       time.Duration // of cpu, in the kernel
	faults       int64         // pages that were touched first
	allocs       uint64        // 0: of another process, not known
	resident     int64         // bytes at most, 0: not known
	backward     atomic.Int64  // ticks found to step back, -1: not judged
}

func newBenchMeter(name string) *benchMeter {
	debug.FreeOSMemory()                                      // of the contestant before
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // the peak begins anew
	m := &benchMeter{name: name, want: int64(benchTicks()), total: int64(benchAll()), over: make(chan struct{})}
	m.known.Store(int64(benchKnown()))
	m.ticks = m.total
	m.backward.Store(-1)
	return m
}

// first begins, once; it says whether it did.
func (m *benchMeter) first() (began bool) {
	if m.known.Load() > 0 {
		return false
	}
	m.begin.Do(func() {
		began = true
		runtime.ReadMemStats(&m.memory)
		_ = syscall.Getrusage(syscall.RUSAGE_SELF, &m.usage)
		m.profile()
		m.start = time.Now()
	})
	return began
}

// profile begins a CPU profile, in the folder that a variable of the
// environment names.
func (m *benchMeter) profile() {
	dir := os.Getenv("AUDITSTREAM_BENCH_PROFILE")
	if dir == "" {
		return
	}
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		m.profiled, err = os.Create(filepath.Join(dir, m.name+".prof"))
	}
	if err == nil {
		err = pprof.StartCPUProfile(m.profiled)
	}
	if err != nil {
		panic(fmt.Sprintf("CPU profile: %v", err))
	}
}

// saw counts ticks that a contestant is done with.
func (m *benchMeter) saw(n int64) {
	if m.known.Load() > 0 {
		m.known.Add(-n)
		return
	}
	if seen := m.seen.Add(n); seen >= m.want {
		m.end.Do(func() { m.last(seen) })
	}
}

func (m *benchMeter) isOver() bool {
	select {
	case <-m.over:
		return true
	default:
		return false
	}
}

// wait returns when what is measured is over.
func (m *benchMeter) wait(ctx context.Context) error {
	select {
	case <-m.over:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%d of %d ticks: %w", m.seen.Load(), m.want, ctx.Err())
	}
}

func (m *benchMeter) last(ticks int64) {
	defer close(m.over)
	m.ticks, m.elapsed = ticks, time.Since(m.start)
	if m.profiled != nil {
		pprof.StopCPUProfile()
		_ = m.profiled.Close()
	}
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	m.system = time.Duration(u.Stime.Nano() - m.usage.Stime.Nano())
	m.faults = u.Minflt - m.usage.Minflt
	m.cpu = m.system + time.Duration(u.Utime.Nano()-m.usage.Utime.Nano())
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	m.allocs = s.Mallocs - m.memory.Mallocs
	m.resident = mostResident()
}

// ended takes what a process of its own has used.
func (m *benchMeter) ended(p *os.ProcessState) {
	if u, ok := p.SysUsage().(*syscall.Rusage); ok {
		m.resident = u.Maxrss << 10
	}
}

// mostResident is the most memory that this process had, 0 where there is no
// Linux to tell.
func mostResident() int64 {
	status, _ := os.ReadFile("/proc/self/status")
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	var kilobytes int64
	_, _ = fmt.Sscan(peak, &kilobytes)
	return kilobytes << 10
}

func (m *benchMeter) report(b *testing.B) {
	n := float64(m.ticks)
	b.ReportMetric(n/m.elapsed.Seconds(), "ticks/s")
	b.ReportMetric(float64(m.cpu.Nanoseconds())/n, "cpu-ns/tick")
	if m.allocs > 0 {
		b.ReportMetric(float64(m.allocs)/n, "allocs/tick")
		b.ReportMetric(float64(m.system.Nanoseconds())/n, "sys-ns/tick")
		b.ReportMetric(float64(m.faults)/n, "faults/tick")
	}
	b.ReportMetric(0, "ns/op")
}
