package processors_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/kafkatest"
	"github.com/auditstream/auditstream/topology"
)

// commitEnds moves a group's offsets to the ends of a topic, as an
// administrator can while nobody is a member.
func (r *rig) commitEnds(group, topic string) {
	r.t.Helper()
	kafkatest.Eventually(r.t, "the offsets of "+group+" to be moved", func() bool {
		ends, err := r.admin.ListEndOffsets(context.Background(), topic)
		if err != nil {
			return false
		}
		offsets := kadm.Offsets{}
		ends.Each(func(o kadm.ListedOffset) {
			offsets.Add(kadm.Offset{Topic: o.Topic, Partition: o.Partition, At: o.Offset, LeaderEpoch: -1})
		})
		return r.admin.CommitAllOffsets(context.Background(), group, offsets) == nil
	})
}

// Offsets that are ahead of the rows, whoever has put them there, skip nothing:
// ticks and statistics are read from what the rows rest on.
func TestOffsetsAheadOfRows(t *testing.T) {
	t.Parallel()
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		r := newRig(t, c, 2)
		names := topology.NamesOf(r.topo.Name)
		r.produce(r.tick(0, "QXA", 0), r.tick(1, "QXB", 0))
		r.audit()

		r.produce(r.tick(0, "QXA", 10*time.Second), r.tick(0, "QXA", 5*time.Second))
		r.commitEnds(names.Group, r.topic())
		stats, err := codecs.EncodeStats(&engine.PartitionStats{
			Topic: r.topic(), Partition: 1, Partitions: 2, From: -1, Through: -1,
			Sightings: []engine.Sighting{{Symbol: "QXA", Count: 1, Key: "QXA", Time: t0}},
		})
		if err != nil {
			t.Fatal(err)
		}
		r.produce(&kgo.Record{Topic: names.DistributionTopic, Key: fmt.Appendf(nil, "%s/1", r.topic()), Value: stats})
		r.commitEnds(names.DistributionGroup, names.DistributionTopic)

		r.audit()
		wantTicks(t, r.final(r.topic()), map[string]int64{"0": 3, "1": 1})
		found, _ := r.opened()
		if n := len(found[engine.UpstreamDisorder]); n != 1 {
			t.Errorf("%d disorders, want that of the tick behind the moved offset", n)
		}
		if n := len(found[engine.SymbolSplit]); n != 1 {
			t.Errorf("%d splits, want that of the statistics behind the moved offset", n)
		}
	})
}
