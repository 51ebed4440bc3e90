//go:build !race

package processors_test

// sarama 1.61.1 reads its transaction manager's state without the lock while
// the response of a refused produce changes it (publishTxnPartitions beside
// transitionTo), which the race detector reports for any program. Tests that
// have produces refused on purpose are run without the detector, in CI too.

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/kafkatest"
	"github.com/auditstream/auditstream/topology"
)

// A report that cannot be written holds its record's offset back, whatever
// else is acknowledged; after a crash it is written.
func TestG04FailedReportHoldsTheOffset(t *testing.T) {
	t.Parallel()
	r := newRig(t, kafkatest.Fake(t), 1)
	var ticks []*kgo.Record
	for i := range 13 {
		after := time.Duration(i) * 20 * time.Second
		if i >= 10 {
			after = 0 // three late ticks, three reports
		}
		ticks = append(ticks, r.tick(0, fmt.Sprintf("Q%d", i%3), after))
	}
	r.produce(ticks...)
	audit := r.topo.OfRole(topology.RoleAudit)[0]
	refuse := refuseProduce(r.cluster, audit)
	a := r.start(atLeastOnce)
	refuse.awaitRefused(t, 3)
	if got := r.committed(r.topic(), 0); got > 10 {
		t.Errorf("committed %d while reports of offset 10 are refused", got)
	}
	a.cancel()
	_ = <-a.done
	close(a.done)
	if got := r.committed(r.topic(), 0); got > 10 {
		t.Errorf("committed %d after the end, with no report of offset 10", got)
	}
	refuse.end()
	r.audit(atLeastOnce)
	found, _ := r.opened()
	if n := len(found[engine.UpstreamDisorder]); n != 3 {
		t.Errorf("%d findings, want 3", n)
	}
}

// What can pass is tried again, within bounds; then the run ends with the
// cause, and nothing is committed past it.
func TestRefusedWritesEndTheRun(t *testing.T) {
	t.Parallel()
	r := newRig(t, kafkatest.Fake(t), 1)
	r.produce(r.tick(0, "QXA", time.Minute), r.tick(0, "QXA", 0))
	refuse := refuseProduce(r.cluster, r.topo.OfRole(topology.RoleAudit)[0])
	defer refuse.end()
	err := r.start(func(r *rig) { r.cfg.RetryFor = 2 * time.Second }).wait()
	if err == nil || !strings.Contains(err.Error(), sarama.ErrNotEnoughReplicas.Error()) {
		t.Errorf("ended with %v", err)
	}
	if got := r.committed(r.topic(), 0); got > 1 {
		t.Errorf("committed %d, past a report that was refused", got)
	}
}

// A topic that grows while it is audited goes on with a table as wide.
func TestTopicGrows(t *testing.T) {
	t.Parallel()
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		r := newRig(t, c, 2)
		r.produce(r.tick(0, "QXA", 0))
		fresh := func(r *rig) {
			r.cfg.ConsumerOptions = append(r.cfg.ConsumerOptions, kgo.MetadataMaxAge(500*time.Millisecond))
		}
		a := r.start(fresh)
		r.awaitCommitted(0, 1)
		c.Grow(t, 4, r.topic())
		kafkatest.Eventually(t, "the new partition to take a record", func() bool {
			cl := c.Client(t, kgo.RecordPartitioner(kgo.ManualPartitioner()))
			defer cl.Close()
			return cl.ProduceSync(context.Background(), r.tick(3, "QXA", time.Second)).FirstErr() == nil
		})
		r.awaitCommitted(3, 1)
		a.stop()
		if topics, err := r.admin.ListTopics(context.Background()); err != nil || len(topics[topology.NamesOf(r.topo.Name).Table].Partitions) != 4 {
			t.Errorf("table has %d partitions, %v", len(topics[topology.NamesOf(r.topo.Name).Table].Partitions), err)
		}
	})
}
