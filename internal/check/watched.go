package check

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/config"
	"github.com/auditstream/auditstream/internal/kafka"
)

// watched says which groups consumer.lag.groups finds, and how far behind
// each is.
func watched(ctx context.Context, admin *kafka.Admin, c *config.Config) []Check {
	if len(c.ConsumerLagGroups) == 0 {
		return nil
	}
	const expected = "exists and reads the topics"
	all, err := admin.ListGroups(ctx)
	if err != nil {
		return []Check{unmeasured("watched groups", expected, fmt.Errorf("list groups: %w", err))}
	}
	ends, err := admin.EndOffsets(ctx, c.Topics...)
	if err != nil {
		return []Check{unmeasured("watched groups", expected, err)}
	}
	var checks []Check
	for _, name := range c.ConsumerLagGroups {
		re, err := regexp.Compile("^(?:" + name + ")$")
		if err != nil {
			checks = append(checks, failed("watched group "+name, expected, err))
			continue
		}
		found := false
		for _, group := range all.Sorted() {
			if !re.MatchString(group.Group) {
				continue
			}
			found = true
			checks = append(checks, lagCheck(ctx, admin, c, group.Group, kindOf(group.GroupType, group.State), ends))
		}
		if !found {
			checks = append(checks, Check{
				"watched group " + name, Warn, "no group that may be seen has that name", expected,
				"correct consumer.lag.groups, start the group, or let this audit see it: " + grants{command: Granting(c.BootstrapServers[0], kafka.Principal(c))}.command + " --operation Describe --group " + quoted(name),
			})
		}
	}
	return checks
}

func kindOf(kind, state string) string {
	if kind == "" {
		kind = "classic"
	}
	return strings.ToLower(kind) + ", " + strings.ToLower(state)
}

func lagCheck(ctx context.Context, admin *kafka.Admin, c *config.Config, group, kind string, ends kafka.Offsets) Check {
	result := Check{"watched group " + group, OK, kind, fmt.Sprintf("at most %s behind on any partition", engine.Plural(c.MaxLagTicks, "record")), ""}
	commits, err := admin.CommittedOffsets(ctx, group)
	if err != nil {
		return unmeasured(result.Name, result.Expected, err)
	}
	var total, worst int64
	partitions, without := 0, 0
	for topic, byPartition := range ends {
		for partition, end := range byPartition {
			committed, known := commits[topic][partition]
			if !known {
				without++
				continue
			}
			partitions++
			lag := max(0, end-committed)
			total += lag
			worst = max(worst, lag)
		}
	}
	switch {
	case partitions == 0:
		result.Status, result.Observed = Warn, kind+"; it has committed nothing of these topics"
		result.Action = "correct consumer.lag.groups, or let the group commit its offsets"
		return result
	case worst > c.MaxLagTicks:
		result.Status, result.Action = Warn, "find out what holds the group up, or raise max.lag.ticks"
	}
	result.Observed = fmt.Sprintf("%s; %s behind on %s, %d at most on one", kind, engine.Plural(total, "offset"), engine.Plural(int64(partitions), "partition"), worst)
	if without > 0 {
		result.Observed += fmt.Sprintf("; nothing committed on %d", without)
	}
	return result
}
