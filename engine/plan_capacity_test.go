package engine

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestPlanCapacity(t *testing.T) {
	needs := CapacityNeeds{
		TicksPerSecond: 100e6, Symbols: 1_000_000, Partitions: 10_000, Instances: 50,
		Checkpoint: time.Second, Report: 10 * time.Second,
	}
	p, err := PlanCapacity(needs)
	if err != nil {
		t.Fatal(err)
	}
	// Every symbol ticks in every second, so each has a row a checkpoint.
	if p.FetchPerInstance != 2e6 || math.Round(p.RowsPerSecond) != 1_010_000 || p.StatsPerSecond != 10_000 {
		t.Errorf("%+v", p)
	}
	if want := 1000.1; math.Abs(p.ReportsPerSecond-want) > 1e-6 {
		t.Errorf("%v reports a second, want %v", p.ReportsPerSecond, want)
	}
	// 20 000 symbols and 200 partitions an instance, and the topic of a million in one.
	if want := int64(64<<20 + 20_000*capacitySymbolBytes + 200<<20 + 1_000_000*capacityTopicBytes); p.MemoryPerInstance != want {
		t.Errorf("%d bytes an instance, want %d", p.MemoryPerInstance, want)
	}
	// A symbol that ticks once an hour is written once an hour.
	needs.TicksPerSecond = 1_000_000.0 / 3600
	if p, err = PlanCapacity(needs); err != nil || math.Abs(p.RowsPerSecond-10_000-277.7) > 1 {
		t.Errorf("%v rows a second of quiet symbols, %v", p.RowsPerSecond, err)
	}
}

func TestPlanCapacityRefuses(t *testing.T) {
	_, err := PlanCapacity(CapacityNeeds{TicksPerSecond: math.NaN(), Partitions: 3, Instances: 4})
	for _, want := range []string{"rate NaN", "symbols 0", "instances 4: 3 partitions", "intervals"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q in it", err, want)
		}
	}
}
