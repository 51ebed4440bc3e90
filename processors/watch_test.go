package processors_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/kafkatest"
	"github.com/auditstream/auditstream/processors"
)

// Of two instances the one that judges topics tells a watched group's lag, so
// that it is exported once; when it ends, the other one does.
func TestAWatchedGroupIsToldByOneInstance(t *testing.T) {
	t.Parallel()
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		r := newRig(t, c, 2)
		group := c.Group(t)
		for i := range 12 {
			r.produce(r.tick(0, "QXA", time.Duration(i)*time.Millisecond))
		}
		offsets := kadm.Offsets{}
		offsets.Add(kadm.Offset{Topic: r.topic(), At: 1, LeaderEpoch: -1})
		kafkatest.Eventually(t, "the commit", func() bool {
			return r.admin.CommitAllOffsets(context.Background(), group, offsets) == nil
		})
		watching := func(status *processors.Status) option {
			return func(r *rig) {
				r.cfg.LagGroups, r.cfg.Status = []string{group}, status
				r.cfg.Limits.MaxLagTicks = 10
			}
		}
		lag := func(status *processors.Status) []processors.LagStatus {
			return slices.DeleteFunc(status.Stats().Lags, func(l processors.LagStatus) bool { return l.Lag < 0 })
		}
		statuses := []*processors.Status{processors.NewStatus(), processors.NewStatus()}
		one := r.start(instance("one"), watching(statuses[0]))
		kafkatest.Eventually(t, "the first to tell the lag", func() bool { return len(lag(statuses[0])) == 1 })
		if l := lag(statuses[0])[0]; l.Group != group || l.Lag != 11 || l.Committed != 1 || l.Partition != 0 {
			t.Errorf("lag %+v", l)
		}
		kafkatest.Eventually(t, "the finding", func() bool { return statuses[0].Stats().Opened[engine.ConsumerLag] == 1 })
		two := r.start(instance("two"), watching(statuses[1]))
		kafkatest.Eventually(t, "one of the two alone to tell it", func() bool {
			return statuses[1].Stats().Ready && len(lag(statuses[0]))+len(lag(statuses[1])) == 1
		})
		one.stop()
		kafkatest.Eventually(t, "the second to tell it", func() bool { return len(lag(statuses[1])) == 1 })
		two.stop()
		found, _ := r.opened()
		if got := found[engine.ConsumerLag]; len(got) != 1 || got[0].Group != group || got[0].Observed != 11 {
			t.Errorf("found %+v, want one CONSUMER_LAG", got)
		}
	})
}
