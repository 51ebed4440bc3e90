package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/auditstream/auditstream/engine"
)

// The replication under which one broker may fail without loss and without a
// stop, with acks=all.
const (
	wantedReplicas = 3
	wantedISR      = 2
)

// settingsOf holds a tick topic's settings against what ticks need.
func (c *cluster) settingsOf(topic string, needs Needs) []Check {
	checks := []Check{c.replication(topic), c.health(topic)}
	settings, known := c.settings[topic]
	if !known {
		return append(checks, Check{
			"settings of " + topic, Unknown, "may not be read", "read", "grant the right DescribeConfigs, see the rights on the topic",
		})
	}
	checks = append(checks,
		c.minISR(topic, settings["min.insync.replicas"]),
		c.uncleanElection(topic, settings["unclean.leader.election.enable"]),
		c.cleanup(topic, settings["cleanup.policy"]),
		c.retention(topic, settings["retention.ms"], needs),
		c.timestampType(topic, settings["message.timestamp.type"]))
	return append(checks, c.size(topic, settings, needs)...)
}

func (c *cluster) replication(topic string) Check {
	has := c.details[topic].Partitions.NumReplicas()
	result := Check{"replication of " + topic, OK, strconv.Itoa(has), strconv.Itoa(wantedReplicas) + " or more", ""}
	if has < wantedReplicas {
		result.Status = Warn
		result.Action = fmt.Sprintf("kafka-reassign-partitions.sh with %d replicas for every partition", wantedReplicas)
		if c.brokers < wantedReplicas {
			result.Action = fmt.Sprintf("a cluster of %d brokers or more; this one has %d, and what it loses is lost", wantedReplicas, c.brokers)
		}
	}
	return result
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

func (c *cluster) minISR(topic, value string) Check {
	result := Check{"min.insync.replicas of " + topic, OK, value, strconv.Itoa(wantedISR) + ", below the replication", ""}
	n, err := strconv.Atoi(value)
	replicas := c.details[topic].Partitions.NumReplicas()
	switch {
	case err != nil:
		result.Status, result.Observed, result.Action = Unknown, "not told", c.alter(topic, "min.insync.replicas=2")
	case n < wantedISR:
		result.Status, result.Action = Warn, c.alter(topic, "min.insync.replicas=2")+", so that acks=all means two brokers"
	case n >= replicas:
		result.Status, result.Observed = Warn, fmt.Sprintf("%d of %s", n, engine.Plural(int64(replicas), "replica"))
		result.Action = "more replicas: as it is, one broker that fails stops the producers"
	}
	return result
}

func (c *cluster) uncleanElection(topic, value string) Check {
	result := Check{"unclean.leader.election.enable of " + topic, OK, value, "false", ""}
	switch value {
	case "":
		result.Status, result.Observed, result.Action = Unknown, "not told", c.alter(topic, "unclean.leader.election.enable=false")
	case "true":
		result.Status = Warn
		result.Action = c.alter(topic, "unclean.leader.election.enable=false") + ": an election may cut off ticks that consumers have read"
	}
	return result
}

func (c *cluster) cleanup(topic, value string) Check {
	result := Check{"cleanup.policy of " + topic, OK, value, "delete", ""}
	if strings.Contains(value, "compact") {
		result.Status = Warn
		result.Action = c.alter(topic, "cleanup.policy=delete") + ": compaction keeps the last tick of a symbol alone"
	}
	return result
}

func (c *cluster) retention(topic, value string, needs Needs) Check {
	result := Check{"retention.ms of " + topic, OK, value, fmt.Sprintf("-1, or %d (%s) or more", needs.Keep.Milliseconds(), needs.Keep), ""}
	ms, err := strconv.ParseInt(value, 10, 64)
	switch {
	case err != nil:
		result.Status, result.Observed, result.Action = Unknown, "not told", "see kafka-configs.sh --describe --topic "+topic
	case ms >= 0 && ms < needs.Keep.Milliseconds():
		result.Status = Warn
		result.Observed += fmt.Sprintf(" (%s)", time.Duration(ms)*time.Millisecond)
		result.Action = c.alter(topic, fmt.Sprintf("retention.ms=%d", needs.Keep.Milliseconds())) + ", or say with --keep what must stay readable"
	}
	return result
}

// timestampType tells whose clock record times are; either will do.
func (c *cluster) timestampType(topic, value string) Check {
	result := Check{"message.timestamp.type of " + topic, OK, value, "CreateTime or LogAppendTime", ""}
	switch value {
	case "CreateTime":
		result.Observed += ": record times are the producers'"
	case "LogAppendTime":
		result.Observed += ": record times are the brokers'"
	default:
		result.Status, result.Observed, result.Action = Unknown, "not told", "see kafka-configs.sh --describe --topic "+topic
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
