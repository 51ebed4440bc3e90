package processors

import (
	"fmt"

	"github.com/auditstream/auditstream/topology"
)

// The sizes of what is written. Brokers bound a batch, not a record: by the
// topic's max.message.bytes.
const (
	defaultMaxBytes = 1<<20 + 12 // max.message.bytes where the topic's is not known
	batchOverhead   = 128        // more than a batch of one record has beside it
	// MinMessageBytes is the least max.message.bytes with which topics can be
	// written to: what every message needs fits into it.
	MinMessageBytes = 32 << 10
)

// setRoom finds out how large a message may be: what every topic that is
// written to takes, and the producer's own limit.
func (c *Config) setRoom() error {
	config, err := c.Sarama()
	if err != nil {
		return err
	}
	c.most = config.Producer.MaxMessageBytes
	for _, t := range c.Topology.Topics {
		if t.Role == topology.RoleTicks {
			continue
		}
		takes := c.prepared.MaxBytes[t.Name]
		if takes <= 0 {
			takes = defaultMaxBytes
		}
		if takes < MinMessageBytes {
			return &SizeError{t.Name, takes}
		}
		c.most = min(c.most, takes-batchOverhead)
	}
	return nil
}

// room is how many bytes a message may have.
func (c *Config) room() int {
	if c.most == 0 {
		return defaultMaxBytes - batchOverhead
	}
	return c.most
}

// SizeError says that a topic takes only messages that are too small.
type SizeError struct {
	Topic string
	Takes int
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("topic %s takes messages of up to %d bytes (max.message.bytes), at least %d are needed", e.Topic, e.Takes, MinMessageBytes)
}

// Try is the next step for the user.
func (e *SizeError) Try() string {
	return fmt.Sprintf("kafka-configs.sh --alter --topic %s --add-config max.message.bytes=1048588", e.Topic)
}
