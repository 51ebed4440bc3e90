package topology_test

import (
	"strings"
	"testing"

	"github.com/auditstream/auditstream/internal/doctest"
	"github.com/auditstream/auditstream/topology"
)

func example() topology.Topology {
	return topology.New(topology.Options{
		Name:            "prices",
		Topics:          []string{"ticks", "trades"},
		DeadLetterTopic: "ticks.unreadable",
	})
}

func TestDocsTopology(t *testing.T) {
	doctest.Check(t, "topology.md", `# Topology

How an audit is laid out on Kafka, printed by topology.Describe for the
configuration `+"`name=prices`, `topics=ticks,trades`,\n`errors.deadletterqueue.topic.name=ticks.unreadable`"+`. Do not edit: `+"`make docs`"+` writes it.

`+example().Describe()+`
The table holds the rows of all tick topics: a row's key carries its topic, and
the row lies on the partition on which its ticks arrived. A topic with fewer
partitions than the table leaves the rest of it unused.

# Alerting

What `+"`auditstream alert`"+` adds, on its own or beside the audit.

`+topology.Alerting("prices", "ticks.audit").Describe()+`
The table holds a row for each alert that is open or was over in the last hour, on
the partition of the audit topic that its reports lie on.
`)
}

func TestNamesFollowFromTheConfiguredName(t *testing.T) {
	got := topology.NamesOf("auditstream")
	want := topology.Names{
		Group:             "auditstream-auditstream",
		Table:             "auditstream-auditstream-table",
		DistributionGroup: "auditstream-auditstream-distribution",
		DistributionTopic: "auditstream-auditstream-distribution",
		DistributionTable: "auditstream-auditstream-distribution-table",
		AlertGroup:        "auditstream-auditstream-alert",
		AlertTable:        "auditstream-auditstream-alert-table",
	}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestValidateAcceptsWhatNewMakes(t *testing.T) {
	if err := example().Validate(); err != nil {
		t.Error(err)
	}
}

func TestValidateTellsEveryFault(t *testing.T) {
	long := strings.Repeat("x", 250)
	for name, test := range map[string]struct {
		topology topology.Topology
		faults   []string
	}{
		"several at once": {
			topology.New(topology.Options{Name: "n", Topics: []string{"a b", "ticks", "ticks", "ticks.audit", ".."}, AuditTopic: "ticks.audit"}),
			[]string{
				`topic "a b": only letters`, `topic "..": the name is reserved`,
				`topic "ticks" is listed twice`, `topic "ticks.audit" cannot be both ticks and audit topic`,
			},
		},
		"table among the tick topics": {
			topology.New(topology.Options{Name: "n", Topics: []string{"auditstream-n-table"}}),
			[]string{`topic "auditstream-n-table" cannot be both ticks and table topic`},
		},
		"another audit's topics": {
			topology.New(topology.Options{Name: "n", Topics: []string{"auditstream-m-table", "auditstream-m-distribution", "auditstream-m-distribution-table", "auditstream-table"}}),
			[]string{
				`topic "auditstream-m-table" is a table or statistics topic of another audit`,
				`topic "auditstream-m-distribution" is a table or statistics topic of another audit`,
				`topic "auditstream-m-distribution-table" is a table or statistics topic of another audit`,
			},
		},
		"audit and dead-letter topic are one": {
			topology.New(topology.Options{Name: "n", Topics: []string{"t"}, DeadLetterTopic: "t.audit"}),
			[]string{`topic "t.audit" cannot be both audit and dead letter topic`},
		},
		"no topics":       {topology.New(topology.Options{Name: "n", AuditTopic: "a"}), []string{"no topic to audit"}},
		"metric names":    {topology.New(topology.Options{Name: "n", Topics: []string{"t_audit", "t"}, AuditTopic: "t.audit"}), []string{`topics "t_audit" and "t.audit" differ only in '.' and '_'`}},
		"name too long":   {topology.New(topology.Options{Name: "n", Topics: []string{long}, AuditTopic: "a"}), []string{"the name has 250 characters"}},
		"edge to nowhere": {topology.Topology{Topics: []topology.Topic{{Name: "t", Role: topology.RoleTicks}}, Groups: []topology.Group{{Name: "g", Inputs: []string{"t"}, Table: "missing"}}}, []string{`group "g": topic "missing" is not part of the topology`}},
		"writes to ticks": {topology.Topology{
			Topics: []topology.Topic{{Name: "t", Role: topology.RoleTicks}, {Name: "tab", Role: topology.RoleTable, Create: true}},
			Groups: []topology.Group{{Name: "g", Inputs: []string{"t"}, Table: "tab", Outputs: []string{"t"}}},
		}, []string{`group "g" writes to "t", which is only read`, `table "tab" must be compacted`}},
	} {
		t.Run(name, func(t *testing.T) {
			err := test.topology.Validate()
			if err == nil {
				t.Fatal("no fault")
			}
			if lines := strings.Count(err.Error(), "\n") + 1; lines != len(test.faults) {
				t.Errorf("%d faults, want %d:\n%v", lines, len(test.faults), err)
			}
			for _, fault := range test.faults {
				if !strings.Contains(err.Error(), fault) {
					t.Errorf("missing %q in:\n%v", fault, err)
				}
			}
		})
	}
}

func TestTableIsAsWideAsTheWidestTickTopic(t *testing.T) {
	table, _ := example().Topic("auditstream-prices-table")
	got, fixed := table.Partitions.Required(map[string]int{"ticks": 16, "trades": 3, "other": 64})
	if got != 16 || !fixed {
		t.Errorf("got %d, %v; want 16, true", got, fixed)
	}
}

func TestReplication(t *testing.T) {
	for _, test := range []struct{ brokers, replicas, minISR, wantReplicas, wantMinISR int }{
		{1, 1, 1, 0, 0},
		{2, 1, 1, 0, 0},
		{3, 1, 1, 3, 2},
		{3, 3, 1, 0, 2},
		{5, 3, 2, 0, 0},
	} {
		replicas, minISR := topology.Replication(test.brokers, test.replicas, test.minISR)
		if replicas != test.wantReplicas || minISR != test.wantMinISR {
			t.Errorf("%+v: got %d/%d", test, replicas, minISR)
		}
	}
}
