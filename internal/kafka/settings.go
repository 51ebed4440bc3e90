package kafka

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/auditstream/auditstream/topology"
)

// Settings returns the settings of topics by name, such as
// message.timestamp.type. A topic whose settings may not be read is absent.
func (a *Admin) Settings(ctx context.Context, topics ...string) (map[string]map[string]string, error) {
	configs, err := a.DescribeTopicConfigs(ctx, topics...)
	if Unauthorized(err) && len(topics) > 1 { // one that may not be read fails all
		return a.settingsOneByOne(ctx, topics)
	}
	if Unauthorized(err) {
		return nil, nil
	}
	if err != nil {
		return nil, asError(fmt.Errorf("describe settings of %s: %w", names(topics), err))
	}
	all := make(map[string]map[string]string, len(configs))
	for _, topic := range configs {
		if topic.Err != nil {
			continue
		}
		settings := make(map[string]string, len(topic.Configs))
		for _, setting := range topic.Configs {
			settings[setting.Key] = setting.MaybeValue()
		}
		all[topic.Name] = settings
	}
	return all, nil
}

func (a *Admin) settingsOneByOne(ctx context.Context, topics []string) (map[string]map[string]string, error) {
	all := map[string]map[string]string{}
	for _, topic := range topics {
		one, err := a.Settings(ctx, topic)
		if err != nil {
			return nil, err
		}
		maps.Copy(all, one)
	}
	return all, nil
}

// compareSettings names what differs in topics of ours that existed before.
func compareSettings(t topology.Topology, p Prepared, c cluster, settings map[string]map[string]string) []string {
	var existed []topology.Topic
	var warnings []string
	for _, topic := range t.Topics {
		if _, known := settings[topic.Name]; !known {
			warnings = append(warnings, fmt.Sprintf("the settings of topic %s may not be read: the user lacks DescribeConfigs on it; auditstream check prints the kafka-acls command", topic.Name))
			continue
		}
		if topic.Create && !slices.Contains(p.Created, topic.Name) {
			existed = append(existed, topic)
		}
	}
	replicas, minISR := topology.Replication(c.brokers, 1, 1)
	differs := func(topic, setting, has, wants string) {
		warnings = append(warnings, fmt.Sprintf("topic %s has %s %s, auditstream would make it with %s", topic, setting, has, wants))
	}
	for _, topic := range existed {
		if has := p.Topics[topic.Name].Partitions.NumReplicas(); has < replicas {
			differs(topic.Name, "replication factor", strconv.Itoa(has), strconv.Itoa(replicas))
		}
		has := settings[topic.Name]
		if policy := has["cleanup.policy"]; topic.CleanupPolicy != "" && !sameSet(policy, topic.CleanupPolicy) {
			differs(topic.Name, "cleanup.policy", policy, topic.CleanupPolicy)
		}
		if n, err := strconv.Atoi(has["min.insync.replicas"]); err == nil && n < minISR {
			differs(topic.Name, "min.insync.replicas", strconv.Itoa(n), strconv.Itoa(minISR))
		}
	}
	return warnings
}

// maxBytes are the largest batches that topics take.
func maxBytes(settings map[string]map[string]string) map[string]int {
	all := make(map[string]int, len(settings))
	for topic, has := range settings {
		if n, err := strconv.Atoi(has["max.message.bytes"]); err == nil {
			all[topic] = n
		}
	}
	return all
}

// sameSet compares lists separated by commas, in any order.
func sameSet(a, b string) bool {
	sorted := func(list string) []string {
		elements := strings.Split(list, ",")
		for i := range elements {
			elements[i] = strings.TrimSpace(elements[i])
		}
		slices.Sort(elements)
		return elements
	}
	return slices.Equal(sorted(a), sorted(b))
}
