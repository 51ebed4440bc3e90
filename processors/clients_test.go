package processors

import (
	"context"
	"testing"
	"time"

	"github.com/IBM/sarama"

	"github.com/auditstream/auditstream/internal/kafkatest"
)

// A producer that another with its id has fenced says so without trying again.
func TestFencedProducerSaysSoAtOnce(t *testing.T) {
	t.Parallel()
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		topic := c.Topic(t, 1) // with several sarama races with itself, for an error that is the same in all
		open := func() *producer {
			config := sarama.NewConfig()
			config.Version = sarama.V2_8_0_0
			config.Net.MaxOpenRequests = 1
			p := &config.Producer
			p.Idempotent, p.RequiredAcks, p.Partitioner = true, sarama.WaitForAll, sarama.NewManualPartitioner
			p.Return.Successes, p.Return.Errors = true, true
			p.Retry.Max, p.Retry.Backoff = 25, time.Hour
			p.Transaction.ID = topic
			client, ap, err := dialSarama(c.Brokers, config)
			if err != nil {
				t.Fatal(err)
			}
			one := &producer{client: client, ap: ap}
			t.Cleanup(one.abandon)
			return one
		}
		send := func(p *producer) error {
			if err := p.ap.BeginTxn(); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
			defer cancel()
			return p.send(ctx, []*sarama.ProducerMessage{{Topic: topic}})
		}
		older := open()
		if err := send(older); err != nil {
			t.Fatal(err)
		}
		if err := older.ap.CommitTxn(); err != nil {
			t.Fatal(err)
		}
		newer := open()
		if err := send(older); !fenced(err) {
			t.Errorf("the older producer says %v", err)
		}
		if err := send(newer); err != nil {
			t.Errorf("the newer producer says %v", err)
		}
	})
}
