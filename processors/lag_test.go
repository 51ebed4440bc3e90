package processors

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/kafkatest"
	"github.com/auditstream/auditstream/topology"
)

// watched is a watch of groups on one topic, sampled when the test says so.
type watched struct {
	t       *testing.T
	cluster *kafkatest.Cluster
	admin   *kadm.Client
	topic   string
	watch   *lagWatch
	cfg     *Config
	limits  engine.Limits
	judge   *engine.Topic
	rows    map[string]engine.TopicRow
	told    []engine.Finding
}

func newWatched(t *testing.T, c *kafkatest.Cluster, partitions int, limits engine.Limits, groups ...string) *watched {
	t.Helper()
	w := &watched{t: t, cluster: c, admin: c.Admin(t), topic: c.Topic(t, partitions)}
	w.limits, w.rows = limits, map[string]engine.TopicRow{}
	w.cfg = &Config{
		Topology: topology.Topology{Name: kafkatest.Name(t)}, LagGroups: groups, Status: NewStatus(), Logger: zerolog.Nop(),
	}
	w.start(partitions)
	return w
}

// start gives a new watch what is durable.
func (w *watched) start(partitions int) {
	w.t.Helper()
	var err error
	if w.watch, err = newLagWatch(w.cluster.Client(w.t), w.cfg, []string{w.topic}); err != nil {
		w.t.Fatal(err)
	}
	w.judge = engine.NewTopic(w.topic, int32(partitions), &w.limits)
	for _, row := range w.rows {
		w.judge.Restore(row)
	}
	w.watch.recall(w.topic, w.judge.Watched())
}

// sample looks once, judges, and gives what it saw of a group by partition.
func (w *watched) sample(group string) map[int32]*engine.LagSample {
	w.t.Helper()
	w.watch.listed = time.Time{}
	ctx := context.Background()
	recalls := w.watch.takeRecalled()
	if err := w.watch.findGroups(ctx); err != nil {
		w.t.Fatal(err)
	}
	if err := w.watch.sample(ctx, recalls); err != nil {
		w.t.Fatal(err)
	}
	s := w.watch.last()
	w.judge.ObserveLag(s.samples[w.topic], s.at.UnixNano())
	for name, times := range s.rebalances {
		w.judge.ObserveRebalances(name, times, monotonic())
	}
	taken := w.judge.Snapshot()
	for _, r := range taken.Reports {
		w.told = append(w.told, r.Findings...)
	}
	for _, row := range taken.Rows {
		w.rows[row.Key] = row
	}
	seen := map[int32]*engine.LagSample{}
	for _, one := range s.samples[w.topic] {
		if one.Group == group {
			seen[one.Partition] = &one
		}
	}
	return seen
}

func (w *watched) produce(partition int32, n int, at time.Time) {
	w.t.Helper()
	var records []*kgo.Record
	for i := range n {
		records = append(records, &kgo.Record{Topic: w.topic, Partition: partition, Key: []byte("QXA"), Value: []byte(fmt.Sprint(i)), Timestamp: at})
	}
	w.cluster.Produce(w.t, records...)
}

// commit sets a group's offset as an administrator does.
func (w *watched) commit(group string, partition int32, offset int64) {
	w.t.Helper()
	offsets := kadm.Offsets{}
	offsets.Add(kadm.Offset{Topic: w.topic, Partition: partition, At: offset, LeaderEpoch: -1})
	kafkatest.Eventually(w.t, "the commit of "+group, func() bool {
		return w.admin.CommitAllOffsets(context.Background(), group, offsets) == nil
	})
}

// wants compares the findings told so far: state, code, kind.
func (w *watched) wants(want ...string) {
	w.t.Helper()
	var got []string
	for _, f := range w.told {
		line := f.State.String() + " " + f.Code.String()
		if kind, ok := f.Evidence["kind"].(string); ok {
			line += " " + kind
		}
		got = append(got, line)
	}
	if !slices.Equal(got, want) {
		w.t.Errorf("told %q, want %q", got, want)
	}
}

func quietLimits() engine.Limits {
	l := engine.DefaultLimits()
	l.MaxLagTicks, l.MaxLag = 5, time.Hour
	return l
}

func TestLagOfAGroupWithoutMembers(t *testing.T) {
	t.Parallel()
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		group := c.Group(t)
		w := newWatched(t, c, 2, quietLimits(), group)
		old := time.Now().Add(-2 * time.Hour)
		w.produce(0, 8, old)
		w.commit(group, 0, 3)
		seen := w.sample(group)
		s := seen[0]
		if s.Lag() != 5 || s.Unread == nil || s.Unread.First != 3 || s.Unread.Time != old.UnixMilli()*1e6 || s.Members != 0 || s.State != "Empty" {
			t.Errorf("saw %+v, unread %+v", s, s.Unread)
		}
		if seen[1].Committed != engine.Unknown || seen[1].Lag() != engine.Unknown {
			t.Errorf("a partition without a commit: %+v", seen[1])
		}
		w.wants("OPENED CONSUMER_LAG") // by time: 5 is not more than 5
		if f := w.told[0]; f.Unit != "ms" || f.Evidence["members"] != 0 {
			t.Errorf("unit %s, evidence %v", f.Unit, f.Evidence)
		}
		w.commit(group, 0, 8)
		w.sample(group)
		w.wants("OPENED CONSUMER_LAG", "RESOLVED CONSUMER_LAG")
	})
}

func TestG21bLagOfGroupsWithMembersOfEitherProtocol(t *testing.T) {
	t.Parallel()
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		for kind, opts := range map[string][]kgo.Opt{"classic": {kgo.Balancers(kgo.RangeBalancer())}, "consumer": {kgo.ServerSideBalancer()}} {
			t.Run(kind, func(t *testing.T) {
				group := c.Group(t)
				w := newWatched(t, c, 1, quietLimits(), group[:len(group)-3]+".*")
				w.produce(0, 3, time.Now())
				member := c.Client(t, append(opts, kgo.ConsumerGroup(group), kgo.ConsumeTopics(w.topic),
					kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.DisableAutoCommit())...)
				readAndCommit(t, member, 3)
				w.produce(0, 7, time.Now())
				s := w.sample(group)[0]
				if s.Lag() != 7 || s.Members != 1 || s.GroupType != kind || s.State != "Stable" {
					t.Errorf("saw %+v", s)
				}
				w.wants("OPENED CONSUMER_LAG")
			})
		}
	})
}

// A group of the newer protocol whose members may not be described has a lag
// all the same: offsets are asked for in the same way.
func TestG21bLagOfAGroupThatCannotBeDescribed(t *testing.T) {
	t.Parallel()
	c := kafkatest.Fake(t)
	group := c.Group(t)
	w := newWatched(t, c, 1, quietLimits(), group)
	w.produce(0, 10, time.Now())
	member := c.Client(t, kgo.ServerSideBalancer(), kgo.ConsumerGroup(group), kgo.ConsumeTopics(w.topic), kgo.DisableAutoCommit())
	readAndCommit(t, member, 10)
	w.produce(0, 5, time.Now())
	c.Kfake.ControlKey(int16(kmsg.ConsumerGroupDescribe), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.Kfake.KeepControl()
		described := kmsg.NewConsumerGroupDescribeResponseGroup()
		described.Group, described.ErrorCode = group, kerr.GroupIDNotFound.Code
		resp, ok := req.ResponseKind().(*kmsg.ConsumerGroupDescribeResponse)
		if ok {
			resp.Groups = append(resp.Groups, described)
		}
		return resp, nil, ok
	})
	s := w.sample(group)[0]
	if s.Committed != 10 || s.Lag() != 5 || s.GroupType != "consumer" || s.Members != engine.Unknown || s.State == engine.GroupAbsent {
		t.Errorf("saw %+v", s)
	}
	w.wants()
}

// A member that comes and goes makes a storm of its group, whatever the
// protocol; the one that stays and the first join make none.
func TestAStormOfAWatchedGroup(t *testing.T) {
	t.Parallel()
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		for kind, opts := range map[string][]kgo.Opt{"classic": {kgo.Balancers(kgo.RangeBalancer())}, "consumer": {kgo.ServerSideBalancer()}} {
			t.Run(kind, func(t *testing.T) {
				t.Parallel()
				group := c.Group(t)
				w := newWatched(t, c, 2, quietLimits(), group)
				join := func() *kgo.Client {
					member := c.Client(t, append(slices.Clone(opts), kgo.ConsumerGroup(group), kgo.ConsumeTopics(w.topic), kgo.HeartbeatInterval(100*time.Millisecond))...)
					go func() {
						for !member.PollFetches(context.Background()).IsClientClosed() {
							continue
						}
					}()
					return member
				}
				await := func(members int) {
					t.Helper()
					kafkatest.Eventually(t, fmt.Sprintf("%d members in a settled group", members), func() bool {
						s := w.sample(group)[0]
						return s != nil && s.Members == members && s.State == "Stable"
					})
				}
				join()
				await(1)
				w.wants()
				for range 2 {
					other := join()
					await(2)
					other.LeaveGroup()
					other.Close()
					await(1)
				}
				var storm *engine.Finding
				for i := range w.told {
					if w.told[i].Code == engine.RebalanceStorm {
						storm = &w.told[i]
					}
				}
				if storm == nil || storm.Group != group || storm.Evidence["members"] == nil {
					t.Errorf("told %+v, want a storm", w.told)
				}
			})
		}
	})
}

func TestACaughtUpGroupOfATransactionalTopicHasNoLag(t *testing.T) {
	t.Parallel()
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		group := c.Group(t)
		limits := quietLimits()
		limits.MaxLagTicks = 0
		w := newWatched(t, c, 1, limits, group)
		producer := c.Client(t, kgo.TransactionalID(kafkatest.Name(t)), kgo.RecordPartitioner(kgo.ManualPartitioner()))
		transact := func(n int, end kgo.TransactionEndTry) {
			t.Helper()
			ctx := context.Background()
			if err := producer.BeginTransaction(); err != nil {
				t.Fatal(err)
			}
			for range n {
				if err := producer.ProduceSync(ctx, &kgo.Record{Topic: w.topic, Value: []byte("x")}).FirstErr(); err != nil {
					t.Fatal(err)
				}
			}
			if err := producer.EndTransaction(ctx, end); err != nil {
				t.Fatal(err)
			}
		}
		transact(4, kgo.TryCommit) // 0-3, marker @4
		w.commit(group, 0, 4)      // as one does that commits the last record's offset + 1
		if s := w.sample(group)[0]; s.End != 5 || s.Lag() != 0 {
			t.Errorf("a marker at the end: %+v, unread %+v", s, s.Unread)
		}
		transact(2, kgo.TryAbort) // 5-6, marker @7
		if s := w.sample(group)[0]; s.End != 8 || s.Lag() != 0 {
			t.Errorf("aborted records: %+v, unread %+v", s, s.Unread)
		}
		w.wants()
		transact(1, kgo.TryCommit) // 8
		if s := w.sample(group)[0]; s.Lag() != 1 || s.Unread.First != 8 {
			t.Errorf("one record: %+v, unread %+v", s, s.Unread)
		}
		w.wants("OPENED CONSUMER_LAG")
	})
}

func TestAGroupAheadOfTheEnd(t *testing.T) {
	t.Parallel()
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		group := c.Group(t)
		w := newWatched(t, c, 1, quietLimits(), group)
		w.produce(0, 3, time.Now())
		w.commit(group, 0, 1_000)
		if s := w.sample(group)[0]; s.Lag() != 0 {
			t.Errorf("lag %d", s.Lag())
		}
		w.wants("OPENED OFFSET_INCONSISTENCY AHEAD_OF_END")
		w.commit(group, 0, 3)
		w.sample(group)
		w.wants("OPENED OFFSET_INCONSISTENCY AHEAD_OF_END", "RESOLVED OFFSET_INCONSISTENCY AHEAD_OF_END")
	})
}

func TestAGroupBehindTheLogStart(t *testing.T) {
	t.Parallel()
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		group := c.Group(t)
		w := newWatched(t, c, 1, quietLimits(), group)
		w.produce(0, 10, time.Now())
		w.commit(group, 0, 2)
		upTo := kadm.Offsets{}
		upTo.Add(kadm.Offset{Topic: w.topic, At: 7})
		if _, err := w.admin.DeleteRecords(context.Background(), upTo); err != nil {
			t.Fatal(err)
		}
		if s := w.sample(group)[0]; s.Start != 7 || s.Lag() != 3 || s.Unread.First != 7 {
			t.Errorf("saw %+v, unread %+v", s, s.Unread)
		}
		w.wants("OPENED OFFSET_INCONSISTENCY BELOW_START")
		if f := w.told[0]; f.Evidence["lost"] != int64(5) {
			t.Errorf("lost %v, want 5", f.Evidence["lost"])
		}
	})
}

func TestAGroupOfARecreatedTopic(t *testing.T) {
	t.Parallel()
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		group := c.Group(t)
		w := newWatched(t, c, 1, quietLimits(), group)
		w.produce(0, 4, time.Now())
		w.commit(group, 0, 4)
		w.sample(group)
		c.Remake(t, w.topic)
		w.sample(group)
		if len(w.told) == 0 || w.told[0].Evidence["kind"] != "RECREATED" || w.told[0].Evidence["last_committed"] != int64(4) {
			t.Errorf("told %+v", w.told)
		}
	})
}

func TestAGroupThatIsDeletedHasNoOffsetsAnyMore(t *testing.T) {
	t.Parallel()
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		group := c.Group(t)
		w := newWatched(t, c, 1, quietLimits(), group)
		w.commit(group, 0, 0)
		w.sample(group)
		w.wants()
		if _, err := w.admin.DeleteGroup(context.Background(), group); err != nil {
			t.Fatal(err)
		}
		if s := w.sample(group)[0]; s.State != engine.GroupAbsent {
			t.Errorf("saw %+v", s)
		}
		w.wants("OPENED OFFSET_INCONSISTENCY EXPIRED")
	})
}

// A group that reads other topics is not sampled when a pattern matched it,
// and is unknown when it was named.
func TestGroupsThatDoNotReadTheTopic(t *testing.T) {
	t.Parallel()
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		group, other := c.Group(t), c.Topic(t, 1)
		for name, want := range map[string]int{group: 1, group + ".?": 0} {
			w := newWatched(t, c, 1, quietLimits(), name)
			topic := w.topic
			w.topic = other
			w.commit(group, 0, 0)
			w.topic = topic
			if seen := w.sample(group); len(seen) != want {
				t.Errorf("%s: saw %v, want %d", name, seen, want)
			}
		}
	})
}

// Commits of either side of a busy log never make a negative lag, a commit
// beyond the end, or one below the start.
func TestSamplingOfABusyGroupMakesNoFinding(t *testing.T) {
	t.Parallel()
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		group := c.Group(t)
		limits := quietLimits()
		limits.MaxLagTicks = 1 << 20
		w := newWatched(t, c, 1, limits, group)
		w.commit(group, 0, 0)
		done := make(chan struct{})
		go func() {
			defer close(done)
			for i := int64(1); i <= 200; i++ {
				w.produce(0, 1, time.Now())
				w.commit(group, 0, i)
				if i%20 == 0 { // retention follows closely
					upTo := kadm.Offsets{}
					upTo.Add(kadm.Offset{Topic: w.topic, At: i})
					_, _ = w.admin.DeleteRecords(context.Background(), upTo)
				}
			}
		}()
		for busy := true; busy; {
			select {
			case <-done:
				busy = false
			default:
			}
			if s := w.sample(group)[0]; s.Lag() < 0 || s.Committed > s.End || s.Committed < s.Start {
				t.Errorf("saw %+v", s)
			}
		}
		w.wants()
	})
}

// A broker that does not answer leaves the others' partitions known, and no
// group is gone because of it.
func TestOneBrokerDownIsNoGroupGone(t *testing.T) {
	t.Parallel()
	some := &kadm.ShardErrors{Name: "ListOffsets", Errs: []kadm.ShardError{{Err: errors.New("down")}}}
	if err := unlessPartial(some); err != nil {
		t.Errorf("one of several: %v", err)
	}
	some.AllFailed = true
	if err := unlessPartial(some); err == nil {
		t.Error("all of them are no error")
	}
	if err := unlessPartial(errors.New("x")); err == nil {
		t.Error("another error is none")
	}
}

func TestLookingIntoLogsIsBounded(t *testing.T) {
	t.Parallel()
	c := kafkatest.Fake(t)
	group := c.Group(t)
	w := newWatched(t, c, 3*unreadPerRound, quietLimits(), group)
	for p := range int32(3 * unreadPerRound) {
		w.produce(p, 1, time.Now())
	}
	for p := range int32(3 * unreadPerRound) {
		w.commit(group, p, 0)
	}
	for round := 1; round <= 3; round++ {
		looked := 0
		for _, s := range w.sample(group) {
			if s.Unread != nil {
				looked++
			}
		}
		if looked != round*unreadPerRound {
			t.Errorf("round %d: %d logs looked into, want %d", round, looked, round*unreadPerRound)
		}
	}
}

func TestRebalancesThatDescriptionsShow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		steps []string // members, "!" while it rebalances, "" nobody
		want  int
	}{
		{"cooperative: given away, then taken", []string{"a b", "!", "a b c", "!", "a b c"}, 1},
		{"cooperative: missed in between", []string{"a b", "a b c", "a b"}, 2},
		{"nothing moves", []string{"a b", "a b", "a b"}, 0},
		{"the first members", []string{"", "!", "a b"}, 0},
		{"one seen as it goes on", []string{"a b", "!", "!", "a c"}, 1},
		{"one missed in between", []string{"a b", "a c"}, 1},
		{"two", []string{"a b", "!", "a", "!", "a b"}, 2},
		{"all leave", []string{"a b", ""}, 0},
		{"seen for the first time while it goes on", []string{"!", "a"}, 0},
	} {
		r := rebalanceWatch{cooperative: strings.HasPrefix(c.name, "cooperative")}
		for i, step := range c.steps {
			who := []string{}
			if step != "" && step != "!" {
				who = append(who, step)
			}
			r.observe(len(who)+len(step), step == "!", who, int64(i))
		}
		if len(r.times) != c.want {
			t.Errorf("%s: %d rebalances, want %d", c.name, len(r.times), c.want)
		}
	}
}

// readAndCommit has a member of a group read n records and commit them.
func readAndCommit(t *testing.T, member *kgo.Client, n int) {
	t.Helper()
	read := 0
	kafkatest.Eventually(t, "the member to read", func() bool {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		read += member.PollFetches(ctx).NumRecords()
		return read == n
	})
	if err := member.CommitUncommittedOffsets(context.Background()); err != nil {
		t.Fatal(err)
	}
}
