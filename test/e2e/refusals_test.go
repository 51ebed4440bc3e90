package e2e

import (
	"context"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/internal/kafkatest"
)

// refused runs the audit, which must end by itself with a code of failure and
// one message that has every word of want, and must have joined no group and
// made no topic.
func (a *audited) refused(t *testing.T, want ...string) {
	t.Helper()
	before := a.footprint(t)
	code, said := run(t, "run", "-c", a.file, "--stop-at-end")
	if code != 1 && code != 2 {
		t.Errorf("exit %d, want 1 or 2", code)
	}
	message, n := "", 0
	for line := range strings.Lines(said) {
		if strings.HasPrefix(line, "auditstream: ") {
			message, n = line, n+1
		}
	}
	if n != 1 {
		t.Fatalf("%d messages, want one:\n%s", n, said)
	}
	for _, word := range want {
		if !strings.Contains(message, word) {
			t.Errorf("the message does not tell of %q:\n%s", word, said)
		}
	}
	if after := a.footprint(t); after != before {
		t.Errorf("a refused run changed the cluster\nfrom %s\nto   %s", before, after)
	}
}

// footprint is what the cluster knows of this audit: its topics and their
// partition counts, its groups and their members.
func (a *audited) footprint(t *testing.T) string {
	t.Helper()
	adm := a.Admin(t)
	topics, err := adm.ListTopics(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var s strings.Builder
	for _, name := range slices.Sorted(maps.Keys(topics)) {
		if strings.Contains(name, a.name) || strings.Contains(name, a.topic) {
			fmt.Fprintf(&s, "%s=%d ", name, len(topics[name].Partitions))
		}
	}
	own := []string{"auditstream-" + a.name, "auditstream-" + a.name + "-distribution"}
	var groups kadm.DescribedGroups
	// A broker that has just started makes its coordinators when asked first.
	kafkatest.Eventually(t, "a coordinator", func() bool {
		groups, err = adm.DescribeGroups(t.Context(), own...)
		return err == nil
	})
	for _, name := range own {
		g := groups[name]
		fmt.Fprintf(&s, "%s: %s", name, g.State)
		for _, m := range g.Members {
			fmt.Fprintf(&s, " %s", m.MemberID)
		}
		s.WriteString("; ")
	}
	return s.String()
}

func TestMissingTopicIsRefused(t *testing.T) {
	a := newAudited(t, 2)
	a.topic += "-absent"
	a.configure(t)
	a.refused(t, a.topic, "does not exist")
}

func TestWrongTableIsRefused(t *testing.T) {
	a := newAudited(t, 4)
	a.CreateTopic(t, a.table(), 3, "cleanup.policy=compact")
	a.refused(t, a.table(), "3", "4")
}

func TestGroupInUseIsRefused(t *testing.T) {
	a := newAudited(t, 2)
	member := a.Client(t, kgo.ConsumerGroup("auditstream-"+a.name), kgo.ConsumeTopics(a.topic))
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	go member.PollFetches(ctx)
	adm := a.Admin(t)
	kafkatest.Eventually(t, "a stable group of somebody else", func() bool {
		groups, err := adm.DescribeGroups(ctx, "auditstream-"+a.name)
		return err == nil && groups["auditstream-"+a.name].State == "Stable"
	})
	a.refused(t, "auditstream-"+a.name, "in use")
}

func TestNoBrokerIsRefused(t *testing.T) {
	a := newAudited(t, 2)
	nobody, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := nobody.Addr().String()
	nobody.Close()
	a.configure(t, "bootstrap.servers="+address)
	began := time.Now()
	a.refused(t, address)
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("it took %s to say that nobody answers", took.Round(time.Second))
	}
}
