package kafka_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/internal/config"
	"github.com/auditstream/auditstream/internal/kafka"
	"github.com/auditstream/auditstream/internal/kafkatest"
	"github.com/auditstream/auditstream/topology"
)

// configured is a valid configuration of one topic on the given brokers.
func configured(t *testing.T, brokers []string, sets ...string) *config.Config {
	t.Helper()
	sets = append([]string{"bootstrap.servers=" + strings.Join(brokers, ","), "topics=ticks", "name=" + kafkatest.Name(t)}, sets...)
	c, err := config.Load("", nil, sets)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func connect(t *testing.T, c *config.Config) *kafka.Admin {
	t.Helper()
	a, err := kafka.Connect(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	return a
}

// refusal takes an error apart that must be one of configuration.
func refusal(t *testing.T, err error, texts ...string) {
	t.Helper()
	var e *kafka.Error
	if !errors.As(err, &e) || !e.Configuration || e.Next == "" {
		t.Fatalf("%v (%T) is no refusal with a next step", err, err)
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("missing %q in: %v", text, err)
		}
	}
}

// audit lays out an audit of the given topics and has what it makes deleted.
func audit(t *testing.T, cluster *kafkatest.Cluster, c *config.Config, topics ...string) topology.Topology {
	t.Helper()
	c.Topics, c.AuditTopic = topics, ""
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	made := c.Topology()
	for _, topic := range made.Topics {
		if topic.Create {
			cluster.DeleteTopicsAtEnd(t, topic.Name)
		}
	}
	return made
}

func TestUnreachableBrokerIsToldQuickly(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	start := time.Now()
	_, err = kafka.Connect(t.Context(), configured(t, []string{address}))
	var e *kafka.Error
	if !errors.As(err, &e) || e.Configuration {
		t.Fatalf("%v (%T) should be a failure, not a refusal", err, err)
	}
	if !strings.Contains(err.Error(), address) || !strings.Contains(err.Error(), "refused") || !strings.Contains(e.Next, "bootstrap.servers") {
		t.Errorf("%v; try %s", err, e.Next)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
}

// A port that takes connections and never answers is no broker either.
func TestSilentBrokerIsToldInTime(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	start := time.Now()
	_, err = kafka.Connect(t.Context(), configured(t, []string{listener.Addr().String()}))
	var e *kafka.Error
	if !errors.As(err, &e) || e.Configuration || !strings.Contains(err.Error(), listener.Addr().String()) {
		t.Fatalf("got %v", err)
	}
	if took := time.Since(start); took > 15*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestOneWorkingAddressIsEnough(t *testing.T) {
	cluster := kafkatest.Fake(t)
	connect(t, configured(t, append([]string{"127.0.0.1:1"}, cluster.Brokers...)))
}

func TestTopicsAreMadeAndReady(t *testing.T) {
	kafkatest.Run(t, func(t *testing.T, cluster *kafkatest.Cluster) {
		narrow, wide := cluster.Topic(t, 3), cluster.Topic(t, 5)
		c := configured(t, cluster.Brokers)
		c.DeadLetterTopic = kafkatest.Name(t)
		made := audit(t, cluster, c, narrow, wide)
		a := connect(t, c)
		p, err := a.EnsureTopics(t.Context(), made)
		if err != nil {
			t.Fatal(err)
		}
		names := topology.NamesOf(c.Name)
		want := map[string]int{
			narrow: 3, wide: 5, names.Table: 5, names.DistributionTopic: 1, names.DistributionTable: 1,
			c.AuditTopic: 1, c.DeadLetterTopic: 1,
		}
		if got := p.Partitions(); !maps.Equal(got, want) {
			t.Errorf("partitions %v, want %v", got, want)
		}
		if len(p.Created) != 5 || len(p.Warnings) != 0 {
			t.Errorf("created %v, warnings %v", p.Created, p.Warnings)
		}
		settings, err := a.Settings(t.Context(), names.Table, c.AuditTopic)
		if err != nil {
			t.Fatal(err)
		}
		if settings[names.Table]["cleanup.policy"] != "compact" || settings[c.AuditTopic]["cleanup.policy"] != "delete" {
			t.Errorf("settings %v", settings)
		}
		again, err := a.EnsureTopics(t.Context(), made)
		if err != nil || len(again.Created) != 0 || len(again.Warnings) != 0 {
			t.Errorf("the second time: created %v, warnings %v, %v", again.Created, again.Warnings, err)
		}
	})
}

func TestFaultsAreToldTogetherAndNothingIsMade(t *testing.T) {
	kafkatest.Run(t, func(t *testing.T, cluster *kafkatest.Cluster) {
		ticks := cluster.Topic(t, 4)
		c := configured(t, cluster.Brokers)
		made := audit(t, cluster, c, ticks, ticks+"x")
		names := topology.NamesOf(c.Name)
		cluster.CreateTopic(t, names.Table, 2)
		cluster.CreateTopic(t, names.DistributionTopic, 3)
		a := connect(t, c)
		_, err := a.EnsureTopics(t.Context(), made)
		refusal(t, err,
			`topic "`+ticks+`x" does not exist; the nearest name is "`+ticks+`"`,
			`table "`+names.Table+`" has 2 partitions, but topic "`+ticks+`" has 4`,
			`topic "`+names.DistributionTopic+`" has 3 partitions, it must have 1`)
		var told *kafka.Error
		if !errors.As(err, &told) {
			t.Fatal(err)
		}
		for _, remedy := range []string{
			"check the key topics; and ", "--topic " + names.Table + " --partitions 4, or delete the topic",
			"; and delete topic " + names.DistributionTopic + ", or give this audit another name",
		} {
			if !strings.Contains(told.Try(), remedy) {
				t.Errorf("tells to try %q, not %q", told.Try(), remedy)
			}
		}
		topics, err := a.ListTopics(t.Context(), c.AuditTopic, names.DistributionTable)
		if err != nil || topics.Has(c.AuditTopic) || topics.Has(names.DistributionTable) {
			t.Errorf("something was made (%v)", err)
		}
	})
}

func TestDifferingSettingsAreNamed(t *testing.T) {
	kafkatest.Run(t, func(t *testing.T, cluster *kafkatest.Cluster) {
		ticks := cluster.Topic(t, 2)
		c := configured(t, cluster.Brokers)
		made := audit(t, cluster, c, ticks)
		table := topology.NamesOf(c.Name).Table
		cluster.CreateTopic(t, table, 2, "cleanup.policy=delete")
		p, err := connect(t, c).EnsureTopics(t.Context(), made)
		if err != nil {
			t.Fatal(err)
		}
		want := "topic " + table + " has cleanup.policy delete, auditstream would make it with compact"
		if len(p.Warnings) != 1 || p.Warnings[0] != want {
			t.Errorf("warnings %q, want %q", p.Warnings, want)
		}
	})
}

func TestThreeBrokersReplicate(t *testing.T) {
	cluster := kafkatest.Fake(t, kfake.NumBrokers(3), kfake.BrokerConfigs(map[string]string{"default.replication.factor": "1", "min.insync.replicas": "1"}))
	ticks := cluster.Topic(t, 2)
	c := configured(t, cluster.Brokers)
	a := connect(t, c)
	p, err := a.EnsureTopics(t.Context(), audit(t, cluster, c, ticks))
	if err != nil {
		t.Fatal(err)
	}
	table := topology.NamesOf(c.Name).Table
	if got := p.Topics[table].Partitions.NumReplicas(); got != 3 {
		t.Errorf("%d replicas, want 3", got)
	}
	settings, err := a.Settings(t.Context(), table)
	if err != nil || settings[table]["min.insync.replicas"] != "2" {
		t.Errorf("min.insync.replicas %q, %v", settings[table]["min.insync.replicas"], err)
	}
}

// An audit that is given a production group's name stays away from it.
func TestG23GroupInUseIsRefusedWithoutJoining(t *testing.T) {
	kafkatest.Run(t, func(t *testing.T, cluster *kafkatest.Cluster) {
		topic, group := cluster.Topic(t, 3), cluster.Group(t)
		cluster.Produce(t, &kgo.Record{Topic: topic, Partition: 1, Value: []byte("x")})
		member := cluster.Client(t, kgo.ConsumerGroup(group), kgo.ConsumeTopics(topic), kgo.ClientID("strategy-7"),
			kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.DisableAutoCommit())
		fetches := member.PollFetches(t.Context())
		if err := fetches.Err(); err != nil {
			t.Fatal(err)
		}
		if err := member.CommitUncommittedOffsets(t.Context()); err != nil {
			t.Fatal(err)
		}
		_, generation := member.GroupMetadata()

		a := connect(t, configured(t, cluster.Brokers))
		refusal(t, a.GroupInUse(t.Context(), group, group+"-"), group, "strategy-7", "in use")

		if _, now := member.GroupMetadata(); now != generation {
			t.Errorf("the group rebalanced: generation %d, was %d", now, generation)
		}
		offsets, err := a.CommittedOffsets(t.Context(), group)
		if err != nil || offsets[topic][1] != 1 {
			t.Errorf("offsets %v, %v", offsets, err)
		}
	})
}

func TestOwnGroupIsNotInUse(t *testing.T) {
	kafkatest.Run(t, func(t *testing.T, cluster *kafkatest.Cluster) {
		topic, group := cluster.Topic(t, 1), cluster.Group(t)
		a := connect(t, configured(t, cluster.Brokers))
		if err := a.GroupInUse(t.Context(), group, group+"-"); err != nil {
			t.Fatalf("a group that does not exist: %v", err)
		}
		member := cluster.Client(t, kgo.ConsumerGroup(group), kgo.ConsumeTopics(topic), kgo.InstanceID(group+"-host-0"), kgo.ClientID("x"))
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		kafkatest.Eventually(t, "the member to join", func() bool {
			poll, stop := context.WithTimeout(ctx, 100*time.Millisecond)
			defer stop()
			member.PollFetches(poll)
			id, _ := member.GroupMetadata()
			return id != ""
		})
		if err := a.GroupInUse(ctx, group, group+"-"); err != nil {
			t.Errorf("our own static member: %v", err)
		}
		if err := a.GroupInUse(ctx, group, "other-"); err == nil {
			t.Error("the member of another audit was not seen")
		}
		member.Close()
	})
}

func TestOffsets(t *testing.T) {
	kafkatest.Run(t, func(t *testing.T, cluster *kafkatest.Cluster) {
		topic := cluster.Topic(t, 2)
		cluster.Produce(t, &kgo.Record{Topic: topic, Partition: 1, Value: []byte("x")})
		a := connect(t, configured(t, cluster.Brokers))
		starts, err := a.StartOffsets(t.Context(), topic)
		if err != nil || !maps.Equal(starts[topic], map[int32]int64{0: 0, 1: 0}) {
			t.Errorf("starts %v, %v", starts, err)
		}
		ends, err := a.EndOffsets(t.Context(), topic)
		if err != nil || !maps.Equal(ends[topic], map[int32]int64{0: 0, 1: 1}) {
			t.Errorf("ends %v, %v", ends, err)
		}
		if _, err := a.EndOffsets(t.Context(), topic+"-missing"); !errors.Is(err, kerr.UnknownTopicOrPartition) {
			t.Errorf("a missing topic: %v", err)
		}
		offsets, err := a.CommittedOffsets(t.Context(), kafkatest.Name(t))
		if err != nil || len(offsets) != 0 {
			t.Errorf("a group that does not exist: %v, %v", offsets, err)
		}
	})
}

func TestSaramaConfigIsValidAndOnesOwn(t *testing.T) {
	c := configured(t, []string{"127.0.0.1:1"}, "producer.override.max.request.size=2048", "producer.override.compression.type=zstd",
		"consumer.override.session.timeout.ms=7000", "consumer.override.auto.offset.reset=latest")
	one, err := kafka.SaramaConfig(c)
	if err != nil {
		t.Fatal(err)
	}
	two, _ := kafka.SaramaConfig(c)
	if one == two || one.MetricRegistry == two.MetricRegistry {
		t.Error("two callers share a configuration")
	}
	one.Producer.Transaction.ID = "t"
	if err := one.Validate(); err != nil {
		t.Error(err)
	}
	if one.Producer.RequiredAcks != sarama.WaitForAll || !one.Producer.Idempotent || one.Consumer.IsolationLevel != sarama.ReadCommitted ||
		one.Metadata.AllowAutoTopicCreation || one.Consumer.Offsets.AutoCommit.Enable || one.Producer.MaxMessageBytes != 2048 ||
		one.Producer.Compression != sarama.CompressionZSTD || one.Consumer.Group.Session.Timeout != 7*time.Second ||
		one.Consumer.Offsets.Initial != sarama.OffsetNewest {
		t.Errorf("got %+v", one)
	}
}

func TestSaramaGivesUpOnAnUnreachableBroker(t *testing.T) {
	t.Parallel()
	sc, err := kafka.SaramaConfig(configured(t, []string{"127.0.0.1:1"}))
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	client, err := sarama.NewClient([]string{"127.0.0.1:1"}, sc)
	if err == nil {
		defer client.Close()
		_, err = client.Partitions("ticks")
	}
	if err == nil {
		t.Fatal("connected to nothing")
	}
	if took := time.Since(start); took > 12*time.Second {
		t.Errorf("it took %v", took)
	}
}

// Every client setting of the group must reach the client that feeds it.
func TestOverridesReachTheGroupsClient(t *testing.T) {
	opts, err := kafka.ConsumerOptions(configured(t, []string{"127.0.0.1:1"},
		"consumer.override.session.timeout.ms=7000", "consumer.override.heartbeat.interval.ms=700", "consumer.override.max.poll.interval.ms=17000",
		"consumer.override.metadata.max.age.ms=2000", "consumer.override.fetch.min.bytes=2", "consumer.override.fetch.max.bytes=3000",
		"consumer.override.max.partition.fetch.bytes=2000", "consumer.override.fetch.max.wait.ms=70", "consumer.override.client.id=me",
		"consumer.override.client.rack=r1", "consumer.override.request.timeout.ms=9000", "consumer.override.auto.offset.reset=latest",
		"consumer.override.isolation.level=read_uncommitted", "consumer.override.socket.connection.setup.timeout.ms=1234"))
	if err != nil {
		t.Fatal(err)
	}
	client, err := kgo.NewClient(append(opts, kgo.ConsumerGroup("g"), kgo.ConsumeTopics("t"))...)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for _, test := range []struct {
		opt  any
		want any
	}{
		{kgo.SessionTimeout, 7 * time.Second},
		{kgo.HeartbeatInterval, 700 * time.Millisecond},
		{kgo.RebalanceTimeout, 17 * time.Second},
		{kgo.MetadataMaxAge, 2 * time.Second},
		{kgo.FetchMinBytes, int32(2)},
		{kgo.FetchMaxBytes, int32(3000)},
		{kgo.FetchMaxPartitionBytes, int32(2000)},
		{kgo.FetchMaxWait, 70 * time.Millisecond},
		{kgo.Rack, "r1"},
		{kgo.RequestTimeoutOverhead, 9 * time.Second},
		{kgo.ConsumeResetOffset, kgo.NewOffset().AtEnd()},
		{kgo.DialTimeout, 1234 * time.Millisecond},
		{kgo.DisableAutoCommit, true},
	} {
		if got := client.OptValue(test.opt); got != test.want {
			t.Errorf("got %v (%T), want %v", got, got, test.want)
		}
	}
	if id := client.OptValue(kgo.ClientID); id != "me" {
		t.Errorf("client id %v", id)
	}
	if level := fmt.Sprint(client.OptValue(kgo.FetchIsolationLevel)); level != "0" {
		t.Errorf("isolation level %s, want 0, the protocol's read uncommitted", level)
	}
}
