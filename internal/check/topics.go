package check

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/config"
	"github.com/auditstream/auditstream/internal/kafka"
	"github.com/auditstream/auditstream/internal/nearest"
	"github.com/auditstream/auditstream/topology"
)

func topicName(t topology.Topic) string { return string(t.Role) + " topic " + t.Name }

// look describes every topic of the topology and compares it with what the
// audit requires.
func look(ctx context.Context, admin *kafka.Admin, c *config.Config) (*cluster, []Check) {
	t := c.Topology()
	seen := &cluster{counts: map[string]int{}, topology: t, bootstrap: c.BootstrapServers[0]}
	var err error
	if seen.details, err = admin.Describe(ctx, topicNames(t)...); err != nil {
		return seen, []Check{failed("topics", "described", err)}
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
	if metadata, err := admin.BrokerMetadata(ctx); err == nil {
		seen.brokers = len(metadata.Brokers)
	}
	var checks []Check
	for _, topic := range t.Topics {
		checks = append(checks, seen.topic(ctx, admin, topic))
	}
	return seen, checks
}

// cluster is what the brokers say of topics.
type cluster struct {
	details  kadm.TopicDetails
	counts   map[string]int               // partitions of those that exist
	settings map[string]map[string]string // by topic
	all      []string                     // every topic that may be seen
	brokers  int
	topology topology.Topology

	bootstrap string // for the commands that are advised
}

// existing are the topics that exist and may be described.
func (c *cluster) existing() kadm.TopicDetails {
	details := kadm.TopicDetails{}
	for name, detail := range c.details {
		if detail.Err == nil {
			details[name] = detail
		}
	}
	return details
}

// readable reports whether a topic exists and may be described.
func (c *cluster) readable(topic string) bool { return c.counts[topic] > 0 }

func (c *cluster) names() []string {
	var names []string
	for name := range c.counts {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// topic compares one topic with what the audit requires of it.
func (c *cluster) topic(ctx context.Context, admin *kafka.Admin, topic topology.Topic) Check {
	required, fixed := topic.Partitions.Required(c.counts)
	result := Check{Name: topicName(topic), Status: OK, Expected: expected(topic, required, fixed)}
	if err := c.details[topic.Name].Err; errors.Is(err, kerr.TopicAuthorizationFailed) {
		result.Status, result.Observed = Fail, "may not be described, or does not exist"
		result.Action = "see the rights on the topic below"
		return result
	} else if err != nil && !errors.Is(err, kerr.UnknownTopicOrPartition) {
		return failed(result.Name, result.Expected, fmt.Errorf("describe topic: %w", err))
	}
	count, exists := c.counts[topic.Name]
	switch {
	case !exists && topic.Create:
		result.Observed = "does not exist; run makes it"
	case !exists:
		result.Status, result.Observed, result.Action = Fail, "does not exist", "create it, or check the key topics"
		if near := nearest.Name(topic.Name, c.all); near != "" {
			result.Observed += fmt.Sprintf("; the nearest name is %q", near)
		}
	case fixed && required > 0 && count != required:
		result.Status, result.Observed = Fail, partitions(count)
		result.Action = "delete it to audit from the start, or give this audit another name"
		if topic.Role == topology.RoleTable && count < required {
			result.Action = admin.WidenCommand(topic.Name, required) + ", or delete it to audit from the start"
			if mine, err := admin.OutgrownTable(ctx, c.topology, topic, count); err == nil && mine {
				result.Status, result.Action = Warn, "run makes it wider if it has the right to alter it; otherwise: "+admin.WidenCommand(topic.Name, required)
				result.Observed += ", as many as a topic had before it grew"
			}
		}
	default:
		result.Observed = partitions(count)
		c.policy(&result, topic)
	}
	return result
}

// policy compares the cleanup policy of a topic that exists.
func (c *cluster) policy(result *Check, topic topology.Topic) {
	if topic.CleanupPolicy == "" {
		return
	}
	policy, known := c.settings[topic.Name]["cleanup.policy"]
	switch {
	case !known:
		result.Status, result.Action = Unknown, "grant the right to describe the topic's settings"
		result.Observed += ", cleanup.policy not known"
	case policy != topic.CleanupPolicy:
		result.Status = Warn
		result.Action = c.alter(topic.Name, "cleanup.policy="+topic.CleanupPolicy)
		result.Observed += ", cleanup.policy=" + policy
	default:
		result.Observed += ", cleanup.policy=" + policy
	}
}

// expected says what the audit requires of a topic.
func expected(topic topology.Topic, required int, fixed bool) string {
	text := "exists"
	if fixed && required > 0 {
		text = partitions(required)
	} else if topic.Create {
		text = "any number of partitions"
	}
	if topic.CleanupPolicy != "" {
		text += ", cleanup.policy=" + topic.CleanupPolicy
	}
	return text
}

func partitions(n int) string { return engine.Plural(int64(n), "partition") }
