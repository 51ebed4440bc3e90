package topology_test

import (
	"testing"

	"github.com/auditstream/auditstream/topology"
)

func TestAccess(t *testing.T) {
	audit := topology.New(topology.Options{Name: "a", Topics: []string{"ticks"}, DeadLetterTopic: "dead"})
	alerting := topology.Alerting("a", "ticks.audit")
	for _, c := range []struct {
		of            topology.Topology
		topic         string
		reads, writes bool
	}{
		{audit, "ticks", true, false},
		{audit, "auditstream-a-table", true, true},
		{audit, "auditstream-a-distribution", true, true},
		{audit, "auditstream-a-distribution-table", true, true},
		{audit, "ticks.audit", false, true},
		{audit, "dead", false, true},
		{audit, "another", false, false},
		{alerting, "ticks.audit", true, false},
		{alerting, "auditstream-a-alert-table", true, true},
	} {
		if reads, writes := c.of.Access(c.topic); reads != c.reads || writes != c.writes {
			t.Errorf("%s: reads %v, writes %v", c.topic, reads, writes)
		}
	}
}
