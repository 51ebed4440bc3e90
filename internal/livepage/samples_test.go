package livepage

import (
	"testing"
	"time"
)

// A sample counts what this process has judged since the one before: not what
// came with partitions, at a start or by a rebalance.
func TestSamplesCountWhatWasJudgedHere(t *testing.T) {
	var status Status
	b := NewBoard(Source{Status: func() Status { return status }})
	now := time.Unix(1_795_888_800, 0)
	take := func(ticks, disorder int64, partitions ...Partition) {
		now = now.Add(5 * time.Second)
		status = Status{Ticks: ticks, Disorder: disorder, Partitions: partitions}
		b.sample(now)
	}
	take(0, 0)
	take(0, 0, Partition{Ticks: 5_000_000, Disorder: 70, Lag: 9})
	take(50, 2, Partition{Ticks: 5_000_050, Disorder: 72, Lag: 4}, Partition{Partition: 1, Lag: 3})
	take(50, 2, Partition{Partition: 1, Ticks: 9_000_000, Lag: 3}, Partition{Partition: 2, Lag: -1})
	s := &b.samples
	if len(s.Rate) != 3 || s.Rate[0] != 0 || s.Rate[1] != 10 || s.Rate[2] != 0 || s.Disorder[1] != 2 || s.Disorder[2] != 0 {
		t.Errorf("rates %v, disorder %v", s.Rate, s.Disorder)
	}
	if *s.Lag[0] != 9 || *s.Lag[1] != 7 || s.Lag[2] != nil {
		t.Errorf("lags %v", s.Lag)
	}
}
