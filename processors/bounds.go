package processors

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// logBounds is where a partition's log starts and ends. A reader of committed
// records sees it up to end, the last stable offset; high is the high
// watermark.
type logBounds struct{ start, end, high int64 }

// listBounds asks for the bounds of all partitions of the group's topics. They
// are read in this order, so that no start lies beyond its end by asking alone.
func (s *session) listBounds(ctx context.Context) (func(place) (logBounds, error), error) {
	topics := s.g.layout.topics
	starts, err := s.g.offsets.ListStartOffsets(ctx, topics...)
	if err != nil {
		return nil, fmt.Errorf("starts of topics: %w", err)
	}
	if err := s.g.layout.grown(starts); err != nil {
		return nil, fatal{err}
	}
	highs, err := s.g.offsets.ListEndOffsets(ctx, topics...)
	if err != nil {
		return nil, fmt.Errorf("ends of topics: %w", err)
	}
	ends := highs
	if !s.g.cfg.Limits.UncommittedReads {
		if ends, err = s.g.offsets.ListCommittedOffsets(ctx, topics...); err != nil {
			return nil, fmt.Errorf("readable ends of topics: %w", err)
		}
	}
	return func(p place) (b logBounds, err error) {
		if b.start, err = boundOf(starts, p, "start"); err == nil {
			b.end, err = boundOf(ends, p, "end")
		}
		if err == nil {
			b.high, err = boundOf(highs, p, "high watermark")
		}
		return b, err
	}, nil
}

func boundOf(listed kadm.ListedOffsets, p place, what string) (int64, error) {
	o, ok := listed.Lookup(p.topic, p.partition)
	if !ok || o.Err != nil {
		return 0, fmt.Errorf("%s of %s: %w", what, p, errors.Join(o.Err, missing(ok)))
	}
	return o.Offset, nil
}

// boundsEvery is how often the bounds are asked for while records come or do
// not: a log that gives nothing tells nothing of its bounds by itself.
const (
	boundsEvery = 2 * time.Second
	endFor      = 5 * boundsEvery // so long an end that was told is believed
)

// watchBounds tells the claims the bounds of their logs until the session ends.
func (s *session) watchBounds() {
	ticker := time.NewTicker(boundsEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-s.ctx.Done():
			return
		}
		if !s.isPositioned() {
			continue
		}
		// Read before the ends: no end lies below them by asking alone.
		before, ends := make([]int64, len(s.ordered)), make([]int64, len(s.ordered))
		for i, c := range s.ordered {
			before[i], ends[i] = c.InitialOffset(), c.HighWaterMarkOffset()
		}
		bounds, err := s.listBounds(s.ctx)
		if grown := (*GrowthError)(nil); errors.As(err, &grown) {
			s.fail(err)
			return
		}
		if err != nil {
			continue // what keeps fetches from their leaders is told there
		}
		if s.anyShorter(bounds, before) {
			if err := s.sameTopics(s.ctx); errors.As(err, new(fatal)) {
				s.fail(err)
				return
			} else if err != nil {
				continue
			}
		}
		for i, c := range s.ordered {
			if b, err := bounds(c.place); err == nil {
				c.observe(b, before[i], ends[i])
			}
		}
	}
}

// anyShorter reports whether a log ends before what was read of it: it was
// truncated, or is another topic's.
func (s *session) anyShorter(bounds func(place) (logBounds, error), next []int64) bool {
	for i, c := range s.ordered {
		if b, err := bounds(c.place); err == nil && b.high < next[i] {
			return true
		}
	}
	return false
}

// observe takes the bounds of the log, asked for after next was the offset to
// read and end the log's known end. Only what two samples in a row say while nothing comes is believed: a
// fetch under way may say it better.
func (c *claim) observe(b logBounds, next, end int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.end == end {
		c.end = b.end // lower, where what was not read yet has been cut off
	}
	c.end, c.endAt = max(c.end, b.end), time.Now()
	if c.stop > b.high {
		c.stop = b.high // the log was truncated: that end is gone
	}
	still := next == c.next && next == c.sampled && c.queue.empty()
	c.sampled = next
	switch {
	case !still || c.failed:
	case b.start > c.next:
		c.skip(b.start)
	case b.high < c.next:
		c.truncate(b.high)
	}
}

// lag is the number of records between what is read up to next and the log's
// end. Unread records are never said to be none: where the end is an old one,
// such as while brokers do not answer, that is not known.
func (c *claim) lag(next int64) int64 {
	lag := max(0, c.end-next)
	if lag == 0 && time.Since(c.endAt) > endFor {
		return -1
	}
	return lag
}

// follow brings the claim to where the frame begins. Between what was read and
// the frame offsets may be missing: by compaction, markers or aborted
// transactions, which is no loss, or because the log starts later by now.
func (c *claim) follow(f *frame) {
	first := f.records[0].Offset
	switch {
	case f.cut >= 0:
		c.truncate(f.cut)
	case first < c.next && f.high < c.next:
		c.truncate(f.high)
	}
	if first > c.next && f.start > c.next {
		c.skip(min(first, f.start))
	}
}

// skip goes on at offset to: what lies before it is gone.
func (c *claim) skip(to int64) {
	c.unit.lost(c.next, to)
	c.next = to
	c.gate.seek(c)
}

// truncate goes back to offset to, where the log has ended since.
func (c *claim) truncate(to int64) {
	if to >= c.next {
		return
	}
	c.unit.truncated(to)
	if c.rewind < 0 || c.rewind > to {
		c.rewind = to
	}
	c.next, c.end, c.committed = to, to, -1
	c.gate.seek(c)
}

// lost is told what franz-go found out when a partition's leader changed: the
// log no longer holds what was read. Where it knows how far the log agrees, the
// claim goes back to there before the next record. Otherwise it reads from the
// log's start again, and what was judged before is not judged again.
func (m *member) lost(e *kgo.ErrDataLoss) {
	m.mu.Lock()
	s := m.session
	m.mu.Unlock()
	m.g.log.Warn().Err(e).Msg("the log was truncated")
	if s == nil {
		return
	}
	c := s.claims[place{e.Topic, e.Partition}]
	if c == nil {
		return
	}
	c.mu.Lock()
	located := e.ResetTo > c.start
	c.mu.Unlock()
	if !located {
		return
	}
	// Leader epochs are asked for by name: the answer may be another topic's.
	switch err := s.sameTopics(s.ctx); {
	case s.ctx.Err() != nil:
		return
	case err != nil:
		m.fail(err)
		return
	}
	c.queue.pushCut(e.ResetTo)
}
