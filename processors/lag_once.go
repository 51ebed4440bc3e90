package processors

import (
	"context"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/topology"
)

// GroupOffsets is a sample of watched groups, by topic, and when it was taken.
type GroupOffsets struct {
	At     time.Time
	Topics map[string][]engine.LagSample
}

// onceRounds is how often a single sample looks into logs: each time into
// some of those that are behind.
const onceRounds = 8

// SampleGroups reads once, as an audit of that name does, the offsets that the
// groups found by names and patterns have on the topics. It touches no group.
func SampleGroups(ctx context.Context, client *kgo.Client, name string, groups, topics []string) (GroupOffsets, error) {
	cfg := &Config{Topology: topology.Topology{Name: name}, LagGroups: groups, Status: NewStatus(), Logger: zerolog.Nop()}
	w, err := newLagWatch(client, cfg, topics)
	if err != nil {
		return GroupOffsets{}, err
	}
	if err := w.findGroups(ctx); err != nil {
		return GroupOffsets{}, err
	}
	for range onceRounds {
		if err := w.sample(ctx, 0); err != nil {
			return GroupOffsets{}, err
		}
		if last := w.last(); !last.unsure() {
			break
		}
	}
	sample := w.last()
	return GroupOffsets{sample.at, sample.samples}, nil
}

// unsure reports whether a log of a group that is behind was not looked into.
func (s *lagSample) unsure() bool {
	for _, samples := range s.samples {
		for i := range samples {
			if one := &samples[i]; one.Failed == "" && one.Lag() > 0 && one.Unread == nil {
				return true
			}
		}
	}
	return false
}
