package kafka

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
)

// Broker is one broker as it answers now.
type Broker struct {
	ID      int32
	Address string
	Rack    string
	Version string        // a guess from the requests that it takes, such as "v4.2"
	Fences  bool          // it fences transactions by a group's generation (KIP-447, Kafka 2.5)
	Latency time.Duration // of one small request on an open connection
	Err     error         // why it does not answer
}

// Brokers asks every broker of the cluster in turn, by the address that it
// advertises.
func (a *Admin) Brokers(ctx context.Context) ([]Broker, error) {
	metadata, err := a.BrokerMetadata(ctx)
	if err != nil {
		return nil, asError(fmt.Errorf("describe cluster: %w", err))
	}
	var brokers []Broker
	for _, b := range metadata.Brokers {
		one := Broker{ID: b.NodeID, Address: fmt.Sprintf("%s:%d", b.Host, b.Port)}
		if b.Rack != nil {
			one.Rack = *b.Rack
		}
		one.ask(ctx, a)
		brokers = append(brokers, one)
	}
	slices.SortFunc(brokers, func(x, y Broker) int { return cmp.Compare(x.ID, y.ID) })
	return brokers, nil
}

// ask measures the second answer: the first one opens the connection.
func (b *Broker) ask(ctx context.Context, a *Admin) {
	ctx, cancel := context.WithTimeout(ctx, reachTimeout/2)
	defer cancel()
	for range 2 {
		began := time.Now()
		request := kmsg.NewPtrApiVersionsRequest()
		request.ClientSoftwareName, request.ClientSoftwareVersion = "auditstream", "check"
		response, err := request.RequestWith(ctx, a.client.Broker(int(b.ID)))
		if err != nil {
			b.Err = err
			return
		}
		b.Latency = time.Since(began)
		for _, key := range response.ApiKeys {
			b.Fences = b.Fences || key.ApiKey == int16(kmsg.TxnOffsetCommit) && key.MaxVersion >= 3
		}
		b.Version = kversion.FromApiVersionsResponse(response).VersionGuess()
	}
}
