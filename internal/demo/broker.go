package demo

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"
)

// Topic is the tick topic of the demo's market.
const Topic = "demo.ticks"

// startBroker runs a Kafka broker inside the process, on loopback, with the
// market's topic. Port 0 takes any free port. Everything is in memory and ends
// with it. It speaks transactions, static members and read committed, so the
// audit runs on it with the settings that it has on a real cluster.
func startBroker(ctx context.Context, port int) (*kfake.Cluster, error) {
	cluster, err := kfake.NewCluster(
		kfake.NumBrokers(1),
		kfake.Ports(port),
		kfake.GroupMinSessionTimeout(time.Second),
	)
	if err != nil {
		return nil, fmt.Errorf("start the embedded broker on 127.0.0.1:%d: %w", port, err)
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...))
	if err != nil {
		cluster.Close()
		return nil, err
	}
	defer client.Close()
	if _, err := kadm.NewClient(client).CreateTopic(ctx, partitionCount, 1, nil, Topic); err != nil {
		cluster.Close()
		return nil, fmt.Errorf("create %s on the embedded broker: %w", Topic, err)
	}
	return cluster, nil
}

// startRegistry runs a schema registry inside the process, on loopback, with
// the schema of the market's messages.
func startRegistry(schema *sr.Schema) *srfake.Registry {
	r := srfake.New()
	r.SeedSchema(Topic+"-value", 1, schemaID, *schema)
	return r
}
