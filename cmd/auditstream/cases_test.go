package main

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/auditstream/auditstream/internal/kafkatest"
)

// A table that was made with the broker's default partition count is refused
// before the group is joined, and nothing is made beside it.
func TestG06TableWithTheWrongPartitionCount(t *testing.T) {
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		ticks, name := c.Topic(t, 12), kafkatest.Name(t)
		table := "auditstream-" + name + "-table"
		c.CreateTopic(t, table, 1, "cleanup.policy=compact")
		admin := c.Admin(t)
		before, err := admin.ListTopics(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		code := run(t.Context(), []string{
			"run", "--set", "bootstrap.servers=" + c.Brokers[0], "--set", "name=" + name, "--set", "topics=" + ticks,
			"--set", "rest.listeners=", "--set", "state.dir=" + t.TempDir(),
		}, strings.NewReader(""), &out, &errs, nil)
		if code != exitUsage {
			t.Errorf("exit code %d", code)
		}
		for _, text := range []string{table, ticks, "has 1 partition, but", "has 12", "try: kafka-topics.sh"} {
			if !strings.Contains(errs.String(), text) {
				t.Errorf("nothing says %q: %s", text, errs.String())
			}
		}
		after, err := admin.ListTopics(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, topic := range slices.Sorted(maps.Keys(after)) {
			if _, was := before[topic]; !was && strings.Contains(topic, name) {
				t.Errorf("topic %s was made", topic)
			}
		}
		groups, err := admin.ListGroups(t.Context())
		if err != nil || slices.Contains(groups.Groups(), "auditstream-"+name) {
			t.Errorf("groups %v, %v", groups.Groups(), err)
		}
	})
}
