package processors_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/auditstream/auditstream/internal/kafkatest"
	"github.com/auditstream/auditstream/processors"
	"github.com/auditstream/auditstream/topology"
)

// Without the right to widen its table the audit ends and tells the command.
func TestGrowthWithoutTheRightToWidenTheTable(t *testing.T) {
	t.Parallel()
	c := kafkatest.Fake(t)
	r := newRig(t, c, 2)
	r.produce(r.tick(0, "QXA", 0))
	a := r.start()
	r.awaitCommitted(0, 1)
	c.Grow(t, 4, r.topic())
	c.RefuseGrowth()
	err := a.wait()
	var growth *processors.GrowthError
	command := "--alter --topic " + topology.NamesOf(r.topo.Name).Table + " --partitions 4"
	if !errors.As(err, &growth) || !errors.Is(err, kerr.TopicAuthorizationFailed) || !strings.Contains(err.Error(), command) {
		t.Errorf("ended with %v, which must tell %q", err, command)
	}
	if got := r.committed(r.topic(), 0); got != 1 {
		t.Errorf("committed %d", got)
	}
}

// Growth is seen by an instance that owns no new partition, without a record
// in one and without a rebalance.
func TestGrowthIsSeenWithoutANewRecord(t *testing.T) {
	t.Parallel()
	r := newRig(t, kafkatest.Fake(t), 2)
	r.produce(r.tick(0, "QXA", 0))
	a := r.start()
	r.awaitCommitted(0, 1)
	if _, err := r.admin.UpdatePartitions(context.Background(), 3, r.topic()); err != nil {
		t.Fatal(err)
	}
	kafkatest.Eventually(t, "a table as wide", func() bool {
		topics, err := r.admin.ListTopics(context.Background())
		return err == nil && len(topics[topology.NamesOf(r.topo.Name).Table].Partitions) == 3
	})
	r.produce(r.tick(0, "QXA", time.Second))
	r.awaitCommitted(0, 2)
	a.stop()
}

// A topic that grows once more while the audit starts anew does not end it: the
// table is made as wide again.
func TestGrowthOnceMoreWhileStartingAnew(t *testing.T) {
	t.Parallel()
	r := newRig(t, kafkatest.Fake(t), 2)
	r.produce(r.tick(0, "QXA", 0))
	table, prepare, prepared := topology.NamesOf(r.topo.Name).Table, r.cfg.Prepare, 0
	r.cfg.Prepare = func(ctx context.Context) (processors.Prepared, error) {
		if prepared++; prepared == 2 {
			if _, err := r.admin.UpdatePartitions(ctx, 5, r.topic()); err != nil {
				return processors.Prepared{}, err
			}
		}
		p, err := prepare(ctx)
		if err == nil && p.Partitions[table] < p.Partitions[r.topic()] {
			err = errors.New("rows would not lie beside their ticks")
		}
		return p, err
	}
	a := r.start()
	r.awaitCommitted(0, 1)
	if _, err := r.admin.UpdatePartitions(context.Background(), 3, r.topic()); err != nil {
		t.Fatal(err)
	}
	kafkatest.Eventually(t, "a table as wide", func() bool {
		topics, err := r.admin.ListTopics(context.Background())
		return err == nil && len(topics[table].Partitions) == 5
	})
	r.produce(r.tick(0, "QXA", time.Second))
	r.awaitCommitted(0, 2)
	a.stop()
}
