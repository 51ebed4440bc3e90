package processors

import (
	"encoding/json"
	"strconv"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/topology"
)

// keyed is a message on the partition that Java's default partitioner gives
// its key, so that reports of one key stay in order whoever writes them.
func (c *Config) keyed(topic, key string, value []byte, headers []sarama.RecordHeader) *sarama.ProducerMessage {
	n := max(1, c.prepared.Partitions[topic])
	return &sarama.ProducerMessage{
		Topic: topic, Partition: (engine.Murmur2([]byte(key)) & 0x7fffffff) % n,
		Key: sarama.StringEncoder(key), Value: sarama.ByteEncoder(value), Headers: headers,
	}
}

// row is a message on a table's partition; a nil value deletes the key.
func row(table string, partition int32, key, value []byte) *sarama.ProducerMessage {
	m := &sarama.ProducerMessage{Topic: table, Partition: partition, Key: sarama.ByteEncoder(key)}
	if value != nil {
		m.Value = sarama.ByteEncoder(value)
	}
	return m
}

// reportMessages are the reports on their way to the audit topic.
func (c *Config) reportMessages(reports []*engine.Report) ([]*sarama.ProducerMessage, error) {
	var messages []*sarama.ProducerMessage
	topic := c.topic(topology.RoleAudit)
	for _, r := range reports {
		value, headers, err := encodeReport(r)
		if err != nil {
			return nil, err
		}
		messages = append(messages, c.keyed(topic, r.Key(), value, headers))
	}
	return messages, nil
}

// statsMessage is a partition's statistics on their way to the distribution
// group.
func (c *Config) statsMessage(s *engine.PartitionStats) (*sarama.ProducerMessage, error) {
	value, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	key := s.Topic + "/" + strconv.Itoa(int(s.Partition))
	return c.keyed(c.topic(topology.RoleDistribution), key, value, nil), nil
}

// deadLetter is a record that cannot be decoded, as it was, with headers in
// Kafka Connect's names that tell where it comes from and what is wrong.
// Headers of an earlier round are replaced.
func (c *Config) deadLetter(r *kgo.Record, reason string) *sarama.ProducerMessage {
	topic := c.topic(topology.RoleDeadLetter)
	m := &sarama.ProducerMessage{
		Topic: topic, Partition: r.Partition % max(1, c.prepared.Partitions[topic]), Timestamp: r.Timestamp,
	}
	if r.Key != nil {
		m.Key = sarama.ByteEncoder(r.Key)
	}
	if r.Value != nil {
		m.Value = sarama.ByteEncoder(r.Value)
	}
	partition, offset := strconv.Itoa(int(r.Partition)), strconv.FormatInt(r.Offset, 10)
	retries := 0
	added := []struct{ key, value string }{
		{"__connect.errors.topic", r.Topic}, {"__connect.errors.partition", partition}, {"__connect.errors.offset", offset},
		{"__connect.errors.connector.name", c.Topology.Name}, {"__connect.errors.task.id", "0"},
		{"__connect.errors.stage", "VALUE_CONVERTER"}, {"__connect.errors.class.name", "auditstream"},
		{"__connect.errors.exception.message", reason},
		{"x-original-topic", r.Topic}, {"x-original-partition", partition}, {"x-original-offset", offset}, {"x-error", reason},
	}
	ours := map[string]bool{"x-retries": true}
	for _, h := range added {
		ours[h.key] = true
	}
	for _, h := range r.Headers {
		if h.Key == "x-retries" {
			if n, err := strconv.Atoi(string(h.Value)); err == nil {
				retries = n + 1
			}
		}
		if !ours[h.Key] {
			m.Headers = append(m.Headers, sarama.RecordHeader{Key: []byte(h.Key), Value: h.Value})
		}
	}
	for _, h := range added {
		m.Headers = append(m.Headers, sarama.RecordHeader{Key: []byte(h.key), Value: []byte(h.value)})
	}
	m.Headers = append(m.Headers, sarama.RecordHeader{Key: []byte("x-retries"), Value: []byte(strconv.Itoa(retries))})
	return m
}
