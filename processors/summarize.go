package processors

import (
	"context"
	"time"
)

const summarizeEvery = 10 * time.Second

// summarize logs one line an interval in place of one a record, for as long as
// the audit lasts: while it is stopped too.
func (c *Config) summarize(ctx context.Context) {
	ticker := time.NewTicker(summarizeEvery)
	defer ticker.Stop()
	s := summary{at: time.Now()}
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		s.line(c, time.Now())
	}
}

// summary is what the next line is held against.
type summary struct {
	at     time.Time
	judged int64 // records
}

// line logs how the audit stands. What is not known is left out.
func (s *summary) line(c *Config, now time.Time) {
	stats := c.Status.Stats()
	var records, opened int64
	for _, p := range stats.Partitions {
		records += p.Counts.Records
	}
	for _, n := range stats.Opened {
		opened += n
	}
	event := c.Logger.Info().Stringer("state", stats.State).Int("partitions", len(stats.Partitions)).Int64("records", records).
		Float64("records_per_s", float64(stats.Judged.Records-s.judged)/now.Sub(s.at).Seconds())
	if lag, known := stats.Lag(); known {
		event = event.Int64("lag", lag)
	}
	if asked := stats.Asked; asked.State != Running {
		event = event.Time("since", asked.Since).Str("by", asked.By)
	}
	event.Int64("findings_opened", opened).Strs("not_ready", stats.NotReady).Msg("audit")
	s.at, s.judged = now, stats.Judged.Records
}
