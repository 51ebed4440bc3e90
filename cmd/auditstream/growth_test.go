package main

import (
	"bytes"
	"net"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/check"
	"github.com/auditstream/auditstream/internal/kafkatest"
	"github.com/auditstream/auditstream/topology"
)

// grownBetweenRuns is an audit whose topic has grown from 2 to 4 partitions
// after it ended.
type grownBetweenRuns struct {
	*kafkatest.Cluster
	topic string
	names topology.Names
	args  []string
}

func newGrownBetweenRuns(t *testing.T, c *kafkatest.Cluster) *grownBetweenRuns {
	t.Helper()
	name := kafkatest.Name(t)
	g := &grownBetweenRuns{c, c.Topic(t, 2), topology.NamesOf(name), nil}
	g.args = []string{"--set", "bootstrap.servers=" + c.Brokers[0], "--set", "name=" + name, "--set", "topics=" + g.topic,
		"--set", "rest.listeners=", "--set", "state.dir=" + t.TempDir(), "--set", "consumer.override.session.timeout.ms=6000"}
	c.DeleteTopicsAtEnd(t, g.topic+".audit", g.names.Table, g.names.DistributionTopic, g.names.DistributionTable)
	c.Produce(t, ticksBy(t, g.topic, "java", 2, symbolNames(30)...)...)
	if code, said := g.run(t); code != exitDone {
		t.Fatalf("exit code %d, %s", code, said)
	}
	g.Grow(t, 4, g.topic)
	c.Produce(t, ticksBy(t, g.topic, "java", 4, symbolNames(30)...)...)
	return g
}

func (g *grownBetweenRuns) run(t *testing.T) (int, string) {
	t.Helper()
	var said bytes.Buffer
	code := run(t.Context(), append([]string{"run", "--stop-at-end", "--log-level", "error"}, g.args...), strings.NewReader(""), &said, &said, nil)
	return code, said.String()
}

// A table that a topic has outgrown between two runs is made as wide at the
// start, and the audit goes on with what it knew.
func TestRunWidensATableThatATopicHasOutgrown(t *testing.T) {
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		g := newGrownBetweenRuns(t, c)
		_, _, checks := checked(t, append([]string{"--json"}, g.args...)...)
		if got := checks["table topic "+g.names.Table]; got.Status != check.Warn || !strings.Contains(got.Action, "run makes it wider") ||
			!strings.Contains(got.Action, "--bootstrap-server "+c.Brokers[0]+" --alter --topic "+g.names.Table+" --partitions 4") {
			t.Errorf("check: %+v", got)
		}
		if g.Width(t, g.names.Table) != 2 {
			t.Error("check has made the table wider")
		}
		if code, said := g.run(t); code != exitDone || g.Width(t, g.names.Table) != 4 {
			t.Fatalf("exit code %d, a table of %d partitions; %s", code, g.Width(t, g.names.Table), said)
		}
		var last *engine.Report
		changes := 0
		c.AwaitStable(t, g.topic+".audit")
		for _, record := range c.ReadAll(t, g.topic+".audit", true) {
			r, err := codecs.DecodeReport(record.Value)
			if err != nil {
				t.Fatal(err)
			}
			if r.Scope == engine.ScopeTopic && r.Trigger == engine.TriggerFinal {
				last = r
			}
			for _, f := range r.Findings {
				switch {
				case f.Code == engine.SymbolSplit || f.Code == engine.PartitionerMixed:
					t.Errorf("%s: %s", f.Code, f.Cause)
				case f.Code == engine.PartitionsChanged && f.State == engine.Opened:
					changes++
				}
			}
		}
		if last == nil || last.TotalTicks != 60 || last.Partitions != 4 || changes != 1 {
			t.Errorf("%d findings of growth, FINAL %+v", changes, last)
		}
	})
}

// Without the right to alter the table nothing is begun, and the command told.
func TestRunTellsWhoMayWidenTheTable(t *testing.T) {
	c := kafkatest.Fake(t)
	g := newGrownBetweenRuns(t, c)
	c.RefuseGrowth()
	code, said := g.run(t)
	if command := "kafka-topics.sh --bootstrap-server " + c.Brokers[0] + " --alter --topic " + g.names.Table + " --partitions 4"; code != exitUsage ||
		!strings.Contains(said, command) || !strings.Contains(said, "TOPIC_AUTHORIZATION_FAILED") || g.Width(t, g.names.Table) != 2 {
		t.Errorf("exit code %d, %s", code, said)
	}
}

// What keeps an audit from starting leaves no topics behind.
func TestRunOnATakenPortMakesNoTopic(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	c := kafkatest.Fake(t)
	topic, name := c.Topic(t, 2), kafkatest.Name(t)
	var said bytes.Buffer
	code := run(t.Context(), []string{"run", "--stop-at-end", "--set", "bootstrap.servers=" + c.Brokers[0], "--set", "name=" + name,
		"--set", "topics=" + topic, "--set", "rest.listeners=http://" + taken.Addr().String(), "--set", "state.dir=" + t.TempDir()},
		strings.NewReader(""), &said, &said, nil)
	topics, err := c.Admin(t).ListTopics(t.Context())
	if err != nil || code != exitFailed || !strings.Contains(said.String(), "is taken by another process") || topics.Has(topic+".audit") || topics.Has(topology.NamesOf(name).Table) {
		t.Errorf("exit code %d, topics %v (%v), %s", code, topics.Names(), err, said.String())
	}
}

// A table of any other width than that of the audit's own state is refused.
func TestRunLeavesAnotherNarrowTableAlone(t *testing.T) {
	c := kafkatest.Fake(t, kfake.NumBrokers(1))
	g := newGrownBetweenRuns(t, c)
	if _, err := g.Admin(t).DeleteTopics(t.Context(), g.names.Table); err != nil {
		t.Fatal(err)
	}
	g.CreateTopic(t, g.names.Table, 3, "cleanup.policy=compact")
	if code, said := g.run(t); code != exitUsage || !strings.Contains(said, "rows would not lie beside their ticks") || g.Width(t, g.names.Table) != 3 {
		t.Errorf("exit code %d, %s", code, said)
	}
}
