package processors

import (
	"context"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/kafkatest"
)

// A group that a pattern matched, and that is gone when the watch starts
// again, is told as gone.
func TestAGroupThatWentBeforeTheWatchStartedAgain(t *testing.T) {
	t.Parallel()
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		group := c.Group(t)
		w := newWatched(t, c, 1, quietLimits(), group[:len(group)-3]+".*")
		w.produce(0, 10, time.Now())
		w.commit(group, 0, 2)
		w.sample(group)
		if _, err := w.admin.DeleteGroup(context.Background(), group); err != nil {
			t.Fatal(err)
		}
		w.start(1)
		if s := w.sample(group)[0]; s == nil || s.State != engine.GroupAbsent || s.Committed != engine.Unknown {
			t.Errorf("saw %+v", s)
		}
		want := []string{"OPENED CONSUMER_LAG", "OPENED OFFSET_INCONSISTENCY EXPIRED", "RESOLVED CONSUMER_LAG"}
		w.wants(want...)
		w.start(1)
		w.sample(group)
		w.wants(want...)
		w.commit(group, 0, 10) // it is back
		w.sample(group)
		w.wants(append(want, "RESOLVED OFFSET_INCONSISTENCY EXPIRED")...)
	})
}

// Kafka drops a deleted topic's offsets, and with its last ones the group.
func TestAGroupThatWentWithItsTopicBeforeTheWatchStartedAgain(t *testing.T) {
	t.Parallel()
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		group := c.Group(t)
		w := newWatched(t, c, 1, quietLimits(), group[:len(group)-3]+".*")
		w.produce(0, 4, time.Now())
		w.commit(group, 0, 4)
		w.sample(group)
		_, _ = w.admin.DeleteGroup(context.Background(), group)
		c.Remake(t, w.topic)
		for range 2 {
			w.start(1)
			w.sample(group)
			w.wants("OPENED OFFSET_INCONSISTENCY RECREATED")
		}
	})
}

// A sample that was taken without what the state remembers judges nothing.
func TestASampleFromBeforeWhatIsRecalledIsDropped(t *testing.T) {
	t.Parallel()
	c := kafkatest.Fake(t)
	group := c.Group(t)
	w := newWatched(t, c, 1, quietLimits(), group+".*")
	w.commit(group, 0, 0)
	ctx := context.Background()
	recalls := w.watch.takeRecalled()
	if err := w.watch.findGroups(ctx); err != nil {
		t.Fatal(err)
	}
	w.watch.recall(w.topic, []engine.WatchedGroup{
		{Group: group + "-gone", TopicGroup: engine.TopicGroup{Committed: 7}, Gone: engine.NoTime},
		{Group: "other", TopicGroup: engine.TopicGroup{Committed: 7}, Gone: engine.NoTime},
	})
	if err := w.watch.sample(ctx, recalls); err != nil {
		t.Fatal(err)
	}
	if s := w.watch.last(); !s.at.IsZero() {
		t.Errorf("judges by %+v", s)
	}
	if seen := w.sample(group + "-gone"); len(seen) != 1 {
		t.Errorf("saw %v of a group that was recalled", seen)
	}
	if seen := w.sample("other"); len(seen) != 0 {
		t.Errorf("saw %v of a group that no name matches", seen)
	}
}

// cut has every leader answer that epochs before its own end there.
func cut(c *kafkatest.Cluster, to int64) {
	c.Kfake.ControlKey(int16(kmsg.OffsetForLeaderEpoch), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.Kfake.KeepControl()
		asked, ok := req.(*kmsg.OffsetForLeaderEpochRequest)
		if !ok {
			return nil, nil, false
		}
		answer, _ := req.ResponseKind().(*kmsg.OffsetForLeaderEpochResponse)
		for _, topic := range asked.Topics {
			told := kmsg.NewOffsetForLeaderEpochResponseTopic()
			told.Topic = topic.Topic
			for _, p := range topic.Partitions {
				one := kmsg.NewOffsetForLeaderEpochResponseTopicPartition()
				one.Partition, one.LeaderEpoch, one.EndOffset = p.Partition, p.LeaderEpoch, to
				told.Partitions = append(told.Partitions, one)
			}
			answer.Topics = append(answer.Topics, told)
		}
		return answer, nil, true
	})
}

// A log that was cut below a commit and has grown past it between two samples
// is told by its leader epochs, over a restart too; an election alone is not.
func TestACutThatWasGrownOverIsFoundByLeaderEpochs(t *testing.T) {
	t.Parallel()
	for name, restart := range map[string]bool{"running": false, "restarted": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := kafkatest.Fake(t)
			group := c.Group(t)
			limits := quietLimits()
			limits.MaxLagTicks = 1000
			w := newWatched(t, c, 1, limits, group)
			elect := func() {
				t.Helper()
				if err := c.Kfake.MoveTopicPartition(w.topic, 0, 0); err != nil {
					t.Fatal(err)
				}
				w.produce(0, 10, time.Now())
				if restart {
					w.start(1)
				}
			}
			w.produce(0, 10, time.Now())
			w.commit(group, 0, 8)
			w.sample(group)
			elect()
			w.sample(group)
			w.wants()
			cut(c, 5)
			elect()
			if s := w.sample(group)[0]; s.Cut == nil || s.Cut.To != 5 || s.Cut.Read != 8 || s.End <= s.Committed {
				t.Errorf("saw %+v, cut %+v", s, s.Cut)
			}
			told := []string{"OPENED OFFSET_INCONSISTENCY TRUNCATED"}
			w.wants(told...)
			w.sample(group)
			w.wants(told...)
			w.commit(group, 0, 5)
			w.sample(group)
			w.commit(group, 0, 9)
			w.sample(group)
			w.wants(append(told, "RESOLVED OFFSET_INCONSISTENCY TRUNCATED")...)
		})
	}
}

// What was committed after the last sample, of the log that was cut then, is
// known by how far that log reached.
func TestACommitBetweenASampleAndACut(t *testing.T) {
	t.Parallel()
	c := kafkatest.Fake(t)
	group := c.Group(t)
	limits := quietLimits()
	limits.MaxLagTicks = 1000
	w := newWatched(t, c, 1, limits, group)
	w.produce(0, 10, time.Now())
	w.commit(group, 0, 3)
	w.sample(group)
	w.commit(group, 0, 9)
	cut(c, 5)
	if err := c.Kfake.MoveTopicPartition(w.topic, 0, 0); err != nil {
		t.Fatal(err)
	}
	w.cluster.Produce(t, &kgo.Record{Topic: w.topic, Value: []byte("x")})
	w.sample(group)
	w.wants("OPENED OFFSET_INCONSISTENCY TRUNCATED")
}
