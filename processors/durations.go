package processors

import (
	"maps"
	"time"

	"github.com/auditstream/auditstream/engine"
)

// Durations counts events by how long they took.
type Durations struct {
	Count   uint64
	Sum     time.Duration
	Buckets map[time.Duration]uint64 // events that took at most so long, cumulative
}

// durationBounds are the upper bounds of the buckets.
var durationBounds = []time.Duration{
	5 * time.Millisecond, 10 * time.Millisecond, 25 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond,
	250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2500 * time.Millisecond, 5 * time.Second, 10 * time.Second,
}

func newDurations() Durations {
	d := Durations{Buckets: map[time.Duration]uint64{}}
	for _, bound := range durationBounds {
		d.Buckets[bound] = 0
	}
	return d
}

func (d *Durations) observe(took time.Duration) {
	took = max(0, took) // clocks of two machines differ
	d.Count++
	d.Sum += took
	for _, bound := range durationBounds {
		if took <= bound {
			d.Buckets[bound]++
		}
	}
}

func (d Durations) copied() Durations {
	d.Buckets = maps.Clone(d.Buckets)
	return d
}

// detected notes how long after its record's time a finding became readable.
// Findings of the past, which an audit tells while it catches up, and silence,
// which no record tells, say nothing about that.
func (s *Status) detected(f *engine.Finding, now time.Time) {
	if f.Partition == nil || f.FirstOffset < 0 || f.FirstTime == engine.NoTime || f.Code == engine.StaleTick {
		return
	}
	p := s.partitions[partitionKey(f.Topic, *f.Partition)]
	if at := time.Unix(0, int64(f.FirstTime)); p.Live && !at.Before(p.liveSince) {
		s.stats.Detections.observe(now.Sub(at))
	}
}
