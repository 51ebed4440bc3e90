package processors

import (
	"time"

	"github.com/auditstream/auditstream/engine"
)

// openFinding is a finding that is not over.
type openFinding struct {
	code      engine.Code
	topic     string
	partition int32 // -1: of the whole topic
	since     time.Time
}

// TopicStatus is what the last report of a topic's window said, in the
// instance that writes it.
type TopicStatus struct {
	Topic      string
	Status     engine.Status
	Skew       float64 // busiest ÷ mean
	SkewKnown  bool    // the window was judged for skew
	OutOfOrder int64   // symbols out of order
	Symbols    int64   // each once, on however many partitions
}

// openMost bounds the memory of open findings.
const openMost = 100_000

// reported takes in a report that has become durable. A finding is OPENED and
// RESOLVED in exactly one report of the trigger FINDING; those that were open
// before the process started are known from the lists of its windows' reports.
func (s *Status) reported(r *engine.Report) {
	if r.Trigger == engine.TriggerFinal {
		return
	}
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Trigger == engine.TriggerInterval && r.Partition == nil {
		s.topics[r.Topic] = TopicStatus{r.Topic, r.Status, r.SkewRatio, r.SkewApplicable, r.OutOfOrderTotal, r.Symbols}
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.State == engine.Opened && r.Trigger == engine.TriggerFinding {
			s.detected(f, now)
			s.stats.Opened[f.Code]++
		}
		switch _, known := s.open[f.ID]; {
		case f.State == engine.Resolved:
			delete(s.open, f.ID)
		case !known && len(s.open) < openMost:
			s.open[f.ID] = opened(f, r.Partition, now)
		}
	}
}

// opened is a finding as a report of a partition, or of a topic, nil, tells it:
// one of a topic may name a partition too, and goes with the topic.
func opened(f *engine.Finding, partition *int32, now time.Time) openFinding {
	o := openFinding{code: f.Code, topic: f.Topic, partition: -1, since: now}
	if partition != nil {
		o.partition = *partition
	}
	if f.FirstTime != engine.NoTime {
		o.since = time.Unix(0, int64(f.FirstTime))
	}
	return o
}

// counted gives the open findings by code, with the time of each code's oldest.
func (s *Status) counted() (open map[engine.Code]int64, since map[engine.Code]time.Time) {
	open, since = map[engine.Code]int64{}, map[engine.Code]time.Time{}
	for _, o := range s.open {
		open[o.code]++
		if oldest, ok := since[o.code]; !ok || o.since.Before(oldest) {
			since[o.code] = o.since
		}
	}
	return open, since
}

// aged notes how old a tick was when it was judged. One tick of each batch is
// looked at, the last: to ask for every one would cost more than judging it.
func (s *Status) aged(age time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats.TickAges.observe(age)
}
