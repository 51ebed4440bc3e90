package processors

import (
	"iter"
	"strconv"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/codecs"
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
		value, err := codecs.EncodeReport(r)
		if err != nil {
			return nil, err
		}
		messages = append(messages, c.keyed(topic, r.Key(), value, saramaHeaders(codecs.ReportHeaders(r))))
	}
	return messages, nil
}

// statsMessage is a partition's statistics on their way to the distribution
// group.
func (c *Config) statsMessage(s *engine.PartitionStats) (*sarama.ProducerMessage, error) {
	value, err := codecs.EncodeStats(s)
	if err != nil {
		return nil, err
	}
	return c.keyed(c.topic(topology.RoleDistribution), codecs.PlaceKey(s.Topic, s.Partition), value, nil), nil
}

// maxLetter bounds a dead letter. With its headers a record near the limit of
// brokers would be over it, and its refusal would stop the audit for ever.
const maxLetter = 900_000

func headerBytes(headers []sarama.RecordHeader) (n int) {
	for _, h := range headers {
		n += len(h.Key) + len(h.Value) + 8
	}
	return n
}

// deadLetter is a record that cannot be decoded, as it was, with headers that
// tell where it comes from and what is wrong with it. Of a value that does not
// fit the first bytes are kept, and x-truncated-from tells its length.
func (c *Config) deadLetter(r *kgo.Record, reason engine.Reason) *sarama.ProducerMessage {
	topic := c.topic(topology.RoleDeadLetter)
	letter := codecs.DeadLetter{
		Place: engine.Place{Topic: r.Topic, Partition: r.Partition, Offset: r.Offset}, Connector: c.Topology.Name,
		Task: r.Partition, Stage: codecs.StageValue, Converter: c.Converter, Reason: reason,
	}
	var own []codecs.Header
	for _, h := range r.Headers {
		own = append(own, codecs.Header{Key: h.Key, Value: h.Value})
	}
	m := &sarama.ProducerMessage{
		Topic: topic, Partition: r.Partition % max(1, c.prepared.Partitions[topic]), Timestamp: r.Timestamp,
		Headers: saramaHeaders(letter.Headers(own)),
	}
	key, value := r.Key, r.Value
	if len(key) > maxLetter/2 {
		m.Headers = append(m.Headers, sarama.RecordHeader{Key: []byte("x-key-truncated-from"), Value: strconv.AppendInt(nil, int64(len(key)), 10)})
		key = key[:maxLetter/2]
	}
	if room := maxLetter - len(key) - headerBytes(m.Headers); len(value) > room {
		m.Headers = append(m.Headers, sarama.RecordHeader{Key: []byte("x-truncated-from"), Value: strconv.AppendInt(nil, int64(len(value)), 10)})
		value = value[:max(0, room)]
	}
	if r.Key != nil {
		m.Key = sarama.ByteEncoder(key)
	}
	if r.Value != nil {
		m.Value = sarama.ByteEncoder(value)
	}
	return m
}

func saramaHeaders(headers []codecs.Header) []sarama.RecordHeader {
	out := make([]sarama.RecordHeader, len(headers))
	for i, h := range headers {
		out[i] = sarama.RecordHeader{Key: []byte(h.Key), Value: h.Value}
	}
	return out
}

// headers are a record's headers in their order.
func headers(r *kgo.Record) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for _, h := range r.Headers {
			if !yield(h.Key, h.Value) {
				return
			}
		}
	}
}
