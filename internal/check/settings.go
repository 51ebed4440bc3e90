package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/auditstream/auditstream/engine"
)

// settingsOf holds a tick topic's settings against what ticks need.
func (c *cluster) settingsOf(topic string, needs Needs) []Check {
	settings, known := c.settings[topic]
	says := engine.TopicSettings{
		Topic: topic, Bootstrap: c.bootstrap, Brokers: c.brokers, Replicas: c.details[topic].Partitions.NumReplicas(),
		Values: settings, Keep: needs.Keep,
	}
	var checks []Check
	for i, a := range says.Advise() {
		result := Check{a.Name + " of " + topic, OK, a.Observed, a.Expected, a.Action}
		switch {
		case a.AtOdds:
			result.Status = Warn
		case a.Unknown:
			result.Status = Unknown
		}
		if a.AtOdds && a.Name == "retention.ms" {
			result.Action += ", or say with --keep what must stay readable"
		}
		if checks = append(checks, result); i == 0 {
			checks = append(checks, c.health(topic))
		}
	}
	if !known {
		return append(checks, Check{
			"settings of " + topic, Unknown, "may not be read", "read", "grant the right DescribeConfigs, see the rights on the topic",
		})
	}
	return append(checks, c.size(topic, settings, needs)...)
}

// health looks for partitions without a leader, or with replicas that lag.
func (c *cluster) health(topic string) Check {
	var headless, behind []string
	for _, p := range c.details[topic].Partitions.Sorted() {
		switch {
		case p.Leader < 0:
			headless = append(headless, strconv.Itoa(int(p.Partition)))
		case len(p.ISR) < len(p.Replicas):
			behind = append(behind, strconv.Itoa(int(p.Partition)))
		}
	}
	result := Check{"replicas of " + topic, OK, "all in sync", "all in sync", ""}
	switch {
	case len(headless) > 0:
		result.Status, result.Observed = Fail, "no leader for partitions "+list(headless)
		result.Action = "bring back the brokers that hold them"
	case len(behind) > 0:
		result.Status, result.Observed = Warn, "replicas are missing or behind for partitions "+list(behind)
		result.Action = "find out which broker is down or slow"
	}
	return result
}

// size holds partitions and retention.bytes against a stated load. Without one
// the partition count is told alone.
func (c *cluster) size(topic string, settings map[string]string, needs Needs) []Check {
	count := c.counts[topic]
	result := Check{"partitions of " + topic, OK, strconv.Itoa(count), "as many as the load needs", ""}
	if needs.TicksPerSecond <= 0 {
		result.Expected = "not judged without --rate, --size and --consumers"
		return []Check{result}
	}
	plan, err := engine.PlanTopic(engine.TopicNeeds(needs))
	if err != nil {
		return []Check{failed(result.Name, result.Expected, err)}
	}
	result.Expected = fmt.Sprintf("%d for %g ticks/s of %g B and %s", plan.Partitions, needs.TicksPerSecond, needs.BytesPerTick, engine.Plural(int64(needs.Consumers), "consumer"))
	switch {
	case count < int(plan.Partitions):
		result.Status = Warn
		result.Action = fmt.Sprintf("kafka-topics.sh --bootstrap-server %s --alter --topic %s --partitions %d, when it may be: symbols move; auditstream plan growth tells which", c.bootstrap, topic, plan.Partitions)
	case needs.Consumers > 0 && count%int(needs.Consumers) != 0:
		result.Status = Warn
		result.Action = fmt.Sprintf("a number of consumers that divides %d: as it is some have more partitions than others", count)
	}
	// The plan's retention.bytes is for its own number of partitions.
	wanted := plan.RetentionBytes * int64(plan.Partitions) / int64(count)
	kept := Check{"retention.bytes of " + topic, OK, settings["retention.bytes"], fmt.Sprintf("-1, or %d or more", wanted), ""}
	if n, err := strconv.ParseInt(kept.Observed, 10, 64); err == nil && n >= 0 && n < wanted {
		kept.Status, kept.Action = Warn, c.alter(topic, fmt.Sprintf("retention.bytes=%d", wanted))
	}
	return []Check{result, kept}
}

func (c *cluster) alter(topic, setting string) string {
	return fmt.Sprintf("kafka-configs.sh --bootstrap-server %s --alter --topic %s --add-config %s", c.bootstrap, topic, setting)
}

// ranked are the names of counts, most first, with their numbers.
func ranked(counts map[string]int) []string {
	var names []string
	for name := range counts {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return strings.Compare(a, b)
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, counts[name])
	}
	return names
}
