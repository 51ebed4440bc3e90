package processors_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"go.uber.org/goleak"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/kafkatest"
	"github.com/auditstream/auditstream/topology"
)

// Topics of different widths are audited each on its own, with one table.
func TestSeveralTopics(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *kafkatest.Cluster, guarantee option) {
		r := newRig(t, c, 1, 3, 2)
		topics := r.topo.OfRole(topology.RoleTicks)
		want := map[string]map[string]int64{}
		var records []*kgo.Record
		for n, topic := range topics {
			want[topic] = map[string]int64{}
			for p := range r.counts[topic] {
				for i := range 100 * (n + 1) {
					tick := r.tick(p, "QXA", time.Duration(i)*time.Millisecond)
					tick.Topic = topic
					records = append(records, tick)
				}
				want[topic][fmt.Sprint(p)] = int64(100 * (n + 1))
			}
		}
		r.produce(records...)
		a := r.start(guarantee)
		for _, topic := range topics {
			for p, ticks := range want[topic] {
				id, err := strconv.ParseInt(p, 10, 32)
				if err != nil {
					t.Fatal(err)
				}
				kafkatest.Eventually(t, topic+" to be read", func() bool {
					return r.committed(topic, int32(id)) == ticks
				})
			}
		}
		a.stop()
		// The same again from the table alone.
		r.audit(guarantee, instance("two"))
		for _, topic := range topics {
			wantTicks(t, r.final(topic), want[topic])
		}
		if found, _ := r.opened(); len(found[engine.UpstreamDisorder]) != 0 {
			t.Errorf("findings %+v", found)
		}
	})
}

// Two instances that run to the end share the work, both end, and one FINAL
// report of the whole is written.
func TestTwoInstancesRunToTheEnd(t *testing.T) {
	t.Parallel()
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		r := newRig(t, c, 4)
		each, _ := r.market(4, 10, 100)
		one := r.start(stopAtEnd, instance("one"))
		two := r.start(stopAtEnd, instance("two"))
		for _, a := range []*running{one, two} {
			if err := a.wait(); err != nil {
				t.Fatal(err)
			}
		}
		wantTicks(t, r.final(r.topic()), map[string]int64{"0": each, "1": each, "2": each, "3": each})
		finals := 0
		for _, report := range r.reports() {
			if report.Trigger == engine.TriggerFinal && report.Scope == engine.ScopeTopic {
				finals++
			}
		}
		if finals != 1 {
			t.Errorf("%d FINAL reports, want 1", finals)
		}
	})
}

// An empty topic ends at once with a FINAL report of nothing.
func TestEmptyTopicRunsToTheEnd(t *testing.T) {
	t.Parallel()
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		r := newRig(t, c, 2)
		r.audit()
		if f := r.final(r.topic()); f.TotalTicks != 0 || f.Counts.Records != 0 {
			t.Errorf("%+v", f)
		}
	})
}

// A stop ends in order, within seconds, and leaves the group, so that another
// instance goes on at once. Nothing keeps running.
func TestStopLeavesNothingBehind(t *testing.T) {
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		r := newRig(t, c, 2)
		before := goleak.IgnoreCurrent()
		r.produce(r.tick(0, "QXA", 0), r.tick(1, "QXB", 0))
		a := r.start()
		r.awaitCommitted(0, 1)
		r.awaitCommitted(1, 1)
		began := time.Now()
		a.stop()
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("stop took %s", took)
		}
		groups, err := r.admin.DescribeGroups(context.Background(), topology.NamesOf(r.topo.Name).Group)
		if d := groups[topology.NamesOf(r.topo.Name).Group]; err != nil || len(d.Members) != 0 {
			t.Errorf("members left: %+v, %v", d.Members, err)
		}
		if c.Real { // kfake's goroutines are in this process too
			goleak.VerifyNone(t, before)
		}
	})
}

// A broker that offers the versions of Kafka 4 alone is served: nothing is
// pinned to a version that is gone.
func TestG21aOnlyVersionsOfKafka4(t *testing.T) {
	t.Parallel()
	c := kafkatest.Real(t)
	cl := c.Client(t)
	resp, err := kmsg.NewPtrApiVersionsRequest().RequestWith(context.Background(), cl)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range resp.ApiKeys {
		if key.ApiKey == int16(kmsg.Fetch) && key.MinVersion < 4 {
			t.Skipf("this Kafka still offers Fetch %d", key.MinVersion)
		}
	}
	r := newRig(t, c, 1)
	r.produce(r.tick(0, "QXA", 0))
	r.audit()
	wantTicks(t, r.final(r.topic()), map[string]int64{"0": 1})
}

// A topic that was deleted and made anew starts its totals anew: rows about
// the old one judge nothing.
func TestRecreatedTopicStartsAnew(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *kafkatest.Cluster, guarantee option) {
		r := newRig(t, c, 1)
		for i := range 5 {
			r.produce(r.tick(0, []string{"QXA", "OLD"}[i%2], time.Duration(i)*time.Hour))
		}
		a := r.start(guarantee)
		r.awaitCommitted(0, 5)
		a.stop()
		c.Remake(t, r.topic())
		r.produce(r.tick(0, "QXA", 0))
		r.produce(r.tick(0, "QXA", time.Second))
		r.audit(guarantee)
		wantTicks(t, r.final(r.topic()), map[string]int64{"0": 2})
		if got := r.committed(r.topic(), 0); got != 2 {
			t.Errorf("committed %d, want 2", got)
		}
		r.audit(guarantee, instance("two")) // from the table alone
		wantTicks(t, r.final(r.topic()), map[string]int64{"0": 2})
		rows := map[string]int{} // as compaction leaves them
		for _, row := range c.ReadAll(t, topology.NamesOf(r.topo.Name).Table, true) {
			rows[string(row.Key)] = len(row.Value)
		}
		if n, known := rows[string(codecs.SymbolKey(r.topic(), "OLD"))]; !known || n != 0 {
			t.Errorf("row of a symbol of the old topic: %d bytes, want a deleted one", n)
		}
	})
}

// A run to the end says what holds of watched groups, and of settings, however
// short it is.
func TestFinalReportsSayWhatHoldsOfGroupsAndSettings(t *testing.T) {
	t.Parallel()
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		r := newRig(t, c, 1)
		for i := range 20 {
			r.produce(r.tick(0, "QXA", time.Duration(i)*time.Millisecond))
		}
		group := kafkatest.Name(t) + "-late"
		offsets := kadm.Offsets{}
		offsets.Add(kadm.Offset{Topic: r.topic(), At: 3, LeaderEpoch: -1})
		kafkatest.Eventually(t, "the commit", func() bool { return r.admin.CommitAllOffsets(context.Background(), group, offsets) == nil })
		r.audit(func(r *rig) {
			r.cfg.LagGroups, r.cfg.Limits.MaxLagTicks = []string{group}, 10
			r.cfg.Settings = func(context.Context) (map[string]engine.TopicSettings, error) {
				return map[string]engine.TopicSettings{r.topic(): {Topic: r.topic(), Replicas: 3, Values: map[string]string{"min.insync.replicas": "3"}}}, nil
			}
		})
		f := r.final(r.topic())
		if f.MaxLagTicks == nil || *f.MaxLagTicks != 17 {
			t.Errorf("lag %v, want 17", f.MaxLagTicks)
		}
		var codes []engine.Code
		for i := range f.Findings {
			codes = append(codes, f.Findings[i].Code)
		}
		if !slices.Contains(codes, engine.ConsumerLag) || !slices.Contains(codes, engine.TopicSettingsOdd) {
			t.Errorf("the FINAL report lists %v", codes)
		}
	})
}
