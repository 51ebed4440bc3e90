package main

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/auditstream/auditstream/internal/kafkatest"
	"github.com/auditstream/auditstream/topology"
)

// alerting is an audit topic and what `alert` is asked for it.
type alerting struct {
	*kafkatest.Cluster
	topic string
	names topology.Names
	args  []string
}

func newAlerting(t *testing.T, c *kafkatest.Cluster) *alerting {
	t.Helper()
	target := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(target.Close)
	name := kafkatest.Name(t)
	a := &alerting{c, c.Topic(t, 1), topology.NamesOf(name), nil}
	a.args = []string{"alert", "--set", "bootstrap.servers=" + c.Brokers[0], "--set", "name=" + name, "--set", "audit.topic=" + a.topic,
		"--set", "alert.target=webhook", "--set", "alert.url=" + target.URL, "--set", "instance.id=test"}
	c.DeleteTopicsAtEnd(t, a.names.AlertTable)
	return a
}

// until runs a bridge until the group has committed of so many partitions.
func (a *alerting) until(t *testing.T, partitions int) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var said bytes.Buffer
	code := make(chan int, 1)
	go func() { code <- run(ctx, a.args, strings.NewReader(""), &said, &said, nil) }()
	kafkatest.Eventually(t, "offsets of every partition", func() bool {
		offsets, err := a.Admin(t).FetchOffsets(t.Context(), a.names.AlertGroup)
		return err == nil && len(offsets[a.topic]) == partitions
	})
	stop()
	if code := <-code; code != exitDone {
		t.Fatalf("exit code %d, %s", code, said.String())
	}
}

// A table that the audit topic has outgrown keeps what it holds.
func TestAlertWidensItsTable(t *testing.T) {
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		a := newAlerting(t, c)
		a.until(t, 1)
		a.Grow(t, 3, a.topic)
		a.until(t, 3)
		if a.Width(t, a.names.AlertTable) != 3 {
			t.Errorf("a table of %d partitions", a.Width(t, a.names.AlertTable))
		}
	})
}

// Without the right to alter the table the command is told, and nothing that
// would have everything told again.
func TestAlertTellsWhoMayWidenTheTable(t *testing.T) {
	c := kafkatest.Fake(t)
	a := newAlerting(t, c)
	a.until(t, 1)
	a.Grow(t, 3, a.topic)
	c.RefuseGrowth()
	var said bytes.Buffer
	code := run(t.Context(), a.args, strings.NewReader(""), &said, &said, nil)
	command := "kafka-topics.sh --bootstrap-server " + c.Brokers[0] + " --alter --topic " + a.names.AlertTable + " --partitions 3"
	if code != exitUsage || !strings.Contains(said.String(), command) || strings.Contains(said.String(), "delete the topic") || a.Width(t, a.names.AlertTable) != 1 {
		t.Errorf("exit code %d, %s", code, said.String())
	}
}

func TestAlertOnATakenPortNamesItsKeyAndMakesNoTopic(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	a := newAlerting(t, kafkatest.Fake(t))
	var said bytes.Buffer
	code := run(t.Context(), append(a.args, "--set", "alert.listeners=http://"+taken.Addr().String()), strings.NewReader(""), &said, &said, nil)
	if text := said.String(); code != exitFailed || !strings.Contains(text, "alert.listeners: http://"+taken.Addr().String()+" is taken") ||
		!strings.Contains(text, "--set alert.listeners=http://127.0.0.1:0 ") || strings.Contains(text, "rest.listeners") {
		t.Errorf("exit code %d, %s", code, text)
	}
	topics, err := a.Admin(t).ListTopics(t.Context())
	if err != nil || topics.Has(a.names.AlertTable) {
		t.Errorf("topics %v, %v", topics.Names(), err)
	}
}
