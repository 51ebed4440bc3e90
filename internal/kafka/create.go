package kafka

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/auditstream/auditstream/topology"
)

// cluster is what replication depends on.
type cluster struct {
	brokers                 int
	defaultReplicas, minISR int // 1 when the broker does not tell
}

func (a *Admin) cluster(ctx context.Context) (cluster, error) {
	c := cluster{defaultReplicas: 1, minISR: 1}
	metadata, err := a.BrokerMetadata(ctx)
	if err != nil {
		return c, asError(fmt.Errorf("describe cluster: %w", err))
	}
	c.brokers = len(metadata.Brokers)
	if c.brokers == 0 {
		return c, nil
	}
	// Reading a broker's settings is a right of its own; without it the rule for
	// three brokers applies as if the defaults were the lowest.
	configs, err := a.DescribeBrokerConfigs(ctx, metadata.Brokers[0].NodeID)
	if err != nil || len(configs) == 0 || configs[0].Err != nil {
		return c, nil
	}
	for _, setting := range configs[0].Configs {
		n, err := strconv.Atoi(setting.MaybeValue())
		if err != nil {
			continue
		}
		switch setting.Key {
		case "default.replication.factor":
			c.defaultReplicas = n
		case "min.insync.replicas":
			c.minISR = n
		}
	}
	return c, nil
}

// createMissing makes what is missing, all or nothing: the broker validates
// everything before anything is made.
func (a *Admin) createMissing(ctx context.Context, t topology.Topology, existing kadm.TopicDetails, c cluster) ([]string, error) {
	request := kmsg.NewPtrCreateTopicsRequest()
	request.TimeoutMillis = int32(reachTimeout / time.Millisecond)
	var created []string
	for _, topic := range t.Topics {
		if _, exists := existing[topic.Name]; exists || !topic.Create {
			continue
		}
		request.Topics = append(request.Topics, newTopic(topic, countsOf(existing), c))
		created = append(created, topic.Name)
	}
	if len(created) == 0 {
		return nil, nil
	}
	for _, validateOnly := range []bool{true, false} {
		request.ValidateOnly = validateOnly
		response, err := request.RequestWith(ctx, a.client)
		if err != nil {
			return nil, asError(fmt.Errorf("create topics %s: %w", names(created), err))
		}
		if err := refusals(response); err != nil {
			return nil, err
		}
	}
	return created, nil
}

func newTopic(topic topology.Topic, counts map[string]int, c cluster) kmsg.CreateTopicsRequestTopic {
	r := kmsg.NewCreateTopicsRequestTopic()
	r.Topic = topic.Name
	r.NumPartitions = -1
	if required, fixed := topic.Partitions.Required(counts); fixed {
		r.NumPartitions = int32(required)
	} else if topic.Partitions.New > 0 {
		r.NumPartitions = int32(topic.Partitions.New)
	}
	replicas, minISR := topology.Replication(c.brokers, c.defaultReplicas, c.minISR)
	r.ReplicationFactor = -1
	if replicas > 0 {
		r.ReplicationFactor = int16(replicas)
	}
	set := func(name, value string) {
		setting := kmsg.NewCreateTopicsRequestTopicConfig()
		setting.Name, setting.Value = name, &value
		r.Configs = append(r.Configs, setting)
	}
	if topic.CleanupPolicy != "" {
		set("cleanup.policy", topic.CleanupPolicy)
	}
	if minISR > 0 {
		set("min.insync.replicas", strconv.Itoa(minISR))
	}
	return r
}

// refusals collects the topics that the broker will not make. One that another
// instance has just made is not among them.
func refusals(response *kmsg.CreateTopicsResponse) error {
	var faults []error
	for _, topic := range response.Topics {
		if err := refusal(&topic); err != nil {
			faults = append(faults, fmt.Errorf("create topic %s: %w", topic.Topic, err))
		}
	}
	return asError(errors.Join(faults...))
}

// refusal is why the broker will not make a topic, nil when it will or has.
func refusal(topic *kmsg.CreateTopicsResponseTopic) error {
	err := kerr.ErrorForCode(topic.ErrorCode)
	if err == nil || errors.Is(err, kerr.TopicAlreadyExists) {
		return nil
	}
	if topic.ErrorMessage != nil && *topic.ErrorMessage != "" {
		return fmt.Errorf("%w (%s)", err, *topic.ErrorMessage)
	}
	return err
}

// awaitLeaders waits until every partition answers ListOffsets: a client that
// comes earlier meets NOT_LEADER and may give up.
func (a *Admin) awaitLeaders(ctx context.Context, t topology.Topology) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	var all []string
	for _, topic := range t.Topics {
		all = append(all, topic.Name)
	}
	for {
		listed, err := a.ListEndOffsets(ctx, all...)
		if err == nil {
			err = listed.Error()
		}
		if err == nil && answered(listed, all) {
			return nil
		}
		if err != nil && !kerr.IsRetriable(err) && ctx.Err() == nil {
			return asError(fmt.Errorf("wait for the leaders of %s: %w", names(all), err))
		}
		select {
		case <-ctx.Done():
			return asError(fmt.Errorf("wait for the leaders of %s: %w", names(all), errors.Join(err, ctx.Err())))
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func answered(listed kadm.ListedOffsets, topics []string) bool {
	for _, topic := range topics {
		if len(listed[topic]) == 0 {
			return false
		}
	}
	return true
}
