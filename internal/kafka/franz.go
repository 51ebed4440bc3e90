package kafka

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/oauth"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"github.com/auditstream/auditstream/internal/config"
)

// ConsumerOptions are franz-go options for a member of an audit's group,
// without the group's name, topics and callbacks, which are the caller's.
func ConsumerOptions(c *config.Config) ([]kgo.Opt, error) {
	opts, err := ReaderOptions(c)
	client := c.Client(config.Consumer)
	return append(opts,
		kgo.SessionTimeout(client.Millis("session.timeout.ms")),
		kgo.HeartbeatInterval(client.Millis("heartbeat.interval.ms")),
		kgo.RebalanceTimeout(client.Millis("max.poll.interval.ms")),
		kgo.DisableAutoCommit(),
	), err
}

// ReaderOptions are franz-go options for a consumer that joins no group,
// without what it reads. Records lie in memory that [Spent] gives back; a reader
// that keeps them leaves that out.
func ReaderOptions(c *config.Config) ([]kgo.Opt, error) {
	client := c.Client(config.Consumer)
	opts, err := connectionOptions(c, client)
	if err != nil {
		return nil, err
	}
	reset := kgo.NewOffset().AtStart()
	if client.Text("auto.offset.reset") == "latest" {
		reset = kgo.NewOffset().AtEnd()
	}
	isolation := kgo.ReadCommitted()
	if ReadsUncommitted(c) {
		isolation = kgo.ReadUncommitted()
	}
	most := FetchBytes(c)
	return append(opts,
		kgo.Rack(client.Text("client.rack")),
		kgo.ConsumeResetOffset(reset),
		kgo.FetchIsolationLevel(isolation),
		kgo.FetchMinBytes(client.Int("fetch.min.bytes")),
		kgo.FetchMaxBytes(most),
		kgo.FetchMaxPartitionBytes(client.Int("max.partition.fetch.bytes")),
		kgo.FetchMaxWait(client.Millis("fetch.max.wait.ms")),
		kgo.WithPools(new(RecordPool)),
		kgo.WithDecompressor(NewDecompressor()),
		// A response may be larger than asked for: its first batch comes whole.
		kgo.BrokerMaxReadBytes(int32(min(max(2*int64(most), 100<<20), 1<<30))),
	), nil
}

// FetchBytes is the most that a consumer fetches at once.
func FetchBytes(c *config.Config) int32 { return c.Client(config.Consumer).Int("fetch.max.bytes") }

// ReadsUncommitted says whether records of open and aborted transactions are
// audited as well.
func ReadsUncommitted(c *config.Config) bool {
	return c.Client(config.Consumer).Text("isolation.level") == "read_uncommitted"
}

// AdminOptions are franz-go options for requests about topics, groups and
// offsets. Retries end within the time in which an unreachable broker is told.
func AdminOptions(c *config.Config) ([]kgo.Opt, error) {
	opts, err := connectionOptions(c, c.Client(config.Admin))
	return append(opts, kgo.RetryTimeout(reachTimeout)), err
}

func connectionOptions(c *config.Config, client config.Client) ([]kgo.Opt, error) {
	s, err := securityOf(client)
	if err != nil {
		return nil, err
	}
	age := min(client.Millis("metadata.max.age.ms"), time.Hour)
	opts := []kgo.Opt{
		kgo.SeedBrokers(c.BootstrapServers...),
		kgo.ClientID(client.Text("client.id")),
		kgo.DialTimeout(client.Millis("socket.connection.setup.timeout.ms")),
		kgo.RequestTimeoutOverhead(min(client.Millis("request.timeout.ms"), 15*time.Minute)),
		kgo.MetadataMaxAge(age),
		kgo.MetadataMinAge(min(250*time.Millisecond, age)),
	}
	if s.tls != nil {
		opts = append(opts, kgo.DialTLSConfig(s.tls))
	}
	if mechanism := saslMechanism(s); mechanism != nil {
		opts = append(opts, kgo.SASL(mechanism))
	}
	return opts, nil
}

func saslMechanism(s security) sasl.Mechanism {
	switch s.mechanism {
	case "PLAIN":
		return plain.Auth{User: s.user, Pass: s.password}.AsMechanism()
	case "SCRAM-SHA-256":
		return scram.Auth{User: s.user, Pass: s.password}.AsSha256Mechanism()
	case "SCRAM-SHA-512":
		return scram.Auth{User: s.user, Pass: s.password}.AsSha512Mechanism()
	case "OAUTHBEARER":
		return oauth.Oauth(func(context.Context) (oauth.Auth, error) {
			token, err := s.tokens.fetch()
			return oauth.Auth{Token: token, Extensions: s.tokens.extensions}, err
		})
	}
	return nil
}
