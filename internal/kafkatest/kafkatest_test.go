package kafkatest_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/auditstream/auditstream/internal/kafkatest"
)

// What tests of this module rely on must hold on both brokers: a difference
// between them shows here, not in a test of the product.

func values(records []*kgo.Record) string {
	var s []string
	for _, r := range records {
		s = append(s, fmt.Sprintf("%d@%d=%s", r.Partition, r.Offset, r.Value))
	}
	return strings.Join(s, " ")
}

func record(topic string, partition int32, value string) *kgo.Record {
	return &kgo.Record{Topic: topic, Partition: partition, Value: []byte(value)}
}

func deadline(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func TestProducedRecordsAreReadBack(t *testing.T) {
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		topic := c.Topic(t, 3)
		if got := c.ReadAll(t, topic, true); len(got) != 0 {
			t.Fatalf("a new topic holds %s", values(got))
		}
		c.Produce(t, record(topic, 2, "a"), record(topic, 0, "b"), record(topic, 2, "c"))
		if got, want := values(c.ReadAll(t, topic, true)), "0@0=b 2@0=a 2@1=c"; got != want {
			t.Errorf("read %s, want %s", got, want)
		}
	})
}

func TestNoTopicIsMadeByAsking(t *testing.T) {
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		topic := kafkatest.Name(t)
		if got := c.ReadAll(t, topic, false); len(got) != 0 {
			t.Fatalf("a topic that was never made holds %s", values(got))
		}
		topics, err := c.Admin(t).ListTopics(deadline(t), topic)
		if err != nil || topics.Has(topic) {
			t.Errorf("the topic exists after a read (%v)", err)
		}
	})
}

func TestTopicSettingsAreKept(t *testing.T) {
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		topic := c.Topic(t, 1, "cleanup.policy=compact", "min.insync.replicas=1")
		configs, err := c.Admin(t).DescribeTopicConfigs(deadline(t), topic)
		if err != nil {
			t.Fatal(err)
		}
		for _, kv := range configs[0].Configs {
			if kv.Key == "cleanup.policy" && kv.MaybeValue() != "compact" {
				t.Errorf("cleanup.policy is %s", kv.MaybeValue())
			}
		}
	})
}

// transactional opens a producer and begins a transaction.
func transactional(t *testing.T, c *kafkatest.Cluster, id string) *kgo.Client {
	t.Helper()
	cl := c.Client(t, kgo.TransactionalID(id), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err := cl.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	return cl
}

func TestReadCommittedSeesCommittedTransactionsOnly(t *testing.T) {
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		topic, id, ctx := c.Topic(t, 1), kafkatest.Name(t), deadline(t)
		cl := transactional(t, c, id)
		if err := cl.ProduceSync(ctx, record(topic, 0, "aborted")).FirstErr(); err != nil {
			t.Fatal(err)
		}
		if err := cl.EndTransaction(ctx, kgo.TryAbort); err != nil {
			t.Fatal(err)
		}
		for _, v := range []string{"kept", "open"} {
			if err := cl.BeginTransaction(); err != nil {
				t.Fatal(err)
			}
			if err := cl.ProduceSync(ctx, record(topic, 0, v)).FirstErr(); err != nil {
				t.Fatal(err)
			}
			if v == "open" {
				break
			}
			if err := cl.EndTransaction(ctx, kgo.TryCommit); err != nil {
				t.Fatal(err)
			}
		}
		// aborted@0, marker@1, kept@2, marker@3, open@4: the stable end is 4.
		if got, want := values(c.ReadAll(t, topic, true)), "0@2=kept"; got != want {
			t.Errorf("read committed: %s, want %s", got, want)
		}
		if got, want := values(c.ReadAll(t, topic, false)), "0@0=aborted 0@2=kept 0@4=open"; got != want {
			t.Errorf("read uncommitted: %s, want %s", got, want)
		}
		adm := c.Admin(t)
		stable, err := adm.ListCommittedOffsets(ctx, topic)
		if err != nil {
			t.Fatal(err)
		}
		if o, _ := stable.Lookup(topic, 0); o.Offset != 4 {
			t.Errorf("last stable offset %d, want 4", o.Offset)
		}
		if err := cl.EndTransaction(ctx, kgo.TryCommit); err != nil {
			t.Fatal(err)
		}
		// The commit is answered before its markers are written.
		kafkatest.Eventually(t, "what is committed at the end to be read", func() bool {
			return values(c.ReadAll(t, topic, true)) == "0@2=kept 0@4=open"
		})
	})
}

func TestTransactionalIDFencesItsOlderHolder(t *testing.T) {
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		topic, id, ctx := c.Topic(t, 1), kafkatest.Name(t), deadline(t)
		old := transactional(t, c, id)
		if err := old.ProduceSync(ctx, record(topic, 0, "old")).FirstErr(); err != nil {
			t.Fatal(err)
		}
		young := transactional(t, c, id)
		if err := young.ProduceSync(ctx, record(topic, 0, "young")).FirstErr(); err != nil {
			t.Fatal(err)
		}
		if err := old.EndTransaction(ctx, kgo.TryCommit); err == nil {
			t.Error("the fenced producer committed")
		}
		if err := young.EndTransaction(ctx, kgo.TryCommit); err != nil {
			t.Fatal(err)
		}
		if got := values(c.ReadAll(t, topic, true)); !strings.HasSuffix(got, "=young") || strings.Contains(got, "old") {
			t.Errorf("read committed: %s, want young alone", got)
		}
	})
}

// join makes a static or dynamic member that has at least one partition.
func join(t *testing.T, c *kafkatest.Cluster, group, topic, instance string) *kgo.Client {
	t.Helper()
	assigned := make(chan struct{}, 16)
	opts := []kgo.Opt{
		kgo.ConsumerGroup(group), kgo.ConsumeTopics(topic), kgo.DisableAutoCommit(),
		kgo.Balancers(kgo.RangeBalancer()), kgo.SessionTimeout(10 * time.Second),
		kgo.OnPartitionsAssigned(func(context.Context, *kgo.Client, map[string][]int32) { assigned <- struct{}{} }),
	}
	if instance != "" {
		opts = append(opts, kgo.InstanceID(instance))
	}
	cl := c.Client(t, opts...)
	polling, stop := context.WithCancel(deadline(t))
	defer stop()
	go cl.PollFetches(polling) // callbacks run without polls too, but not a blocked rebalance
	select {
	case <-assigned:
	case <-polling.Done():
		t.Fatal("no partition assigned")
	}
	return cl
}

func commitInTransaction(ctx context.Context, cl *kgo.Client, group, topic string, at int64, member string, generation int32) error {
	req := kmsg.NewPtrTxnOffsetCommitRequest()
	id, epoch, err := cl.ProducerID(ctx)
	if err != nil {
		return err
	}
	txn := cl.OptValue("TransactionalID").(string)
	add := kmsg.NewPtrAddOffsetsToTxnRequest()
	add.TransactionalID, add.ProducerID, add.ProducerEpoch, add.Group = txn, id, epoch, group
	added, err := add.RequestWith(ctx, cl)
	if err != nil {
		return err
	}
	if err := kerr.ErrorForCode(added.ErrorCode); err != nil {
		return fmt.Errorf("add offsets: %w", err)
	}
	req.TransactionalID, req.Group, req.ProducerID, req.ProducerEpoch = txn, group, id, epoch
	req.MemberID, req.Generation = member, generation
	p := kmsg.NewTxnOffsetCommitRequestTopicPartition()
	p.Offset, p.LeaderEpoch = at, -1
	tp := kmsg.NewTxnOffsetCommitRequestTopic()
	// From version 6 on (KIP-1319) the topic goes by its id alone.
	topics, err := kadm.NewClient(cl).ListTopics(ctx, topic)
	if err != nil {
		return err
	}
	tp.Topic, tp.TopicID, tp.Partitions = topic, topics[topic].ID, []kmsg.TxnOffsetCommitRequestTopicPartition{p}
	req.Topics = []kmsg.TxnOffsetCommitRequestTopic{tp}
	resp, err := req.RequestWith(ctx, cl)
	if err != nil {
		return err
	}
	return kerr.ErrorForCode(resp.Topics[0].Partitions[0].ErrorCode)
}

func TestTransactionCommitsOffsetsOfItsGeneration(t *testing.T) {
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		topic, group, ctx := c.Topic(t, 1), c.Group(t), deadline(t)
		c.Produce(t, record(topic, 0, "a"), record(topic, 0, "b"))
		member := join(t, c, group, topic, "slot-1")
		id, generation := member.GroupMetadata()
		cl := transactional(t, c, kafkatest.Name(t))
		if err := commitInTransaction(ctx, cl, group, topic, 1, id, generation+1); err == nil {
			t.Error("offsets of another generation were taken")
		}
		if err := cl.EndTransaction(ctx, kgo.TryAbort); err != nil {
			t.Fatal(err)
		}
		if err := cl.BeginTransaction(); err != nil {
			t.Fatal(err)
		}
		// The producer must know a partition before it can end as committed.
		if err := cl.ProduceSync(ctx, record(topic, 0, "out")).FirstErr(); err != nil {
			t.Fatal(err)
		}
		if err := commitInTransaction(ctx, cl, group, topic, 2, id, generation); err != nil {
			t.Fatal(err)
		}
		adm := c.Admin(t)
		at := func() int64 {
			offsets, err := adm.FetchOffsets(ctx, group)
			if err != nil {
				t.Fatal(err)
			}
			o, ok := offsets.Lookup(topic, 0)
			if !ok {
				return -1
			}
			return o.At
		}
		if got := at(); got != -1 {
			t.Errorf("offset %d is visible before the transaction ends", got)
		}
		if err := cl.EndTransaction(ctx, kgo.TryCommit); err != nil {
			t.Fatal(err)
		}
		kafkatest.Eventually(t, "the committed offset", func() bool { return at() == 2 })
	})
}

func TestStaticMemberKeepsItsPartitions(t *testing.T) {
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		topic, group, ctx := c.Topic(t, 2), c.Group(t), deadline(t)
		first := join(t, c, group, topic, "slot-1")
		_, generation := first.GroupMetadata()
		first.Close() // a static member's client leaves no LeaveGroup behind
		second := join(t, c, group, topic, "slot-1")
		if _, again := second.GroupMetadata(); again != generation {
			t.Errorf("generation %d after the static member came back, want %d", again, generation)
		}
		adm := c.Admin(t)
		if _, err := adm.LeaveGroup(ctx, kadm.LeaveGroup(group).InstanceIDs("slot-1")); err != nil {
			t.Fatal(err)
		}
		kafkatest.Eventually(t, "an empty group", func() bool {
			groups, err := adm.DescribeGroups(ctx, group)
			return err == nil && groups[group].State == "Empty"
		})
	})
}
