package processors

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/auditstream/auditstream/engine"
)

// lagSample is the offsets of the watched groups at one moment, by topic.
type lagSample struct {
	at      time.Time
	samples map[string][]engine.LagSample
}

// lagWatch reads the offsets of the groups named in consumer.lag.groups. It
// touches no group: it only asks.
type lagWatch struct {
	admin  *kadm.Client
	topics []string
	names  []*regexp.Regexp
	given  []string // names as they were configured
	absent []string // those that no group has; of the goroutine of run
	own    []string // the audit's own groups
	status *Status
	log    zerolog.Logger

	mu     sync.Mutex
	latest lagSample
}

const (
	lagEvery    = time.Second
	groupsEvery = 30 * time.Second // how often groups are looked for by name
)

func newLagWatch(admin *kadm.Client, cfg *Config, topics []string) (*lagWatch, error) {
	names := cfg.names()
	w := &lagWatch{admin: admin, topics: topics, own: []string{names.Group, names.DistributionGroup}, status: cfg.Status, log: cfg.Logger}
	for _, name := range cfg.LagGroups {
		re, err := regexp.Compile("^(?:" + name + ")$")
		if err != nil {
			return nil, fmt.Errorf("consumer.lag.groups: %q: %w", name, err)
		}
		w.names, w.given = append(w.names, re), append(w.given, name)
	}
	return w, nil
}

func (w *lagWatch) last() lagSample {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.latest
}

// run samples until the context ends.
func (w *lagWatch) run(ctx context.Context) {
	if len(w.names) == 0 {
		return
	}
	ticker := time.NewTicker(lagEvery)
	defer ticker.Stop()
	var groups []string
	var listed time.Time
	failing := false
	for {
		var err error
		if time.Since(listed) >= groupsEvery {
			if groups, err = w.groups(ctx); err == nil {
				listed = time.Now()
			}
		}
		if err == nil {
			err = w.sample(ctx, groups)
		}
		if err != nil && !failing && ctx.Err() == nil {
			w.log.Warn().Err(err).Msg("lag of watched groups unknown")
		}
		failing = err != nil
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// groups are the watched ones that exist; names that no group has are noted as
// absent.
func (w *lagWatch) groups(ctx context.Context) ([]string, error) {
	all, err := w.admin.ListGroups(ctx)
	if err != nil {
		return nil, fmt.Errorf("list groups: %w", err)
	}
	var found []string
	w.absent = nil
	for i, re := range w.names {
		matched := false
		for _, name := range all.Groups() {
			if !re.MatchString(name) || slices.Contains(w.own, name) {
				continue
			}
			matched = true
			if !slices.Contains(found, name) {
				found = append(found, name)
			}
		}
		if !matched {
			w.absent = append(w.absent, w.given[i])
		}
	}
	return found, nil
}

// sample reads commits first, then ends, then starts, so that an end can never
// lie below a commit by sampling alone.
func (w *lagWatch) sample(ctx context.Context, groups []string) error {
	commits := map[string]kadm.OffsetResponses{}
	for _, group := range groups {
		offsets, err := w.admin.FetchOffsets(ctx, group)
		if err != nil {
			return fmt.Errorf("offsets of group %s: %w", group, err)
		}
		commits[group] = offsets
	}
	at := time.Now()
	described, err := w.admin.DescribeGroups(ctx, groups...)
	if err != nil {
		described = nil // members and state are then unknown, offsets are not
	}
	ends, err := w.admin.ListEndOffsets(ctx, w.topics...)
	if err != nil {
		return fmt.Errorf("ends of topics: %w", err)
	}
	starts, err := w.admin.ListStartOffsets(ctx, w.topics...)
	if err != nil {
		return fmt.Errorf("starts of topics: %w", err)
	}
	sample := lagSample{at: at, samples: map[string][]engine.LagSample{}}
	var lags []LagStatus
	for _, group := range groups {
		if !reads(commits[group], w.topics) {
			continue
		}
		members, state := engine.Unknown, ""
		if d, ok := described[group]; ok && d.Err == nil {
			members, state = len(d.Members), d.State
		}
		ends.Each(func(end kadm.ListedOffset) {
			s := engine.LagSample{
				Group: group, Partition: end.Partition, Committed: committed(commits[group], end.Topic, end.Partition),
				Start: listed(starts, end.Topic, end.Partition), End: listed(ends, end.Topic, end.Partition),
				Members: members, State: state, GroupType: "classic",
			}
			sample.samples[end.Topic] = append(sample.samples[end.Topic], s)
			lags = append(lags, LagStatus{group, end.Topic, end.Partition, lagOf(s)})
		})
	}
	for _, name := range w.absent {
		// A watched group that is not there is unknown, never healthy.
		ends.Each(func(end kadm.ListedOffset) {
			sample.samples[end.Topic] = append(sample.samples[end.Topic], engine.LagSample{
				Group: name, Partition: end.Partition, Committed: engine.Unknown, Start: engine.Unknown, End: engine.Unknown, Members: engine.Unknown,
			})
		})
	}
	for topic := range sample.samples {
		slices.SortFunc(sample.samples[topic], func(a, b engine.LagSample) int {
			return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Partition, b.Partition))
		})
	}
	w.mu.Lock()
	w.latest = sample
	w.mu.Unlock()
	w.status.update(func(s *Stats) { s.Lags = lags })
	return nil
}

// reads reports whether the group has committed an offset of these topics: a
// group that matches by name and reads other topics has no lag here.
func reads(offsets kadm.OffsetResponses, topics []string) bool {
	for _, topic := range topics {
		if len(offsets[topic]) > 0 {
			return true
		}
	}
	return false
}

func committed(offsets kadm.OffsetResponses, topic string, partition int32) int64 {
	if o, ok := offsets.Lookup(topic, partition); ok && o.Err == nil && o.At >= 0 {
		return o.At
	}
	return engine.Unknown
}

func listed(offsets kadm.ListedOffsets, topic string, partition int32) int64 {
	if o, ok := offsets.Lookup(topic, partition); ok && o.Err == nil {
		return o.Offset
	}
	return engine.Unknown
}

func lagOf(s engine.LagSample) int64 {
	if s.Committed == engine.Unknown || s.End == engine.Unknown {
		return engine.Unknown
	}
	return max(0, s.End-max(s.Committed, s.Start))
}
