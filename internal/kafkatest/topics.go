package kafkatest

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// requestTimeout bounds one exchange with a broker on the same machine.
const requestTimeout = 30 * time.Second

// Client opens a client that closes with the test.
func (c *Cluster) Client(t testing.TB, opts ...kgo.Opt) *kgo.Client {
	t.Helper()
	cl, err := kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(c.Brokers...)}, opts...)...)
	if err != nil {
		t.Fatalf("open client: %v", err)
	}
	t.Cleanup(cl.Close)
	return cl
}

// Admin opens an admin client that closes with the test.
func (c *Cluster) Admin(t testing.TB) *kadm.Client {
	t.Helper()
	return kadm.NewClient(c.Client(t))
}

// Topic creates a topic under a name of its own, waits until every partition
// has a leader, and deletes it when the test ends. Configs are "key=value".
func (c *Cluster) Topic(t testing.TB, partitions int, configs ...string) string {
	t.Helper()
	name := Name(t)
	c.CreateTopic(t, name, partitions, configs...)
	return name
}

// CreateTopic is [Cluster.Topic] under a given name. Unless a config says
// otherwise records are kept whatever their time: a broker looks for old ones
// every five minutes, and the records of many tests are from long ago.
func (c *Cluster) CreateTopic(t testing.TB, name string, partitions int, configs ...string) {
	t.Helper()
	forever := "-1"
	settings := map[string]*string{"retention.ms": &forever}
	for _, kv := range configs {
		key, value, ok := strings.Cut(kv, "=")
		if !ok {
			t.Fatalf("topic config %q is not key=value", kv)
		}
		settings[key] = &value
	}
	adm := c.Admin(t)
	ctx, cancel := context.WithTimeout(context.Background(), requestTimeout)
	defer cancel()
	if _, err := adm.CreateTopic(ctx, int32(partitions), 1, settings, name); err != nil {
		t.Fatalf("create topic %s: %v", name, err)
	}
	c.DeleteTopicsAtEnd(t, name)
	Eventually(t, "leaders of every partition of "+name, func() bool {
		ends, err := adm.ListEndOffsets(ctx, name)
		return err == nil && ends.Error() == nil && len(ends.Offsets()[name]) == partitions
	})
}

// DeleteTopicsAtEnd deletes topics, the product's own for example, when the
// test ends; one that was never made is no error.
func (c *Cluster) DeleteTopicsAtEnd(t testing.TB, topics ...string) {
	t.Helper()
	if !c.Real {
		return // kfake's topics end with it
	}
	t.Cleanup(func() {
		adm, done := c.admin(t)
		defer done()
		ctx, cancel := context.WithTimeout(context.Background(), requestTimeout)
		defer cancel()
		_, _ = adm.DeleteTopics(ctx, topics...)
	})
}

// Group makes a group name of its own; the group is deleted when the test ends.
func (c *Cluster) Group(t testing.TB) string {
	t.Helper()
	name := Name(t)
	if c.Real {
		t.Cleanup(func() {
			adm, done := c.admin(t)
			defer done()
			ctx, cancel := context.WithTimeout(context.Background(), requestTimeout)
			defer cancel()
			_, _ = adm.DeleteGroups(ctx, name)
		})
	}
	return name
}

// Grow gives topics more partitions.
func (c *Cluster) Grow(t testing.TB, to int, topics ...string) {
	t.Helper()
	responses, err := c.Admin(t).UpdatePartitions(t.Context(), to, topics...)
	if err == nil {
		err = responses.Error()
	}
	if err != nil {
		t.Fatalf("grow %s to %d partitions: %v", strings.Join(topics, ", "), to, err)
	}
}

// Remake deletes a topic and makes it again. What is written before the broker
// has the new log would go to the old one, so it waits for that.
func (c *Cluster) Remake(t testing.TB, topic string) {
	t.Helper()
	ctx, admin, partitions := t.Context(), c.Admin(t), int32(c.Width(t, topic))
	if _, err := admin.DeleteTopics(ctx, topic); err != nil {
		t.Fatalf("delete %s: %v", topic, err)
	}
	Eventually(t, "topic "+topic+" to be made again", func() bool {
		_, err := admin.CreateTopic(ctx, partitions, 1, nil, topic)
		if err != nil && !strings.Contains(err.Error(), "ALREADY_EXISTS") {
			return false
		}
		ends, err := admin.ListEndOffsets(ctx, topic)
		end, known := ends.Lookup(topic, 0)
		return err == nil && known && end.Err == nil && end.Offset == 0
	})
}

// Width is the number of a topic's partitions.
func (c *Cluster) Width(t testing.TB, topic string) int {
	t.Helper()
	topics, err := c.Admin(t).ListTopics(t.Context(), topic)
	if err != nil {
		t.Fatalf("describe %s: %v", topic, err)
	}
	return len(topics[topic].Partitions)
}

// RefuseGrowth has a cluster of [Fake] answer that nobody may give topics more
// partitions.
func (c *Cluster) RefuseGrowth() {
	c.Kfake.ControlKey(int16(kmsg.CreatePartitions), func(request kmsg.Request) (kmsg.Response, error, bool) {
		c.Kfake.KeepControl()
		response := request.ResponseKind().(*kmsg.CreatePartitionsResponse)
		for _, topic := range request.(*kmsg.CreatePartitionsRequest).Topics {
			refused := kmsg.NewCreatePartitionsResponseTopic()
			refused.Topic, refused.ErrorCode = topic.Topic, kerr.TopicAuthorizationFailed.Code
			response.Topics = append(response.Topics, refused)
		}
		return response, nil, true
	})
}

// admin opens an admin client for use inside a cleanup, where [Cluster.Admin]
// may not register another one.
func (c *Cluster) admin(t testing.TB) (*kadm.Client, func()) {
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.Brokers...))
	if err != nil {
		t.Fatalf("open client: %v", err)
	}
	return kadm.NewClient(cl), cl.Close
}
