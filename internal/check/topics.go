package check

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/auditstream/auditstream/internal/kafka"
	"github.com/auditstream/auditstream/internal/nearest"
	"github.com/auditstream/auditstream/topology"
)

func topicName(t topology.Topic) string { return string(t.Role) + " topic " + t.Name }

// topics looks at every topic of the topology.
func topics(ctx context.Context, admin *kafka.Admin, t topology.Topology) []Check {
	var names []string
	for _, topic := range t.Topics {
		names = append(names, topic.Name)
	}
	seen := view{counts: map[string]int{}}
	var err error
	if seen.details, err = admin.ListTopicsWithInternal(ctx, names...); err != nil {
		return []Check{failed("topics", "described", fmt.Errorf("describe topics: %w", err))}
	}
	for name, detail := range seen.details {
		if detail.Err == nil {
			seen.counts[name] = len(detail.Partitions)
		}
	}
	// Without the right to read settings the map lacks the topic.
	if seen.settings, err = admin.Settings(ctx, seen.names()...); err != nil {
		seen.settings = nil
	}
	if all, err := admin.ListTopics(ctx); err == nil {
		seen.all = all.Names()
	}
	var checks []Check
	for _, topic := range t.Topics {
		checks = append(checks, seen.topic(topic))
	}
	return checks
}

// view is what the cluster says of topics.
type view struct {
	details  kadm.TopicDetails
	counts   map[string]int               // partitions of those that exist
	settings map[string]map[string]string // by topic
	all      []string                     // every topic that may be seen
}

func (v *view) names() []string {
	var names []string
	for name := range v.counts {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// topic compares one topic with what the audit requires of it.
func (v *view) topic(topic topology.Topic) Check {
	required, fixed := topic.Partitions.Required(v.counts)
	c := Check{Name: topicName(topic), Status: OK, Expected: expected(topic, required, fixed)}
	if err := v.details[topic.Name].Err; err != nil && !errors.Is(err, kerr.UnknownTopicOrPartition) {
		return failed(c.Name, c.Expected, fmt.Errorf("describe topic: %w", err))
	}
	count, exists := v.counts[topic.Name]
	switch {
	case !exists && topic.Create:
		c.Observed = "does not exist; run makes it"
	case !exists:
		c.Status, c.Observed, c.Action = Fail, "does not exist", "create it, or check the key topics"
		if near := nearest.Name(topic.Name, v.all); near != "" {
			c.Observed += fmt.Sprintf("; the nearest name is %q", near)
		}
	case fixed && required > 0 && count != required:
		c.Status, c.Observed = Fail, fmt.Sprintf("%d partitions", count)
		c.Action = "delete it to audit from the start, or give this audit another name"
		if topic.Role == topology.RoleTable && count < required {
			c.Action = fmt.Sprintf("kafka-topics.sh --alter --topic %s --partitions %d, or delete it to audit from the start", topic.Name, required)
		}
	default:
		c.Observed = fmt.Sprintf("%d partitions", count)
		v.policy(&c, topic)
	}
	return c
}

// policy compares the cleanup policy of a topic that exists.
func (v *view) policy(c *Check, topic topology.Topic) {
	if topic.CleanupPolicy == "" {
		return
	}
	policy, known := v.settings[topic.Name]["cleanup.policy"]
	switch {
	case !known:
		c.Status, c.Action = Unknown, "grant the right to describe the topic's settings"
		c.Observed += ", cleanup.policy not known"
	case policy != topic.CleanupPolicy:
		c.Status = Warn
		c.Action = fmt.Sprintf("kafka-configs.sh --alter --topic %s --add-config cleanup.policy=%s", topic.Name, topic.CleanupPolicy)
		c.Observed += ", cleanup.policy=" + policy
	default:
		c.Observed += ", cleanup.policy=" + policy
	}
}

// expected says what the audit requires of a topic.
func expected(topic topology.Topic, required int, fixed bool) string {
	text := "exists"
	if fixed && required > 0 {
		text = fmt.Sprintf("%d partitions", required)
	} else if topic.Create {
		text = "any number of partitions"
	}
	if topic.CleanupPolicy != "" {
		text += ", cleanup.policy=" + topic.CleanupPolicy
	}
	return text
}
