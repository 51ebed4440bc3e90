package processors_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/kafkatest"
)

// Recovery of many symbols disturbs nobody: few generations, no finding, and
// nothing is ready before it is over.
func TestG08ColdRecovery(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *kafkatest.Cluster, guarantee option) {
		const symbols, updates = 2000, 3
		r := newRig(t, c, 2)
		r.cfg.Limits.MaxSymbolSilence = time.Hour
		var records []*kgo.Record
		for u := range updates {
			for i := range symbols {
				records = append(records, r.tick(int32(i%2), fmt.Sprintf("Q%04d", i), time.Duration(u)*time.Second))
			}
			r.produce(records...)
			records = nil
			r.audit(guarantee)
		}
		two := r.start(guarantee, instance("two"))
		three := r.start(guarantee, instance("three"))
		kafkatest.Eventually(t, "both instances to be ready with a partition each", func() bool {
			a, b := two.Status.Stats(), three.Status.Stats()
			return a.Ready && b.Ready && len(a.Partitions) == 1 && len(b.Partitions) == 1
		})
		total := int64(0)
		for _, a := range []*running{two, three} {
			stats := a.Status.Stats()
			total += stats.Partitions[0].Symbols
			if stats.Rebalances > 2 {
				t.Errorf("%d rebalances while recovering", stats.Rebalances)
			}
			if stats.Partitions[0].Counts.Records != symbols*updates/2 {
				t.Errorf("recovered counts %+v", stats.Partitions[0].Counts)
			}
		}
		if total != symbols {
			t.Errorf("%d symbols recovered, want %d", total, symbols)
		}
		two.stop()
		three.stop()
		if found, _ := r.opened(); len(found) != 0 {
			t.Errorf("findings %+v", found)
		}
	})
}

// Members that join and leave again and again make no symbol look silent: time
// without its partition does not count. Totals stay exact.
func TestG12RebalancesAreNoSilence(t *testing.T) {
	t.Parallel()
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		r := newRig(t, c, 3)
		r.cfg.Limits.MaxSymbolSilence = 4 * time.Second
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan int64)
		cl := c.Client(t, kgo.RecordPartitioner(kgo.ManualPartitioner()))
		go func() {
			defer close(done)
			ticker := time.NewTicker(200 * time.Millisecond)
			defer ticker.Stop()
			for n := int64(0); ; n++ {
				select {
				case <-ticker.C:
				case <-ctx.Done():
					done <- n
					return
				}
				for p := range int32(3) {
					value := fmt.Sprintf(`{"symbol":"Q%d","ts":%d}`, p, time.Now().UnixNano())
					record := &kgo.Record{Topic: r.topic(), Partition: p, Key: fmt.Appendf(nil, "Q%d", p), Value: []byte(value)}
					if err := cl.ProduceSync(t.Context(), record).FirstErr(); err != nil {
						t.Errorf("produce: %v", err)
					}
				}
			}
		}()
		one := r.start(instance("one"))
		ready := func(a *running) func() bool { return func() bool { return a.Status.Stats().Ready } }
		kafkatest.Eventually(t, "the first instance to be ready", ready(one))
		for i := range 4 {
			other := r.start(instance(fmt.Sprint("other", i)))
			kafkatest.Eventually(t, "the other instance to be ready", ready(other))
			other.stop()
			kafkatest.Eventually(t, "the first instance to have all partitions again", func() bool {
				return ready(one)() && len(one.Status.Stats().Partitions) == 3
			})
		}
		if n := one.Status.Stats().Rebalances; n < 4 {
			t.Errorf("%d rebalances counted", n)
		}
		stop()
		each := <-done
		one.stop()
		r.audit(instance("last"))
		wantTicks(t, r.final(r.topic()), map[string]int64{"0": each, "1": each, "2": each})
		found, _ := r.opened()
		if stale := found[engine.StaleTick]; len(stale) != 0 {
			t.Errorf("silent: %+v", stale)
		}
	})
}

// Offsets that compaction has emptied are no loss, and a log that ends in them
// is read to its end.
func TestG16CompactedBatches(t *testing.T) {
	t.Parallel()
	c := kafkatest.Fake(t)
	r := newRig(t, c, 1)
	policy := "compact"
	if _, err := r.admin.DeleteTopics(context.Background(), r.topic()); err != nil {
		t.Fatal(err)
	}
	if _, err := r.admin.CreateTopic(context.Background(), 1, 1, map[string]*string{"cleanup.policy": &policy}, r.topic()); err != nil {
		t.Fatal(err)
	}
	var records []*kgo.Record
	for i := range 53 {
		symbol := fmt.Sprintf("Q%02d", i)
		if i >= 10 && i < 50 {
			symbol = "GONE"
		}
		records = append(records, r.tick(0, symbol, time.Duration(i)*time.Second))
	}
	records[52] = r.tick(0, "GONE", 52*time.Second)
	r.produce(records[:10]...)
	r.produce(records[10:50]...)
	r.produce(records[50:]...)
	c.Kfake.Compact()
	left := int64(len(c.ReadAll(t, r.topic(), true)))
	if left >= 53 {
		t.Fatal("the broker has compacted nothing")
	}
	r.audit()
	wantTicks(t, r.final(r.topic()), map[string]int64{"0": left})
	if got := r.committed(r.topic(), 0); got != 53 {
		t.Errorf("committed %d, want 53", got)
	}
	if found, _ := r.opened(); len(found) != 0 {
		t.Errorf("findings %+v", found)
	}
}
