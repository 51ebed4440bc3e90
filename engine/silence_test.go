package engine_test

import (
	"testing"
	"time"

	"github.com/auditstream/auditstream/engine"
)

// A partition that is not read to its end has no say in who is silent: the
// tick that is missed may be among the records not read yet.
func TestNobodyIsSilentAmongRecordsNotRead(t *testing.T) {
	limits := engine.DefaultLimits()
	limits.MaxSymbolSilence = 5 * time.Second
	p := engine.NewPartition("ticks", 0, 1, &limits)
	start := int64(1_700_000_000e9)
	p.Progress(0, start)
	p.Observe(&engine.Tick{Offset: 0, RecordTime: start, EventTime: start, Symbol: []byte("A"), Key: []byte("A")}, start)
	silent := func() (n int) {
		for _, r := range p.Snapshot().Reports {
			for _, f := range r.Findings {
				if f.Code == engine.StaleTick && f.State == engine.Opened {
					n++
				}
			}
		}
		return n
	}

	later := start + int64(8*time.Second)
	p.Progress(40, later) // 39 records are written that the audit has not read
	p.Sweep(later)
	if !p.Live() || silent() != 0 {
		t.Errorf("live %t: a symbol is silent although records are unread", p.Live())
	}
	p.Progress(1, later)
	p.Sweep(later)
	if silent() != 1 {
		t.Error("a symbol is not silent although everything is read")
	}
}
