package processors_test

import (
	"testing"
	"time"

	"github.com/auditstream/auditstream/internal/kafkatest"
	"github.com/auditstream/auditstream/topology"
)

// A symbol that is split over partitions is one symbol.
func TestSymbolsAreCountedOnce(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *kafkatest.Cluster, guarantee option) {
		r := newRig(t, c, 2, 1)
		one, two := r.tick(0, "QA", 0), r.tick(1, "QA", time.Millisecond)
		other := r.tick(0, "QA", 0) // on the second topic it is another
		other.Topic = r.topo.OfRole(topology.RoleTicks)[1]
		r.produce(one, two, r.tick(0, "QB", 0), other)
		a := r.start(guarantee)
		held := func() (n int64) {
			for _, p := range a.Status.Stats().Partitions {
				n += p.Symbols
			}
			return n
		}
		kafkatest.Eventually(t, "four places of symbols", func() bool { return held() == 4 })
		kafkatest.Eventually(t, "three symbols", func() bool { return a.Status.SymbolCount() == 3 })
		r.produce(r.tick(1, "QB", time.Millisecond), r.tick(1, "QC", 0))
		kafkatest.Eventually(t, "six places of symbols", func() bool { return held() == 6 })
		kafkatest.Eventually(t, "four symbols", func() bool { return a.Status.SymbolCount() == 4 })
		a.stop()
		if n := a.Status.SymbolCount(); n != 0 {
			t.Errorf("%d symbols of an audit that has ended", n)
		}
	})
}
