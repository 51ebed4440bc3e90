package kafka

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/nearest"
	"github.com/auditstream/auditstream/topology"
)

// Prepared is what [Admin.EnsureTopics] found and did.
type Prepared struct {
	Topics   kadm.TopicDetails // every topic of the topology
	Created  []string
	Widened  []string       // tables that a tick topic had outgrown
	Warnings []string       // settings of existing topics that differ, with both values
	MaxBytes map[string]int // max.message.bytes of every topic whose settings may be read
}

// Partitions is the partition count of each topic.
func (p Prepared) Partitions() map[string]int { return countsOf(p.Topics) }

// EnsureTopics makes the topics of a topology ready.
//
//  1. Every fault of existing topics is collected and returned at once: a tick
//     topic that is missing, a table or distribution topic whose partition
//     count is not the required one. Then nothing is created. The audit's own
//     table, see [Admin.OutgrownTable], is made as wide as a topic that grew.
//  2. Missing topics are validated by the broker together, then created, with
//     the replication of [topology.Replication].
//  3. It waits until every partition has a leader that answers ListOffsets.
//  4. Settings of topics that existed are compared; differences are warnings.
func (a *Admin) EnsureTopics(ctx context.Context, t topology.Topology) (Prepared, error) {
	var p Prepared
	var err error
	if p.Topics, err = a.describe(ctx, t); err != nil {
		return p, err
	}
	if err := a.fit(ctx, t, &p); err != nil {
		return p, err
	}
	cluster, err := a.cluster(ctx)
	if err != nil {
		return p, err
	}
	if p.Created, err = a.createMissing(ctx, t, p.Topics, cluster); err != nil {
		return p, err
	}
	if err := a.awaitLeaders(ctx, t); err != nil {
		return p, err
	}
	if p.Topics, err = a.describe(ctx, t); err != nil {
		return p, err
	}
	// Another instance may have made them meanwhile, from another configuration.
	if err := a.fit(ctx, t, &p); err != nil {
		return p, err
	}
	settings, err := a.Settings(ctx, slices.Sorted(maps.Keys(p.Topics))...)
	if err != nil {
		return p, err
	}
	p.Warnings, p.MaxBytes = compareSettings(t, p, cluster, settings), maxBytes(settings)
	return p, nil
}

// fit refuses topics that exist and are wrong, and widens outgrown tables.
func (a *Admin) fit(ctx context.Context, t topology.Topology, p *Prepared) error {
	narrow, err := a.checkTopics(ctx, t, p.Topics)
	if err != nil || len(narrow) == 0 {
		return err
	}
	if err := a.widen(ctx, narrow); err != nil {
		return err
	}
	for _, g := range narrow {
		p.Widened = append(p.Widened, fmt.Sprintf("%s from %d to %d partitions", g.table, g.from, g.to))
	}
	p.Topics, err = a.describe(ctx, t)
	return err
}

// describe returns the topics of the topology that exist.
func (a *Admin) describe(ctx context.Context, t topology.Topology) (kadm.TopicDetails, error) {
	names := make([]string, 0, len(t.Topics))
	for _, topic := range t.Topics {
		names = append(names, topic.Name)
	}
	details, err := a.ListTopicsWithInternal(ctx, names...)
	if err != nil {
		return nil, asError(fmt.Errorf("describe topics: %w", err))
	}
	for name, detail := range details {
		switch {
		case errors.Is(detail.Err, kerr.UnknownTopicOrPartition):
			delete(details, name)
		case detail.Err != nil && !kerr.IsRetriable(detail.Err):
			return nil, asError(fmt.Errorf("describe topic %s: %w", name, detail.Err))
		}
	}
	return details, nil
}

// checkTopics collects what is wrong with topics as they exist, and the tables
// that are only to be made wider.
func (a *Admin) checkTopics(ctx context.Context, t topology.Topology, existing kadm.TopicDetails) (narrow []outgrown, err error) {
	var faults []error
	var remedies []string // one for each fault, none twice
	remember := func(remedy string) {
		if !slices.Contains(remedies, remedy) {
			remedies = append(remedies, remedy)
		}
	}
	counts := countsOf(existing)
	for _, topic := range t.Topics {
		count, exists := counts[topic.Name]
		if !exists {
			if !topic.Create {
				faults = append(faults, a.missing(ctx, topic))
				remember("check the key topics")
			}
			continue
		}
		if required, fixed := topic.Partitions.Required(counts); fixed && required > 0 && count != required {
			remedy, fault := a.wrongCount(t, topic, count, required, counts)
			if count < required {
				mine, err := a.OutgrownTable(ctx, t, topic, count)
				if err != nil {
					return nil, err
				}
				if mine {
					narrow = append(narrow, outgrown{topic.Name, count, required, fault, remedy})
					continue
				}
			}
			faults = append(faults, fault)
			remember(remedy)
		}
	}
	if len(faults) == 0 {
		return narrow, nil
	}
	return nil, &Error{true, errors.Join(faults...), strings.Join(remedies, "; and ")}
}

// missing names a tick topic that does not exist, and what it may have been
// meant to be.
func (a *Admin) missing(ctx context.Context, topic topology.Topic) error {
	err := fmt.Errorf("topic %q does not exist", topic.Name)
	all, listErr := a.ListTopics(ctx)
	if listErr != nil {
		return err
	}
	if near := nearest.Name(topic.Name, all.Names()); near != "" {
		err = fmt.Errorf("topic %q does not exist; the nearest name is %q", topic.Name, near)
	}
	return err
}

func (a *Admin) wrongCount(t topology.Topology, topic topology.Topic, count, required int, counts map[string]int) (remedy string, fault error) {
	for _, widest := range topic.Partitions.LargestOf {
		if counts[widest] != required {
			continue
		}
		beside, alerts := "ticks", topic.Name == topology.NamesOf(t.Name).AlertTable
		if alerts {
			beside = "reports"
		}
		fault = fmt.Errorf("table %q has %s, but topic %q has %d: rows would not lie beside their %s",
			topic.Name, engine.Plural(int64(count), "partition"), widest, required, beside)
		switch {
		case alerts && count < required:
			return a.WidenCommand(topic.Name, required), fault
		case alerts:
			return fmt.Sprintf("delete topic %s: what is open is told again, and what ended meanwhile is to be ended at the target", topic.Name), fault
		case count < required:
			return a.WidenCommand(topic.Name, required) + ", or delete the topic to audit from the start", fault
		}
		return fmt.Sprintf("delete topic %s to audit from the start, or give this audit another name", topic.Name), fault
	}
	fault = fmt.Errorf("topic %q has %s, it must have %d", topic.Name, engine.Plural(int64(count), "partition"), required)
	return fmt.Sprintf("delete topic %s, or give this audit another name", topic.Name), fault
}

func countsOf(details kadm.TopicDetails) map[string]int {
	counts := make(map[string]int, len(details))
	for name, detail := range details {
		counts[name] = len(detail.Partitions)
	}
	return counts
}

// names joins topic names for a message.
func names(topics []string) string { return strings.Join(topics, ", ") }
