package livepage

import (
	"encoding/json"
	"time"
)

// samples are what the page draws over time, oldest first.
type samples struct {
	Every    int64      `json:"every_ms" doc:"time between two"`
	Times    []int64    `json:"t" doc:"milliseconds since 1970"`
	Rate     []float64  `json:"rate" doc:"ticks a second that this instance judged"`
	Disorder []int64    `json:"disorder" doc:"ticks out of order since the sample before"`
	Age      []*float64 `json:"age" doc:"mean age of ticks when judged, milliseconds; <null>: none was judged live"`
	Lag      []*int64   `json:"lag" doc:"records behind; <null>: not known"`
}

// sample is a sum that the next one is held against.
type sample struct {
	at              time.Time
	ticks, disorder int64
	ageCount        uint64
	ageSum          time.Duration
}

func (b *Board) sample(now time.Time) {
	status := b.source.Status()
	// Sums over partitions, which come and go, could not be compared.
	next := sample{at: now, ticks: status.Ticks, disorder: status.Disorder, ageCount: status.AgeCount, ageSum: status.AgeSum}
	b.mu.Lock()
	defer b.mu.Unlock()
	last := b.last
	b.last = next
	if last.at.IsZero() {
		return
	}
	s := &b.samples
	var age *float64
	if n := next.ageCount - last.ageCount; n > 0 {
		ms := float64(next.ageSum-last.ageSum) / float64(n) / 1e6
		age = &ms
	}
	s.Every = sampleEvery.Milliseconds()
	s.Times = keep(s.Times, now.UnixMilli())
	s.Rate = keep(s.Rate, float64(next.ticks-last.ticks)/now.Sub(last.at).Seconds())
	s.Disorder = keep(s.Disorder, next.disorder-last.disorder)
	s.Age = keep(s.Age, age)
	s.Lag = keep(s.Lag, status.lag())
}

func keep[T any](kept []T, next T) []T {
	if len(kept) >= samplesMost {
		kept = append(kept[:0:0], kept[1:]...)
	}
	return append(kept, next)
}

// bounded is evidence that is not larger than a page can show.
func bounded(evidence map[string]any) map[string]any {
	text, err := json.Marshal(evidence)
	if err != nil || len(text) > evidenceMost {
		return map[string]any{"too_large": "see the report on the audit topic"}
	}
	return evidence
}
