package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/sasl/plain"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/check"
	"github.com/auditstream/auditstream/internal/kafkatest"
)

// checked runs check and returns its exit code and, with --json, the statuses
// by name.
func checked(t *testing.T, args ...string) (int, string, map[string]check.Check) {
	t.Helper()
	var out bytes.Buffer
	code := run(t.Context(), append([]string{"check"}, args...), strings.NewReader(""), &out, os.Stderr, nil)
	var result struct{ Checks []check.Check }
	byName := map[string]check.Check{}
	if json.Unmarshal(out.Bytes(), &result) == nil {
		for _, c := range result.Checks {
			byName[c.Name] = c
		}
	}
	for _, c := range byName {
		if (c.Status == check.OK) != (c.Action == "") {
			t.Errorf("a check that is not ok tells what to do, and no other: %+v", c)
		}
	}
	return code, out.String(), byName
}

// three is a cluster of three brokers with a tick topic as it should be.
func three(t *testing.T, opts ...kfake.Opt) (c *kafkatest.Cluster, topic string) {
	t.Helper()
	c = kafkatest.Fake(t, append([]kfake.Opt{kfake.NumBrokers(3)}, opts...)...)
	topic = kafkatest.Name(t)
	two, no := "2", "false"
	if r, err := c.Admin(t).CreateTopic(t.Context(), 12, 3, map[string]*string{"min.insync.replicas": &two, "unclean.leader.election.enable": &no}, topic); err != nil || r.Err != nil {
		t.Fatal(err, r.Err)
	}
	return c, topic
}

// ticksBy are records of symbols as a client places them.
func ticksBy(t *testing.T, topic, client string, partitions int32, symbols ...string) []*kgo.Record {
	t.Helper()
	p, err := engine.PartitionerByName(client)
	if err != nil {
		t.Fatal(err)
	}
	var records []*kgo.Record
	for _, symbol := range symbols {
		partition, _, _ := p.Place([]byte(symbol), false, partitions)
		now := time.Now()
		value := fmt.Sprintf(`{"symbol":%q,"timestamp_ns":%d}`, symbol, now.UnixNano())
		records = append(records, &kgo.Record{Topic: topic, Partition: partition, Key: []byte(symbol), Value: []byte(value), Timestamp: now})
	}
	return records
}

func symbolNames(n int) []string {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("SYM%d", i))
	}
	return names
}

func TestCheckOfAHealthyTopic(t *testing.T) {
	c, topic := three(t)
	c.Produce(t, ticksBy(t, topic, "java", 12, symbolNames(100)...)...)
	group := c.Group(t)
	offsets := kadm.Offsets{}
	offsets.Add(kadm.Offset{Topic: topic, Partition: 3, At: 1, LeaderEpoch: -1})
	if err := c.Admin(t).CommitAllOffsets(t.Context(), group, offsets); err != nil {
		t.Fatal(err)
	}
	before, err := c.Admin(t).ListTopicsWithInternal(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"--set", "bootstrap.servers=" + c.Brokers[0], "--set", "topics=" + topic, "--set", "consumer.lag.groups=" + group}
	code, out, checks := checked(t, append(args, "--json", "--rate", "10000", "--size", "100", "--consumers", "6")...)
	if code != exitDone {
		t.Errorf("exit code %d, %s", code, out)
	}
	for name, want := range map[string]string{
		"reach":                      "3 brokers by",
		"broker 1":                   "answers in",
		"replication of " + topic:    "3",
		"partitions of " + topic:     "12",
		"values of " + topic:         "JSON object 100",
		"timestamp unit of " + topic: "ns 100",
		"clock of " + topic:          "median",
		"keys of " + topic:           "100 records of 100 keys",
		"partitioner of " + topic:    "murmur2, by all of 100 keys (java, ",
		"watched group " + group:     "behind on 1 partition",
	} {
		if got := checks[name]; got.Status != check.OK || !strings.Contains(got.Observed, want) {
			t.Errorf("%s: %+v, want %q", name, got, want)
		}
	}
	after, err := c.Admin(t).ListTopicsWithInternal(t.Context())
	if err != nil || !slices.Equal(before.Names(), after.Names()) {
		t.Errorf("topics before %v, after %v (%v)", before.Names(), after.Names(), err)
	}
	if code, out, _ := checked(t, args...); code != exitDone || !strings.Contains(out, "✓  reach ") || strings.Contains(out, "next:") {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

func TestCheckOfTopicsOfItsOwn(t *testing.T) {
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		ticks, name := c.Topic(t, 4), kafkatest.Name(t)
		args := []string{"--json", "--set", "bootstrap.servers=" + c.Brokers[0], "--set", "name=" + name, "--set", "topics=" + ticks}
		_, out, checks := checked(t, args...)
		table := "auditstream-" + name + "-table"
		if got := checks["table topic "+table]; got.Status != check.OK || got.Observed != "does not exist; run makes it" {
			t.Errorf("a missing table: %s", out)
		}
		if got := checks["replication of "+ticks]; got.Status != check.Warn || !strings.Contains(got.Action, "a cluster of 3 brokers") {
			t.Errorf("replication 1: %+v", got)
		}
		if got := checks["min.insync.replicas of "+ticks]; got.Status != check.Warn || !strings.HasPrefix(got.Action, "replication first: 3 replicas") {
			t.Errorf("min.insync.replicas 1: %+v", got)
		}
		if topics, err := c.Admin(t).ListTopics(t.Context(), table); err != nil || topics.Has(table) {
			t.Errorf("check has made %s (%v)", table, err)
		}

		c.CreateTopic(t, table, 2, "cleanup.policy=compact")
		c.CreateTopic(t, ticks+".audit", 1, "cleanup.policy=compact")
		code, out, checks := checked(t, args...)
		if got := checks["table topic "+table]; code != exitFindings || got.Status != check.Fail ||
			got.Observed != "2 partitions" || !strings.HasPrefix(got.Expected, "4 partitions") || !strings.Contains(got.Action, "--partitions 4") {
			t.Errorf("a table that is too narrow: exit code %d, %s", code, out)
		}
		if got := checks["audit topic "+ticks+".audit"]; got.Status != check.Warn || !strings.Contains(got.Action, "cleanup.policy=delete") {
			t.Errorf("an audit topic that is compacted: %+v", got)
		}
		if code, _, _ := checked(t, append(args, "--fail-on", "never")...); code != exitDone {
			t.Errorf("--fail-on never: exit code %d", code)
		}
	})
}

func TestCheckOfSettingsAtOddsWithTicks(t *testing.T) {
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		topic := c.Topic(t, 5, "cleanup.policy=compact", "unclean.leader.election.enable=true", "retention.ms=60000", "message.timestamp.type=LogAppendTime", "retention.bytes=1000")
		_, _, checks := checked(t, "--json", "--set", "bootstrap.servers="+c.Brokers[0], "--set", "topics="+topic,
			"--rate", "1000", "--size", "100", "--consumers", "4")
		for name, action := range map[string]string{
			"cleanup.policy":                 "cleanup.policy=delete",
			"unclean.leader.election.enable": "unclean.leader.election.enable=false",
			"retention.ms":                   "retention.ms=86400000",
			"retention.bytes":                "retention.bytes=",
			"partitions":                     "--partitions 8",
		} {
			if got := checks[name+" of "+topic]; got.Status != check.Warn || !strings.Contains(got.Action, action) {
				t.Errorf("%s: %+v, want %q", name, got, action)
			}
		}
		if got := checks["message.timestamp.type of "+topic]; got.Status != check.OK || !strings.Contains(got.Observed, "brokers'") {
			t.Errorf("timestamp type: %+v", got)
		}
	})
}

func TestCheckOfWhatRecordsShow(t *testing.T) {
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		topic := c.Topic(t, 12)
		records := ticksBy(t, topic, "java", 12, symbolNames(60)...)
		records = append(records, ticksBy(t, topic, "librdkafka", 12, symbolNames(20)...)...)
		late := ticksBy(t, topic, "java", 12, "SYM1")[0]
		late.Value = fmt.Appendf(nil, `{"symbol":"SYM1","timestamp_ns":%d}`, time.Now().Add(37*time.Second).UnixMilli())
		records = append(records, late,
			&kgo.Record{Topic: topic, Value: []byte("no tick")},
			&kgo.Record{Topic: topic, Key: []byte{}, Value: []byte("\x00\x00\x00\x00\x07avro")})
		c.Produce(t, records...)
		_, out, checks := checked(t, "--json", "--set", "bootstrap.servers="+c.Brokers[0], "--set", "topics="+topic)
		for name, want := range map[string][]string{
			"partitioner":    {"murmur2 ", "; crc32 ", "(librdkafka)", `"SYM`},
			"values":         {"JSON object 81", "schema registry's frame 1", "2 are no ticks"},
			"timestamp unit": {"ns 80", "ms 1"},
			"clock":          {"to 37"},
			"keys":           {"1 without a key", "1 with a key of no bytes"},
		} {
			got := checks[name+" of "+topic]
			if got.Status != check.Warn {
				t.Errorf("%s: %+v", name, got)
			}
			for _, text := range want {
				if !strings.Contains(got.Observed, text) {
					t.Errorf("%s: observed %q, want %q", name, got.Observed, text)
				}
			}
		}
		if t.Failed() {
			t.Log(out)
		}
	})
}

// Every function alone is named alone, whatever client has used it.
func TestCheckNamesThePartitioner(t *testing.T) {
	c := kafkatest.Fake(t)
	for _, h := range engine.Hashes() {
		topic := c.Topic(t, 12)
		c.Produce(t, ticksBy(t, topic, h.String(), 12, symbolNames(60)...)...)
		args := []string{"--json", "--set", "bootstrap.servers=" + c.Brokers[0], "--set", "topics=" + topic}
		_, _, checks := checked(t, args...)
		if got := checks["partitioner of "+topic]; got.Status != check.OK || !strings.HasPrefix(got.Observed, h.String()+", by all of 60 keys") {
			t.Errorf("%s: %+v", h, got)
		}
		pinned := "murmur2"
		if h == engine.HashMurmur2 {
			pinned = "crc32"
		}
		_, _, checks = checked(t, append(args, "--set", "partitioner="+pinned)...)
		if got := checks["partitioner of "+topic]; got.Status != check.Warn || !strings.Contains(got.Action, "PARTITIONER_MISMATCH") {
			t.Errorf("%s pinned to %s: %+v", h, pinned, got)
		}
	}
}

// What check says of a sample is what an audit of the same records says.
func TestCheckOfKeysThatNoFunctionExplains(t *testing.T) {
	c := kafkatest.Fake(t)
	for _, k := range []struct {
		name, client string
		place        func(i int) int32
		want         []string
	}{
		{"ignored", "java", func(i int) int32 { return int32(i) % 12 }, []string{"keys are ignored: 30 keys on 360 places", "PARTITIONER_MIXED"}},
		{"own", "java", func(i int) int32 { return int32(i/12) * 5 % 12 }, []string{"no known function explains where keys lie: 30 keys, each on one partition", "partitioner of their own"}},
	} {
		topic := c.Topic(t, 12)
		var records []*kgo.Record
		for i, name := range symbolNames(30) {
			for round := range 12 {
				r := ticksBy(t, topic, k.client, 12, name)[0]
				r.Partition = k.place(12*i + round)
				records = append(records, r)
			}
		}
		c.Produce(t, records...)
		_, _, checks := checked(t, "--json", "--set", "bootstrap.servers="+c.Brokers[0], "--set", "topics="+topic)
		got := checks["partitioner of "+topic]
		if got.Status != check.Warn || !strings.HasPrefix(got.Observed, k.want[0]) || !strings.Contains(got.Action, k.want[1]) {
			t.Errorf("%s: %+v", k.name, got)
		}
	}
}

// A key that lies where it lay before the topic grew is no second function.
func TestCheckOfATopicThatGrew(t *testing.T) {
	c := kafkatest.Fake(t)
	topic := c.Topic(t, 6)
	records := ticksBy(t, topic, "java", 3, symbolNames(30)...)
	for _, r := range records {
		r.Timestamp = r.Timestamp.Add(-time.Hour)
	}
	c.Produce(t, append(records, ticksBy(t, topic, "java", 6, symbolNames(30)...)...)...)
	_, _, checks := checked(t, "--json", "--set", "bootstrap.servers="+c.Brokers[0], "--set", "topics="+topic)
	got := checks["partitioner of "+topic]
	if got.Status != check.OK || !strings.HasPrefix(got.Observed, "murmur2, by all of 30 keys") || !strings.Contains(got.Observed, "over 3 partitions, before the topic grew to 6") {
		t.Errorf("%+v", got)
	}
}

func TestCheckOfATransactionalTail(t *testing.T) {
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		topic := c.Topic(t, 1)
		producer := c.Client(t, kgo.TransactionalID(kafkatest.Name(t)))
		if err := producer.BeginTransaction(); err != nil {
			t.Fatal(err)
		}
		if err := producer.ProduceSync(t.Context(), ticksBy(t, topic, "java", 1, "QXA")...).FirstErr(); err != nil {
			t.Fatal(err)
		}
		if err := producer.EndTransaction(t.Context(), kgo.TryCommit); err != nil {
			t.Fatal(err)
		}
		_, _, checks := checked(t, "--json", "--set", "bootstrap.servers="+c.Brokers[0], "--set", "topics="+topic)
		if got := checks["sample of "+topic]; got.Observed != "the last 1 record of 1 partition" {
			t.Errorf("%+v", got)
		}
	})
}

func TestCheckNamesTheNearestTopic(t *testing.T) {
	c := kafkatest.Fake(t)
	c.CreateTopic(t, "market-ticks", 1)
	code, out, _ := checked(t, "--set", "bootstrap.servers="+c.Brokers[0], "--set", "topics=market-tics")
	if code != exitFindings || !strings.Contains(out, `✗  ticks topic market-tics `) ||
		!strings.Contains(out, `the nearest name is "market-ticks"`) || !strings.Contains(out, "next: create it") {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

func TestCheckWithoutABroker(t *testing.T) {
	code, out, checks := checked(t, "--json", "--set", "bootstrap.servers=127.0.0.1:1", "--set", "topics=ticks", "--fail-on", "never")
	if code != exitFailed || checks["reach"].Status != check.Fail || checks["ticks topic ticks"].Status != check.Unknown {
		t.Errorf("exit code %d, %s", code, out)
	}
}

func TestCheckOfABrokerThatAsksForSASL(t *testing.T) {
	c := kafkatest.Fake(t, kfake.EnableSASL(), kfake.Superuser("PLAIN", "root", "secret"))
	code, out, checks := checked(t, "--json", "--set", "bootstrap.servers="+c.Brokers[0], "--set", "topics=ticks")
	if got := checks["reach"]; code != exitFailed || got.Status != check.Fail || !strings.Contains(got.Action, "consumer.override.security.protocol") {
		t.Errorf("exit code %d, %s", code, out)
	}
}

// superuser asks as one who may do everything.
func superuser(t *testing.T, c *kafkatest.Cluster) *kadm.Client {
	t.Helper()
	return kadm.NewClient(c.Client(t, kgo.SASL(plain.Auth{User: "root", Pass: "secret"}.AsMechanism())))
}

func TestCheckOfRights(t *testing.T) {
	allow := func(resource kmsg.ACLResourceType, name string, operations ...kmsg.ACLOperation) (acls []kfake.ACL) {
		for _, operation := range operations {
			acls = append(acls, kfake.ACL{Resource: resource, Name: name, Pattern: kmsg.ACLResourcePatternTypeLiteral, Operation: operation, Allow: true})
		}
		return acls
	}
	c := kafkatest.Fake(t, kfake.EnableSASL(), kfake.EnableACLs(), kfake.Superuser("PLAIN", "root", "secret"), kfake.SeedTopics(2, "ticks"),
		kfake.User("PLAIN", "nobody", "secret"),
		kfake.User("PLAIN", "reader", "secret", allow(kmsg.ACLResourceTypeTopic, "ticks", kmsg.ACLOperationRead)...))
	config := t.TempDir() + "/check.properties"
	write := func(user string) []string {
		content := fmt.Sprintf("bootstrap.servers=%s\ntopics=ticks\nname=a\nconsumer.override.security.protocol=SASL_PLAINTEXT\n"+
			"consumer.override.sasl.mechanism=PLAIN\nconsumer.override.sasl.username=%s\nconsumer.override.sasl.password=secret\n", c.Brokers[0], user)
		if err := os.WriteFile(config, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return []string{"--json", "-c", config}
	}
	command := "kafka-acls.sh --bootstrap-server " + c.Brokers[0] + " --add --allow-principal User:"

	code, out, checks := checked(t, write("nobody")...)
	if code != exitFindings {
		t.Errorf("no rights: exit code %d", code)
	}
	for name, want := range map[string]string{
		"rights on topic ticks":               "nobody --operation Read --operation DescribeConfigs --topic ticks",
		"rights on topic ticks.audit":         "nobody --operation Create --operation Write --operation DescribeConfigs --topic ticks.audit",
		"rights on topic auditstream-a-table": "nobody --operation Create --operation Read --operation Write --operation DescribeConfigs --topic auditstream-a-table",
		// kfake lets anybody send heartbeats to a group that is not there; Kafka does not.
		"rights on group auditstream-a":               "nobody --operation Describe --group auditstream-a",
		"rights on transactional ids auditstream-a-*": "nobody --operation Write --transactional-id auditstream-a- --resource-pattern-type prefixed",
	} {
		if got := checks[name]; got.Status == check.OK || got.Action != command+want {
			t.Errorf("%s: %+v\nwant %s", name, got, command+want)
		}
	}
	if t.Failed() {
		t.Log(out)
	}

	_, _, checks = checked(t, write("reader")...)
	if got := checks["rights on topic ticks"]; got.Status != check.Warn || got.Action != command+"reader --operation DescribeConfigs --topic ticks" {
		t.Errorf("a right to read alone: %+v", got)
	}
	_, out, checks = checked(t, write("root")...)
	for name, got := range checks {
		if strings.HasPrefix(name, "rights") && got.Status == check.Fail {
			t.Errorf("a superuser: %s %+v", name, got)
		}
	}
	if topics, err := superuser(t, c).ListTopics(context.Background()); err != nil || len(topics) != 1 {
		t.Errorf("topics %v (%v) after %s", topics.Names(), err, out)
	}
}

func TestCheckNeedsATopic(t *testing.T) {
	if code, out, _ := checked(t, "--set", "bootstrap.servers=127.0.0.1:1"); code != exitUsage || out != "" {
		t.Errorf("exit code %d, %s", code, out)
	}
}

func TestCheckRefusesALoadByHalves(t *testing.T) {
	for _, args := range [][]string{{"--rate", "5"}, {"--size", "5"}, {"--consumers", "5"}, {"--rate", "-5", "--size", "1"}, {"--keep", "0s"}} {
		if code, out, _ := checked(t, append(args, "--set", "topics=ticks", "--set", "bootstrap.servers=127.0.0.1:1")...); code != exitUsage || out != "" {
			t.Errorf("%v: exit code %d, %s", args, code, out)
		}
	}
}

// The judgement of watched groups is that of a run.
func TestCheckOfWatchedGroups(t *testing.T) {
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		topic := c.Topic(t, 1)
		c.Produce(t, ticksBy(t, topic, "java", 1, symbolNames(20)...)...)
		ahead, behind, prefix := c.Group(t)+"-ahead", c.Group(t)+"-behind", kafkatest.Name(t)+"-none"
		for group, at := range map[string]int64{ahead: 1180, behind: 2} {
			offsets := kadm.Offsets{}
			offsets.Add(kadm.Offset{Topic: topic, At: at, LeaderEpoch: -1})
			kafkatest.Eventually(t, "the commit of "+group, func() bool { return c.Admin(t).CommitAllOffsets(t.Context(), group, offsets) == nil })
		}
		_, out, checks := checked(t, "--json", "--set", "bootstrap.servers="+c.Brokers[0], "--set", "topics="+topic,
			"--set", "consumer.lag.groups="+ahead+","+behind+","+prefix+".*", "--set", "max.lag.ticks=10")
		if got := checks["watched group "+ahead]; got.Status != check.Fail || !strings.HasPrefix(got.Observed, "OFFSET_INCONSISTENCY AHEAD_OF_END: ") || got.Action == "" {
			t.Errorf("a group ahead of the end: %+v\n%s", got, out)
		}
		if got := checks["watched group "+behind]; got.Status != check.Warn || !strings.HasPrefix(got.Observed, "CONSUMER_LAG: ") || got.Action == "" {
			t.Errorf("a group behind: %+v", got)
		}
		if got := checks["watched group "+prefix+".*"]; got.Status != check.Warn || !strings.HasSuffix(got.Action, " --group "+prefix+" --resource-pattern-type prefixed") {
			t.Errorf("a pattern that matches nothing: %+v", got)
		}
	})
}
