package kafka

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/internal/config"
)

// reachTimeout is how long an unreachable cluster is tried before it is told.
const reachTimeout = 8 * time.Second

// Admin asks and prepares the cluster. It joins no group.
type Admin struct {
	*kadm.Client
	client    *kgo.Client
	clientID  string // of the audit's own group members
	bootstrap string // for the commands that are advised
}

// Connect opens an [Admin] and makes sure that the cluster answers. It returns
// within about ten seconds, with an [*Error] that names each address and why it
// failed.
func Connect(ctx context.Context, c *config.Config) (*Admin, error) {
	opts, err := AdminOptions(c)
	if err != nil {
		return nil, err
	}
	if err := dialAny(ctx, c.BootstrapServers); err != nil {
		return nil, err
	}
	client, err := kgo.NewClient(opts...)
	if err != nil {
		return nil, &Error{true, err, "auditstream config docs"}
	}
	a := &Admin{kadm.NewClient(client), client, c.Client(config.Consumer).Text("client.id"), c.BootstrapServers[0]}
	ctx, cancel := context.WithTimeout(ctx, reachTimeout)
	defer cancel()
	if _, err := a.BrokerMetadata(ctx); err != nil {
		client.Close()
		next, configuration := refusedBecause(err)
		if next == "" {
			next = "see whether the brokers' advertised listeners can be reached from here, and whether they want TLS or SASL"
		}
		return nil, &Error{configuration, fmt.Errorf("no answer from %s: %w", strings.Join(c.BootstrapServers, ", "), err), next}
	}
	return a, nil
}

// Close ends the connections.
func (a *Admin) Close() { a.client.Close() }

// dialAny opens a connection to every address at once and is content with the
// first that works. It is what makes the message for a broker that is not
// there quick and plain.
func dialAny(ctx context.Context, addresses []string) error {
	ctx, cancel := context.WithTimeout(ctx, reachTimeout/2)
	defer cancel()
	results := make(chan error, len(addresses))
	for _, address := range addresses {
		go func() {
			conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
			if err == nil {
				err = conn.Close()
			}
			results <- err
		}()
	}
	var failed []error
	for range addresses {
		err := <-results
		if err == nil {
			return nil
		}
		failed = append(failed, err)
	}
	if cause := context.Cause(ctx); errors.Is(cause, context.Canceled) {
		return cause
	}
	texts := make([]string, len(failed))
	for i, err := range failed {
		texts[i] = strings.TrimPrefix(err.Error(), "dial tcp ")
	}
	return &Error{
		Err:  fmt.Errorf("no broker can be reached: %s", strings.Join(texts, "; ")),
		Next: "check bootstrap.servers (" + strings.Join(addresses, ", ") + ") and that the broker runs",
	}
}
