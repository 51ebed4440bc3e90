package processors

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/engine"
)

// lagSample is the offsets of the watched groups at one moment, by topic, and
// the times of their rebalances on the monotonic clock.
type lagSample struct {
	at         time.Time
	samples    map[string][]engine.LagSample
	rebalances map[string][]int64 // by group
}

// lagWatch reads the offsets of the groups named in consumer.lag.groups. It
// touches no group: it only asks. Of several instances the one that judges
// whole topics watches, so that lag is exported once.
type lagWatch struct {
	client *kgo.Client
	admin  *kadm.Client
	topics []string
	names  []*regexp.Regexp
	given  []string // names as they were configured
	own    []string // the audit's own groups
	status *Status
	log    zerolog.Logger

	rounds sync.Mutex // one at a time; guards what follows

	groups    map[string]*watchedGroup // those that are there or were
	absent    []string                 // names that no group has or had
	listed    time.Time
	compacted map[string]bool // by topic
	described time.Time
	unread    map[groupPlace]*unreadLog
	marks     map[place]logMark
	turn      int // where reading of logs goes on
	failing   bool

	mu       sync.Mutex
	latest   lagSample
	asked    time.Time  // when somebody judged by the latest
	recalled []recalled // not taken up yet
	recalls  int        // how often it was told what to recall
}

const (
	lagEvery      = time.Second
	groupsEvery   = 10 * time.Second // how often groups are looked for by name
	settingsEvery = time.Minute      // how often the topics' settings are read
	lagTimeout    = 10 * time.Second // most that one round may take
	lagUnasked    = 5 * time.Second  // nobody judges: another instance does
)

func newLagWatch(client *kgo.Client, cfg *Config, topics []string) (*lagWatch, error) {
	names := cfg.names()
	w := &lagWatch{
		client: client, admin: kadm.NewClient(client), topics: topics,
		own: []string{names.Group, names.DistributionGroup}, status: cfg.Status, log: cfg.Logger,
		groups: map[string]*watchedGroup{}, compacted: map[string]bool{}, unread: map[groupPlace]*unreadLog{},
		marks: map[place]logMark{},
	}
	for _, name := range cfg.LagGroups {
		re, err := regexp.Compile("^(?:" + name + ")$")
		if err != nil {
			return nil, fmt.Errorf("consumer.lag.groups: %q: %w", name, err)
		}
		w.names, w.given = append(w.names, re), append(w.given, name)
	}
	return w, nil
}

// last is the latest sample; to ask for it keeps the watch going.
func (w *lagWatch) last() lagSample {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = time.Now()
	return w.latest
}

func (w *lagWatch) wanted() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Since(w.asked) < lagUnasked
}

// run samples until the context ends, while somebody judges by it.
func (w *lagWatch) run(ctx context.Context) {
	if len(w.names) == 0 {
		return
	}
	ticker := time.NewTicker(lagEvery)
	defer ticker.Stop()
	for {
		if w.wanted() {
			w.round(ctx)
		} else {
			w.status.update(func(s *Stats) { s.Lags, s.Groups = nil, nil })
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// final takes the sample that FINAL reports rest on, of the groups that there
// are by then.
func (w *lagWatch) final(ctx context.Context) {
	if len(w.names) == 0 {
		return
	}
	w.rounds.Lock()
	w.listed = time.Time{}
	w.rounds.Unlock()
	w.round(ctx)
}

// round takes one sample. One that fails leaves the last one as it is, which
// is judged once only.
func (w *lagWatch) round(ctx context.Context) {
	w.rounds.Lock()
	defer w.rounds.Unlock()
	ctx, cancel := context.WithTimeout(ctx, lagTimeout)
	defer cancel()
	recalls := w.takeRecalled()
	err := w.findGroups(ctx)
	if err == nil {
		err = w.sample(ctx, recalls)
	}
	if err != nil {
		w.status.update(func(s *Stats) { s.Lags = nil }) // unknown, not as it was
		if !w.failing && ctx.Err() == nil {
			w.log.Warn().Err(err).Msg("lag of watched groups unknown")
		}
	}
	w.failing = err != nil
}

// sample reads starts first, then commits, then ends, so that sampling alone
// puts no commit below a start or beyond an end.
func (w *lagWatch) sample(ctx context.Context, recalls int) error {
	logs, err := w.startLogs(ctx)
	if err != nil {
		return err
	}
	groups := w.sortedGroups()
	commits := w.commits(ctx, groups)
	at := time.Now()
	w.describe(ctx, groups)
	if err := w.endLogs(ctx, logs); err != nil {
		return err
	}
	w.findCuts(ctx, groups, commits, logs)
	sample := lagSample{at: at, samples: map[string][]engine.LagSample{}, rebalances: map[string][]int64{}}
	for _, g := range groups {
		sample.rebalances[g.name] = slices.Clone(g.rebalances.times)
		w.sampleGroup(&sample, g, commits[g.name], logs)
	}
	for _, name := range w.absent {
		for _, l := range logs.sorted() {
			sample.add(l.topic, engine.LagSample{
				Group: name, Partition: l.partition, Committed: engine.Unknown, Start: engine.Unknown, End: engine.Unknown,
				Members: engine.Unknown, State: engine.GroupAbsent,
			})
		}
	}
	w.readUnread(ctx, &sample, logs)
	w.publish(sample, groups, logs, recalls)
	return nil
}

func (s *lagSample) add(topic string, one engine.LagSample) {
	s.samples[topic] = append(s.samples[topic], one)
}

// watches reports whether a group reads a topic.
func (s *lagSample) watches(topic, group string) bool {
	return slices.ContainsFunc(s.samples[topic], func(one engine.LagSample) bool { return one.Group == group })
}

// publish makes a sample the latest, for metrics and, unless groups were
// recalled since, for judging.
func (w *lagWatch) publish(sample lagSample, groups []*watchedGroup, logs logs, recalls int) {
	var lags []LagStatus
	for _, topic := range w.topics {
		for i := range sample.samples[topic] {
			s := &sample.samples[topic][i]
			if s.State == engine.GroupAbsent || s.Failed != "" {
				continue
			}
			lags = append(lags, LagStatus{
				Group: s.Group, Topic: topic, Partition: s.Partition, Lag: s.Lag(), Committed: s.Committed,
				Age: time.Duration(s.Age(sample.at.UnixNano())),
			})
		}
	}
	var states []GroupStatus
	for _, g := range groups {
		if !g.gone {
			states = append(states, GroupStatus{g.name, g.kind, g.protocol, g.state, g.members, g.coordinator})
		}
	}
	var bounds []LogStatus
	for _, l := range logs.sorted() {
		bounds = append(bounds, LogStatus{l.topic, l.partition, l.start, l.end})
	}
	w.mu.Lock()
	if recalls == w.recalls {
		w.latest = sample
	}
	w.mu.Unlock()
	w.status.update(func(s *Stats) { s.Lags, s.Groups, s.Logs = lags, states, bounds })
}
