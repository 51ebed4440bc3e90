package fleet

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/kafkatest"
)

// A group that a pattern matches is deleted while no audit runs: the next one
// tells it, as one that runs would have, and the one after it does not tell it
// once more.
func TestAGroupThatWentWhileNoAuditRan(t *testing.T) {
	t.Parallel()
	group := kafkatest.Name(t) + "-strategy"
	a := newAudit(t, 1, "consumer.lag.groups="+group[:len(group)-3]+".*")
	now := time.Now()
	a.Produce(t, &kgo.Record{Topic: a.topic, Key: []byte("AAPL"), Value: value("AAPL", now), Timestamp: now})
	admin := a.Admin(t)
	offsets := kadm.Offsets{}
	offsets.Add(kadm.Offset{Topic: a.topic, At: 1, LeaderEpoch: -1})
	kafkatest.Eventually(t, "the commit of "+group, func() bool {
		return admin.CommitAllOffsets(context.Background(), group, offsets) == nil
	})
	p := a.start(t)
	kafkatest.Eventually(t, "the audit to remember "+group, func() bool {
		topics, err := admin.ListTopics(context.Background(), a.names.DistributionTable)
		if err != nil || topics.Error() != nil {
			return false
		}
		for _, r := range a.ReadAll(t, a.names.DistributionTable, true) {
			if strings.HasSuffix(string(r.Key), "g/0/"+group) {
				return true
			}
		}
		return false
	})
	p.stop(t)
	if _, err := admin.DeleteGroup(context.Background(), group); err != nil {
		t.Fatal(err)
	}
	p = a.start(t)
	gone := func() []engine.Finding { return opened(t, a.read(t), engine.OffsetInconsistency) }
	kafkatest.Eventually(t, "the group to be told as gone", func() bool { return len(gone()) > 0 })
	p.stop(t)
	a.toEnd(t)
	fs := gone()
	if len(fs) != 1 || fs[0].Group != group || fs[0].Evidence["kind"] != "EXPIRED" || fs[0].Evidence["last_committed"] != 1.0 {
		t.Fatalf("told %+v", fs)
	}
	for _, f := range final(t, a.read(t)).Findings {
		if f.ID == fs[0].ID && f.State == engine.Updated {
			return
		}
	}
	t.Errorf("the end does not list it as open: %+v", final(t, a.read(t)).Findings)
}
