package processors

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
)

// currentEnds fixes the ends of all partitions for StopAtEnd: high watermarks,
// so that records of a transaction that is still open wait for its outcome.
func (a *audit) currentEnds(ctx context.Context) (map[place]int64, error) {
	listed, err := a.admin.ListEndOffsets(ctx, a.cfg.tickTopics()...)
	if err == nil {
		err = listed.Error()
	}
	if err != nil {
		return nil, fmt.Errorf("ends of topics: %w", err)
	}
	ends := map[place]int64{}
	listed.Each(func(o kadm.ListedOffset) { ends[place{o.Topic, o.Partition}] = o.Offset })
	return ends, nil
}

const finishEvery = 100 * time.Millisecond

// finish ends a run with StopAtEnd, in this order: this instance's partitions
// are drained and durable; the group's offsets have reached all ends, whoever
// read them; the distribution group has read every statistic that was written
// until then; FINAL reports are durable. Only the owner of the distribution
// partition has the last two to do.
func (a *audit) finish(ctx context.Context, stop func()) {
	ticker := time.NewTicker(finishEvery)
	defer ticker.Stop()
	read, told := false, int64(-1)
	var idle time.Time // since when this instance has nothing to finish
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if !read {
			s := a.symbols.session()
			if s == nil || !s.done() || !a.reached(ctx) {
				continue
			}
			read = true
		}
		if told < 0 {
			listed, err := a.admin.ListEndOffsets(ctx, a.names.DistributionTopic)
			if err == nil {
				err = listed.Error()
			}
			if err != nil {
				continue
			}
			if o, ok := listed.Lookup(a.names.DistributionTopic, 0); ok {
				told = o.Offset
				a.lags.final(ctx)
				a.cfg.settings.final(ctx)
			}
			continue
		}
		done, mine := a.finalDone(told)
		if mine {
			idle = time.Time{}
		} else if done && idle.IsZero() {
			idle = time.Now()
		}
		// The owner of the statistics may have been killed: until its session
		// is over nobody knows, and then its partition comes to one of those
		// that wait.
		if done && (mine || time.Since(idle) > a.cfg.SessionTimeout+sweepEvery) {
			stop()
			return
		}
	}
}

// reached reports whether the group has committed all ends. Partitions that
// hold nothing have nothing to commit.
func (a *audit) reached(ctx context.Context) bool {
	offsets, err := a.admin.FetchOffsets(ctx, a.names.Group)
	if err != nil {
		return false
	}
	var starts kadm.ListedOffsets
	for p, end := range a.ends {
		if o, ok := offsets.Lookup(p.topic, p.partition); ok && o.Err == nil && o.At >= end {
			continue
		}
		if starts == nil {
			if starts, err = a.admin.ListStartOffsets(ctx, a.cfg.tickTopics()...); err != nil {
				return false
			}
		}
		if o, ok := starts.Lookup(p.topic, p.partition); !ok || o.Err != nil || o.Offset < end {
			return false
		}
	}
	return true
}

// finalDone writes the FINAL reports when the statistics are read up to the
// given offset, and reports whether they are durable, or another instance's:
// mine is false then.
//
// The topic of statistics is not compacted and markers are read as records, so
// the end is reached by reading alone, behind a transaction that a killed
// instance has left open too: its outcome, at the latest by its timeout, is
// waited for.
func (a *audit) finalDone(told int64) (done, mine bool) {
	s := a.distribution.session()
	if s == nil || !s.isPositioned() {
		return false, false
	}
	if len(s.ordered) == 0 {
		return true, false
	}
	c := s.ordered[0]
	c.mu.Lock()
	defer c.mu.Unlock()
	u, ok := c.unit.(*distribution)
	if !ok || c.failed || c.next < told {
		return false, true
	}
	switch u.finals {
	case finalNone:
		u.final(a.ends)
	case finalDurable:
		return true, true
	}
	return false, true
}
