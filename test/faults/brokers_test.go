package faults

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/kafkatest"
)

// besides are the findings that an outage of brokers may cause: the audit is
// behind, members rejoin, and the producer fills some partitions before others.
var besides = []engine.Code{engine.AuditorBehind, engine.RebalanceStorm, engine.PartitionUnbalanced, engine.StaleTick}

// What breaks the three brokers comes one after another, beside the tests of one.
func TestBrokers(t *testing.T) {
	t.Parallel()
	k := three.get(t)
	for _, test := range []struct {
		name string
		run  func(t *testing.T, a *audit, p *program)
	}{
		{"killed", brokersKilled},
		{"restarted in turn", brokersRestarted},
		{"leaders moved", leadersMoved},
		{"coordinators away", coordinatorsAway},
	} {
		t.Run(test.name, func(t *testing.T) {
			k.revive(t)
			var audits []*audit
			var feeds []*feed
			var programs []*program
			for _, g := range guarantees {
				a := newAudit(t, k, 4, "processing.guarantee="+g.name)
				feeds = append(feeds, a.feed(5).run())
				p := a.start(a.file("one"))
				p.awaitReady()
				audits, programs = append(audits, a), append(programs, p)
			}
			test.run(t, audits[0], programs[0])
			for i, g := range guarantees {
				a := audits[i]
				if programs[i].ended() {
					t.Fatalf("%s: the program ended: %s", g.name, programs[i].complaint())
				}
				a.moving(200)
				// Leaders may still move: a last checkpoint that fails is read again.
				programs[i].stopWithin(5 * time.Second)
				feeds[i].end()
				a.finish(a.file("two"))
				a.check(feeds[i].expected(), g.repeats, besides...)
			}
		})
	}
	t.Run("unclean election", func(t *testing.T) { uncleanElection(t, k) })
}

// leader is the broker that leads a partition.
func (a *audit) leader(topic string, partition int32) *broker {
	a.t.Helper()
	var found *broker
	kafkatest.Eventually(a.t, "a leader of "+topic, func() bool {
		listed, err := a.adm.ListTopics(context.Background(), topic)
		if err != nil {
			return false
		}
		id := int(listed[topic].Partitions[partition].Leader)
		if id < 1 {
			return false
		}
		found = a.k.brokers[id-1]
		return true
	})
	return found
}

func brokersKilled(t *testing.T, a *audit, _ *program) {
	for _, topic := range []string{a.topic, a.auditTopic()} {
		b := a.leader(topic, 0)
		t.Logf("kill -9 of broker %d, the leader of %s/0", b.id, topic)
		b.kill()
		a.moving(200)
		b.restart(t)
		a.k.healthy(t)
		a.moving(200)
	}
}

func brokersRestarted(t *testing.T, a *audit, _ *program) {
	for _, b := range a.k.brokers {
		b.end()
		a.moving(200)
		b.restart(t)
		a.k.healthy(t)
	}
	a.moving(200)
}

func leadersMoved(t *testing.T, a *audit, _ *program) {
	random := rand.New(rand.NewPCG(7, 7))
	topics := []string{a.topic, a.auditTopic(), a.names.Table, a.names.DistributionTopic, a.names.DistributionTable, "__consumer_offsets", "__transaction_state"}
	for range 3 {
		listed, err := a.adm.ListTopicsWithInternal(context.Background(), topics...)
		if err != nil {
			t.Fatal(err)
		}
		var moves kadm.AlterPartitionAssignmentsReq
		set := kadm.TopicsSet{}
		for name, detail := range listed {
			for id, p := range detail.Partitions {
				replicas := slices.Clone(p.Replicas)
				random.Shuffle(len(replicas), func(i, j int) { replicas[i], replicas[j] = replicas[j], replicas[i] })
				moves.Assign(name, id, replicas)
				set.Add(name, id)
			}
		}
		kafkatest.Eventually(t, "leaders to move", func() bool {
			if _, err := a.adm.AlterPartitionAssignments(context.Background(), moves); err != nil {
				return false
			}
			_, err := a.adm.ElectLeaders(context.Background(), kadm.ElectPreferredReplica, set)
			return err == nil
		})
		a.moving(200)
	}
}

func coordinatorsAway(t *testing.T, a *audit, p *program) {
	for _, id := range []string{a.names.Group, a.names.DistributionGroup} {
		c := a.adm.FindGroupCoordinators(context.Background(), id)[id]
		if c.Err != nil {
			t.Fatal(c.Err)
		}
		b := a.k.brokers[c.NodeID-1]
		t.Logf("kill -9 of broker %d, the coordinator of %s", b.id, id)
		b.kill()
		a.moving(200)
		b.restart(t)
		a.k.healthy(t)
	}
	id := a.names.Group + "-one"
	c := a.adm.FindTxnCoordinators(context.Background(), id)[id]
	if c.Err != nil {
		t.Fatal(c.Err)
	}
	b := a.k.brokers[c.NodeID-1]
	t.Logf("controlled end of broker %d, the coordinator of the transactions", b.id)
	b.end()
	a.moving(200)
	b.restart(t)
	a.k.healthy(t)
	_ = p
}

// A leader is elected that lacks what the audit, and a group that it watches,
// have read already. By the time that the group is looked at again the log may
// have grown past its commit.
func uncleanElection(t *testing.T, k *kafka) {
	for _, g := range guarantees {
		t.Run(g.name, func(t *testing.T) {
			k.revive(t)
			a := newAudit(t, k, 1, "processing.guarantee="+g.name)
			group := a.name + "-strategy"
			a.settings = append(a.settings, "consumer.lag.groups="+group, "max.lag.ticks=1000000", "max.lag.ms=3600000")
			a.drop(a.topic)
			a.makeUnclean(1, 2)
			f := a.feed(25).rounds(100)
			k.brokers[1].kill()
			kafkatest.Eventually(t, "the follower to be out of sync", func() bool {
				listed, err := a.adm.ListTopics(context.Background(), a.topic)
				return err == nil && len(listed[a.topic].Partitions[0].ISR) == 1
			})
			f.rounds(100)
			p := a.start(a.file("one"))
			a.awaitCommitted(int64(len(f.records)))
			a.commitAndAwait(group, int64(len(f.records)))
			k.brokers[0].kill()
			k.brokers[1].restart(t)
			kafkatest.Eventually(t, "the follower to lead", func() bool {
				listed, err := a.adm.ListTopics(context.Background(), a.topic)
				return err == nil && listed[a.topic].Partitions[0].Leader == 2
			})
			k.brokers[0].restart(t)
			k.healthy(t)
			later := a.feed(25)
			later.prefix = "L"
			later.rounds(140)
			kafkatest.Eventually(t, "the truncation to be told", func() bool {
				return p.ended() || len(p.lines("TRUNCATED")) > 0 || len(p.lines("OFFSET_INCONSISTENCY")) > 0
			})
			if p.ended() {
				t.Logf("it ended: %s", p.complaint())
			} else {
				p.stop()
			}
			a.finish(a.file("two"))
			o := a.outcome()
			found := o.kinds(engine.OffsetInconsistency)
			t.Logf("%d records before, %d after, %d of them audited; told: %v", len(f.records), len(later.records), o.final.Counts.Records, found)
			own, watched := 0, 0
			for _, cut := range found["TRUNCATED"] {
				if cut.Group == group {
					watched++
				} else {
					own++
				}
			}
			if own != 1 || watched != 1 {
				t.Errorf("%d findings of a truncated log by the audit, %d by the group, want 1 each", own, watched)
			}
		})
	}
}

// commitAndAwait sets a watched group's offset, and waits until the audit has
// made it durable with the leader epoch of the log that holds it.
func (a *audit) commitAndAwait(group string, offset int64) {
	a.t.Helper()
	offsets := kadm.Offsets{}
	offsets.Add(kadm.Offset{Topic: a.topic, At: offset, LeaderEpoch: -1})
	kafkatest.Eventually(a.t, "the commit of "+group, func() bool {
		return a.adm.CommitAllOffsets(context.Background(), group, offsets) == nil
	})
	kafkatest.Eventually(a.t, "the audit to remember "+group, func() bool {
		for _, r := range a.k.ReadAll(a.t, a.names.DistributionTable, true) {
			if strings.HasSuffix(string(r.Key), "g/0/"+group) && strings.Contains(string(r.Value), `"epoch"`) {
				return true
			}
		}
		return false
	})
}

// makeUnclean makes the tick topic with one partition on two brokers, of which
// either may come to lead, in sync or not.
func (a *audit) makeUnclean(brokers ...int32) {
	a.t.Helper()
	topic := kmsg.NewCreateTopicsRequestTopic()
	topic.Topic, topic.NumPartitions, topic.ReplicationFactor = a.topic, -1, -1
	replicas := kmsg.NewCreateTopicsRequestTopicReplicaAssignment()
	replicas.Replicas = brokers
	topic.ReplicaAssignment = append(topic.ReplicaAssignment, replicas)
	for name, value := range map[string]string{"unclean.leader.election.enable": "true", "min.insync.replicas": "1"} {
		config := kmsg.NewCreateTopicsRequestTopicConfig()
		config.Name, config.Value = name, &value
		topic.Configs = append(topic.Configs, config)
	}
	request := kmsg.NewPtrCreateTopicsRequest()
	request.Topics, request.TimeoutMillis = append(request.Topics, topic), 10_000
	cl := a.k.Client(a.t)
	kafkatest.Eventually(a.t, "topic "+a.topic+" on two brokers", func() bool {
		resp, err := request.RequestWith(context.Background(), cl)
		return err == nil && (resp.Topics[0].ErrorCode == 0 || resp.Topics[0].ErrorCode == kerr.TopicAlreadyExists.Code)
	})
}
