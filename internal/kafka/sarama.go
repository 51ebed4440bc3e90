package kafka

import (
	"time"

	"github.com/IBM/sarama"
	"github.com/xdg-go/scram"

	"github.com/auditstream/auditstream/internal/config"
)

// SaramaConfig is a new sarama configuration for goka and for the producer,
// with every default replaced that would lose or rewrite data. Each call makes
// its own, because builders change what they are given. The transactional id
// is the caller's to set.
func SaramaConfig(c *config.Config) (*sarama.Config, error) {
	producer := c.Client(config.Producer)
	s, err := securityOf(producer)
	if err != nil {
		return nil, err
	}
	sc := sarama.NewConfig()
	sc.Version = sarama.MaxVersion // brokers answer with what they have
	sc.ClientID = producer.Text("client.id")
	setSecurity(sc, s)
	setConnection(sc, producer)
	setProducer(sc, producer)
	setConsumer(sc, c.Client(config.Consumer))
	return sc, nil
}

func setConnection(sc *sarama.Config, client config.Client) {
	timeout := client.Millis("request.timeout.ms")
	sc.Net.DialTimeout = client.Millis("socket.connection.setup.timeout.ms")
	sc.Net.ReadTimeout, sc.Net.WriteTimeout = timeout, timeout
	sc.Admin.Timeout = timeout
	sc.Metadata.RefreshFrequency = client.Millis("metadata.max.age.ms")
	sc.Metadata.AllowAutoTopicCreation = false
	// A topic that is gone is told soon, and a client that asks for it can be
	// closed soon; whoever writes tries again for long enough.
	sc.Metadata.Retry.Max = 4
	sc.Metadata.Retry.Backoff = 250 * time.Millisecond
	sc.Metadata.Timeout = reachTimeout
}

func setProducer(sc *sarama.Config, client config.Client) {
	p := &sc.Producer
	p.RequiredAcks = sarama.WaitForAll
	p.Idempotent = true
	sc.Net.MaxOpenRequests = 1
	// Rows lie on the partition of their ticks and reports on that of their
	// key, so the writer always says which.
	p.Partitioner = sarama.NewManualPartitioner
	p.Return.Successes, p.Return.Errors = true, true
	p.MaxMessageBytes = int(client.Int("max.request.size"))
	p.Timeout = client.Millis("request.timeout.ms")
	p.Flush.Frequency = client.Millis("linger.ms")
	p.Compression = compression(client.Text("compression.type"))
	// A broker's death and the election after it take seconds; what takes
	// longer fails, is told, and is tried again as a whole.
	p.Retry.Max, p.Retry.Backoff = 25, 200*time.Millisecond
	p.Transaction.Timeout = client.Millis("transaction.timeout.ms")
}

func setConsumer(sc *sarama.Config, client config.Client) {
	consumer := &sc.Consumer
	consumer.Return.Errors = true
	consumer.IsolationLevel = sarama.ReadCommitted
	if client.Text("isolation.level") == "read_uncommitted" {
		consumer.IsolationLevel = sarama.ReadUncommitted
	}
	consumer.Offsets.Initial = sarama.OffsetOldest
	if client.Text("auto.offset.reset") == "latest" {
		consumer.Offsets.Initial = sarama.OffsetNewest
	}
	consumer.Offsets.AutoCommit.Enable = false
	consumer.Fetch.Min = client.Int("fetch.min.bytes")
	consumer.Fetch.MaxBytes = client.Int("fetch.max.bytes")
	consumer.Fetch.Default = client.Int("max.partition.fetch.bytes")
	consumer.MaxWaitTime = client.Millis("fetch.max.wait.ms")
	consumer.Group.Session.Timeout = client.Millis("session.timeout.ms")
	consumer.Group.Heartbeat.Interval = client.Millis("heartbeat.interval.ms")
	consumer.Group.Rebalance.Timeout = client.Millis("max.poll.interval.ms")
	sc.RackID = client.Text("client.rack")
	sc.ChannelBufferSize = 1024
}

func compression(name string) sarama.CompressionCodec {
	switch name {
	case "gzip":
		return sarama.CompressionGZIP
	case "snappy":
		return sarama.CompressionSnappy
	case "lz4":
		return sarama.CompressionLZ4
	case "zstd":
		return sarama.CompressionZSTD
	}
	return sarama.CompressionNone
}

func setSecurity(sc *sarama.Config, s security) {
	sc.Net.TLS.Enable, sc.Net.TLS.Config = s.tls != nil, s.tls
	if s.mechanism == "" {
		return
	}
	sc.Net.SASL.Enable = true
	sc.Net.SASL.User, sc.Net.SASL.Password = s.user, s.password
	sc.Net.SASL.Mechanism = sarama.SASLMechanism(s.mechanism)
	switch s.mechanism {
	case "OAUTHBEARER":
		sc.Net.SASL.TokenProvider = s.tokens
	case "SCRAM-SHA-256":
		sc.Net.SASL.SCRAMClientGeneratorFunc = func() sarama.SCRAMClient { return &scramClient{hash: scram.SHA256} }
	case "SCRAM-SHA-512":
		sc.Net.SASL.SCRAMClientGeneratorFunc = func() sarama.SCRAMClient { return &scramClient{hash: scram.SHA512} }
	}
}

// scramClient is xdg-go/scram behind sarama's interface.
type scramClient struct {
	hash         scram.HashGeneratorFcn
	conversation *scram.ClientConversation
}

func (s *scramClient) Begin(user, password, authzID string) error {
	client, err := s.hash.NewClient(user, password, authzID)
	if err != nil {
		return err
	}
	s.conversation = client.NewConversation()
	return nil
}

func (s *scramClient) Step(challenge string) (string, error) { return s.conversation.Step(challenge) }

func (s *scramClient) Done() bool { return s.conversation.Done() }
