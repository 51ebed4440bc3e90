package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/auditstream/auditstream/internal/check"
	"github.com/auditstream/auditstream/internal/kafkatest"
)

// checked runs check and returns its exit code and, with --json, the statuses
// by name.
func checked(t *testing.T, args ...string) (int, string, map[string]check.Check) {
	t.Helper()
	var out bytes.Buffer
	code := run(t.Context(), append([]string{"check"}, args...), strings.NewReader(""), &out, os.Stderr, nil)
	var result struct{ Checks []check.Check }
	byName := map[string]check.Check{}
	if json.Unmarshal(out.Bytes(), &result) == nil {
		for _, c := range result.Checks {
			byName[c.Name] = c
		}
	}
	return code, out.String(), byName
}

func TestCheckOfACluster(t *testing.T) {
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		ticks, name := c.Topic(t, 4), kafkatest.Name(t)
		args := []string{"--json", "--set", "bootstrap.servers=" + c.Brokers[0], "--set", "name=" + name, "--set", "topics=" + ticks}
		code, out, checks := checked(t, args...)
		if code != exitDone || len(checks) != 8 {
			t.Fatalf("a cluster as it should be: exit code %d, %s", code, out)
		}
		table := "auditstream-" + name + "-table"
		if got := checks["table topic "+table]; got.Status != check.OK || got.Observed != "does not exist; run makes it" {
			t.Errorf("a missing table: %+v", got)
		}
		if topics, err := c.Admin(t).ListTopics(t.Context(), table); err != nil || topics.Has(table) {
			t.Errorf("check has made %s (%v)", table, err)
		}

		c.CreateTopic(t, table, 2, "cleanup.policy=compact")
		c.CreateTopic(t, ticks+".audit", 1, "cleanup.policy=compact")
		code, out, checks = checked(t, args...)
		if got := checks["table topic "+table]; code != exitFindings || got.Status != check.Fail ||
			got.Observed != "2 partitions" || !strings.HasPrefix(got.Expected, "4 partitions") || !strings.Contains(got.Action, "--partitions 4") {
			t.Errorf("a table that is too narrow: exit code %d, %s", code, out)
		}
		if got := checks["audit topic "+ticks+".audit"]; got.Status != check.Warn || !strings.Contains(got.Action, "cleanup.policy=delete") {
			t.Errorf("an audit topic that is compacted: %+v", got)
		}
		if code, _, _ := checked(t, append(args, "--fail-on", "never")...); code != exitDone {
			t.Errorf("--fail-on never: exit code %d", code)
		}
	})
}

func TestCheckNamesTheNearestTopic(t *testing.T) {
	c := kafkatest.Fake(t)
	c.CreateTopic(t, "market-ticks", 1)
	code, out, _ := checked(t, "--set", "bootstrap.servers="+c.Brokers[0], "--set", "topics=market-tics")
	if code != exitFindings || !strings.Contains(out, `fail    ticks topic market-tics`) ||
		!strings.Contains(out, `the nearest name is "market-ticks"`) || !strings.Contains(out, "next: create it") {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

func TestCheckWithoutABroker(t *testing.T) {
	code, out, checks := checked(t, "--json", "--set", "bootstrap.servers=127.0.0.1:1", "--set", "topics=ticks")
	if code != exitFindings || checks["reach"].Status != check.Fail || checks["ticks topic ticks"].Status != check.Unknown {
		t.Errorf("exit code %d, %s", code, out)
	}
}

func TestCheckNeedsATopic(t *testing.T) {
	if code, out, _ := checked(t, "--set", "bootstrap.servers=127.0.0.1:1"); code != exitUsage || out != "" {
		t.Errorf("exit code %d, %s", code, out)
	}
}
