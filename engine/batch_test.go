package engine

import (
	"strings"
	"testing"
	"time"
)

// batchStart is the clock of the batch tests.
const batchStart = int64(1_735_831_800_000_000_000)

func newTestAuditor(t *testing.T, partitions int32, h Hash, change func(*Limits)) *Auditor {
	t.Helper()
	l := DefaultLimits()
	if change != nil {
		change(&l)
	}
	a, err := NewAuditor(partitions, h, l)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func audit(t *testing.T, a *Auditor, ticks []BatchTick, consumed map[int32]int64, now int64) *Report {
	t.Helper()
	r, err := a.Audit(ticks, consumed, now)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// repeated are n ticks of one symbol, a microsecond apart, the last at end.
func repeated(symbol string, n int, end int64) []BatchTick {
	ticks := make([]BatchTick, n)
	for i := range ticks {
		ticks[i] = BatchTick{symbol, end - int64(n-1-i)*1000}
	}
	return ticks
}

func wantStatus(t *testing.T, r *Report, want Status) {
	t.Helper()
	if r.Status != want {
		t.Errorf("status %v, want %v; findings %+v", r.Status, want, r.Findings)
	}
}

func TestBatchAAPLOver16PartitionsIs12ByCRC32And1ByMurmur2(t *testing.T) {
	for h, want := range map[Hash]int32{HashCRC32: 12, HashMurmur2: 1} {
		a := newTestAuditor(t, 16, h, nil)
		r := audit(t, a, repeated("AAPL", 1, batchStart), nil, batchStart)
		if got := r.SymbolsMap["AAPL"]; got != want {
			t.Errorf("%v: partition %d, want %d", h, got, want)
		}
		if r.Assigned != want {
			t.Errorf("%v: assigned partition %d, want %d", h, r.Assigned, want)
		}
	}
}

func TestBatchMurmur2OfFoobarIsMinus790332482(t *testing.T) {
	if got := int32(murmur2([]byte("foobar"))); got != -790332482 {
		t.Errorf("murmur2 of foobar is %d", got)
	}
}

func TestBatchMurmur2OfALittleBitLongStringIsMinus985981536(t *testing.T) {
	if got := int32(murmur2([]byte("a-little-bit-long-string"))); got != -985981536 {
		t.Errorf("murmur2 of a-little-bit-long-string is %d", got)
	}
}

func TestBatch2000TicksAgainst1000IsConsumerLagWarningAnd1000IsHealthy(t *testing.T) {
	for n, want := range map[int]Status{2000: StatusLag, 1001: StatusLag, 1000: StatusHealthy} {
		a := newTestAuditor(t, 4, HashCRC32, func(l *Limits) { l.MaxLagTicks = 1000 })
		p := HashCRC32.Partition([]byte("AAPL"), 4)
		r := audit(t, a, repeated("AAPL", n, batchStart), map[int32]int64{p: 0}, batchStart)
		wantStatus(t, r, want)
		if r.MaxLagTicks == nil || *r.MaxLagTicks != int64(n) || r.LaggingID != p {
			t.Errorf("%d ticks: lag %v on %d", n, r.MaxLagTicks, r.LaggingID)
		}
	}
}

func TestBatchConsumedAheadOfTheEndIsOffsetInconsistencyWarning(t *testing.T) {
	a := newTestAuditor(t, 4, HashCRC32, func(l *Limits) { l.MaxLagTicks = 1 })
	p := HashCRC32.Partition([]byte("AAPL"), 4)
	other := (p + 1) % 4
	// A breach of lag on one partition does not hide it, nor does it count as
	// a negative lag.
	r := audit(t, a, repeated("AAPL", 10, batchStart), map[int32]int64{p: 0, other: 1}, batchStart)
	wantStatus(t, r, StatusOffset)
	if *r.MaxLagTicks != 10 {
		t.Errorf("lag %d, want 10", *r.MaxLagTicks)
	}
	if f := r.Findings[0]; f.Code != OffsetInconsistency || f.Evidence["kind"] != "AHEAD_OF_END" || *f.Partition != other {
		t.Errorf("first finding %+v", f)
	}
	r = audit(t, a, nil, map[int32]int64{other: 1}, batchStart)
	if *r.MaxLagTicks != 0 || r.LaggingID != -1 {
		t.Errorf("ahead of the end alone: lag %d on %d, want 0 on -1", *r.MaxLagTicks, r.LaggingID)
	}
}

func TestBatch900MsOldAgainst250MsIsStaleTickWarning(t *testing.T) {
	a := newTestAuditor(t, 4, HashCRC32, func(l *Limits) { l.MaxTickAge = 250 * time.Millisecond })
	r := audit(t, a, []BatchTick{{"AAPL", batchStart - 900e6}}, nil, batchStart)
	wantStatus(t, r, StatusStale)
	if r.MaxTickAgeMs == nil || *r.MaxTickAgeMs != 900 {
		t.Errorf("max_tick_age_ms %v, want 900", r.MaxTickAgeMs)
	}
	r = audit(t, a, []BatchTick{{"AAPL", batchStart - 250e6}}, nil, batchStart)
	wantStatus(t, r, StatusHealthy)
}

func TestBatch5000MsAheadIsClockSkewWarningWithANegativeMaxTickAge(t *testing.T) {
	a := newTestAuditor(t, 4, HashCRC32, func(l *Limits) { l.MaxTickAge = 250 * time.Millisecond })
	r := audit(t, a, []BatchTick{{"AAPL", batchStart + 5000e6}}, nil, batchStart)
	wantStatus(t, r, StatusSkew)
	if r.MaxTickAgeMs == nil || *r.MaxTickAgeMs != -5000 {
		t.Errorf("max_tick_age_ms %v, want -5000", r.MaxTickAgeMs)
	}
}

func TestBatchAnOldTickCannotHideAFutureOne(t *testing.T) {
	for _, order := range [][]BatchTick{
		{{"AAPL", batchStart - 900e6}, {"MSFT", batchStart + 5000e6}},
		{{"MSFT", batchStart + 5000e6}, {"AAPL", batchStart - 900e6}},
	} {
		a := newTestAuditor(t, 4, HashCRC32, func(l *Limits) { l.MaxTickAge = 250 * time.Millisecond })
		r := audit(t, a, order, nil, batchStart)
		wantStatus(t, r, StatusSkew)
		if *r.MaxTickAgeMs != 900 || len(r.Findings) != 2 {
			t.Errorf("max age %v with %d findings, want 900 with 2", *r.MaxTickAgeMs, len(r.Findings))
		}
	}
}

func TestBatch400TicksOfOneSymbolAnd20QuietOver4IsPartitionUnbalancedWarning(t *testing.T) {
	a := newTestAuditor(t, 4, HashCRC32, nil)
	ticks := repeated("AAPL", 400, batchStart)
	for i := range 20 {
		ticks = append(ticks, BatchTick{"QX" + string(rune('A'+i)), batchStart})
	}
	r := audit(t, a, ticks, nil, batchStart)
	wantStatus(t, r, StatusUnbalanced)
	if !r.SkewApplicable || r.SkewRatio <= 2 || r.Findings[0].Symbol != "AAPL" {
		t.Errorf("skew %v %v, hot symbol %q", r.SkewApplicable, r.SkewRatio, r.Findings[0].Symbol)
	}
}

func TestBatch2SymbolsOver16IsHealthy(t *testing.T) {
	a := newTestAuditor(t, 16, HashCRC32, nil)
	r := audit(t, a, append(repeated("AAPL", 400, batchStart), repeated("MSFT", 400, batchStart)...), nil, batchStart)
	wantStatus(t, r, StatusHealthy)
	if r.SkewApplicable || r.SkewRatio != 0 {
		t.Errorf("skew judged: %v", r.SkewRatio)
	}
}

func TestBatchIsRefusedWholeAndNothingChanges(t *testing.T) {
	good := []BatchTick{{"AAPL", batchStart}, {"MSFT", batchStart}}
	for name, c := range map[string]struct {
		ticks    []BatchTick
		consumed map[int32]int64
		now      int64
		says     string
	}{
		"empty symbol":       {append(good[:2:2], BatchTick{"", batchStart}), nil, batchStart, "empty symbol"},
		"zero timestamp":     {append(good[:2:2], BatchTick{"AAPL", 0}), nil, batchStart, "timestamp 0"},
		"negative timestamp": {append(good[:2:2], BatchTick{"AAPL", -1}), nil, batchStart, "timestamp -1"},
		"unknown partition":  {good, map[int32]int64{0: 0, 4: 0}, batchStart, "partition 4"},
		"negative partition": {good, map[int32]int64{-1: 0}, batchStart, "partition -1"},
		"negative offset":    {good, map[int32]int64{1: -1}, batchStart, "negative"},
		"no clock":           {good, nil, 0, "clock 0"},
	} {
		t.Run(name, func(t *testing.T) {
			a := newTestAuditor(t, 4, HashCRC32, nil)
			r, err := a.Audit(c.ticks, c.consumed, c.now)
			if r != nil || err == nil || !strings.Contains(err.Error(), c.says) {
				t.Fatalf("report %v, error %v, want one that says %q", r, err, c.says)
			}
			for p := range int32(4) {
				if a.End(p) != 0 {
					t.Errorf("end of partition %d is %d", p, a.End(p))
				}
			}
			// The refused timestamps are not remembered either.
			r = audit(t, a, []BatchTick{{"AAPL", batchStart - 1}}, nil, batchStart)
			if r.OutOfOrderTotal != 0 || r.TotalTicks != 1 {
				t.Errorf("%d out of order of %d ticks", r.OutOfOrderTotal, r.TotalTicks)
			}
		})
	}
}

func TestBatchKeepsTimestampsAndEndsBetweenCalls(t *testing.T) {
	a := newTestAuditor(t, 4, HashMurmur2, nil)
	p := HashMurmur2.Partition([]byte("AAPL"), 4)
	audit(t, a, []BatchTick{{"AAPL", batchStart}, {"AAPL", batchStart}}, nil, batchStart)
	r := audit(t, a, []BatchTick{{"AAPL", batchStart - 5e6}, {"AAPL", batchStart - 2e6}, {"AAPL", batchStart}}, map[int32]int64{p: 3}, batchStart)
	if len(r.OutOfOrder) != 1 || r.OutOfOrder[0] != "AAPL" || r.Counts.Disorder != 2 {
		t.Fatalf("out of order %v, %d ticks", r.OutOfOrder, r.Counts.Disorder)
	}
	f := r.Findings[0]
	if f.FirstOffset != 2 || f.LastOffset != 3 || f.Count != 2 || f.Observed != 5 || f.Unit != "ms" {
		t.Errorf("finding %+v", f)
	}
	if *r.MaxLagTicks != 2 || a.End(p) != 5 {
		t.Errorf("lag %d, end %d, want 2 and 5", *r.MaxLagTicks, a.End(p))
	}
}

func TestBatchWithoutOffsetsOrClockSaysUnknown(t *testing.T) {
	a := newTestAuditor(t, 2, HashCRC32, func(l *Limits) { l.MaxTickAge = time.Second })
	r := audit(t, a, []BatchTick{{"AAPL", batchStart}}, nil, NoTime)
	if r.MaxLagTicks != nil || r.MaxTickAgeMs != nil {
		t.Errorf("lag %v, age %v, want both unknown", r.MaxLagTicks, r.MaxTickAgeMs)
	}
	for _, says := range []string{"lag unknown", "no clock"} {
		if !strings.Contains(r.Notes, says) {
			t.Errorf("notes %q do not say %q", r.Notes, says)
		}
	}
}

func TestStatusPrecedence(t *testing.T) {
	order := []Status{StatusOffset, StatusLag, StatusSkew, StatusStale, StatusUnbalanced, StatusHealthy}
	names := []string{
		"OFFSET_INCONSISTENCY_WARNING", "CONSUMER_LAG_WARNING", "CLOCK_SKEW_WARNING",
		"STALE_TICK_WARNING", "PARTITION_UNBALANCED_WARNING", "KAFKA_STREAM_HEALTHY",
	}
	for i, s := range order {
		if s.String() != names[i] {
			t.Errorf("status %d is %v, want %s", i, s, names[i])
		}
		for _, lesser := range order[i:] {
			if worse(s, lesser) != s || worse(lesser, s) != s {
				t.Errorf("%v does not precede %v", s, lesser)
			}
		}
	}
}
