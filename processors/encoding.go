package processors

import (
	"bytes"
	"slices"

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

// rowSlab makes many rows of a table's partition in few pieces of memory: a
// checkpoint may hold hundreds of thousands, and eight small objects each were
// most of what an audit of many symbols allocated.
type rowSlab struct {
	table     string
	partition int32
	left      int // rows that are yet to come, at least
	messages  []sarama.ProducerMessage
	parts     []sarama.ByteEncoder // keys and values
	bytes     []byte
}

// slabRows is how many rows share a piece of memory at most, and rowBytes about
// what the key and value of one take.
const (
	slabRows = 256
	rowBytes = 128
)

// row makes a row of what key and value append to the bytes that they are
// given; without a value it deletes the key.
func (s *rowSlab) row(key func(dst []byte) []byte, value func(dst []byte) ([]byte, error)) (*sarama.ProducerMessage, error) {
	if len(s.messages) == cap(s.messages) {
		n := max(1, min(s.left, slabRows))
		s.left -= n
		s.messages, s.parts = make([]sarama.ProducerMessage, 0, n), make([]sarama.ByteEncoder, 0, 2*n)
		s.bytes = make([]byte, 0, n*rowBytes)
	}
	from, room := len(s.bytes), cap(s.bytes)
	b := key(s.bytes)
	to := len(b)
	if value != nil {
		var err error
		if b, err = value(b); err != nil {
			return nil, err
		}
	}
	if cap(b) != room { // it has outgrown its piece and moved with all that is before it: it begins another
		b, from, to = append(make([]byte, 0, max(room, len(b)-from)), b[from:]...), 0, to-from
	}
	s.bytes = b
	s.messages = append(s.messages, sarama.ProducerMessage{Topic: s.table, Partition: s.partition})
	m := &s.messages[len(s.messages)-1]
	m.Key = s.part(from, to)
	if value != nil {
		m.Value = s.part(to, len(b))
	}
	return m, nil
}

func (s *rowSlab) part(from, to int) *sarama.ByteEncoder {
	s.parts = append(s.parts, s.bytes[from:to:to])
	return &s.parts[len(s.parts)-1]
}

// reportMessages are the reports on their way to the audit topic.
func (c *Config) reportMessages(reports []*engine.Report) ([]*sarama.ProducerMessage, error) {
	var messages []*sarama.ProducerMessage
	topic := c.topic(topology.RoleAudit)
	for _, r := range reports {
		m := c.keyed(topic, r.Key(), nil, saramaHeaders(c.Reports.Headers(r)))
		value, err := c.Reports.Fit(r, c.room()-m.ByteSize(2))
		if err != nil {
			return nil, err
		}
		m.Value = sarama.ByteEncoder(value)
		messages = append(messages, m)
	}
	return messages, nil
}

// statsMessages are a partition's statistics on their way to the distribution
// group, in as many parts as it takes for each to fit.
func (c *Config) statsMessages(s *engine.PartitionStats) ([]*sarama.ProducerMessage, error) {
	items := len(s.Findings) + len(s.Sightings) + len(s.Windows)
	for n := min(statsItems, max(items, 1)); ; n = (n + 1) / 2 {
		var messages []*sarama.ProducerMessage
		fits := true
		for _, part := range s.Split(n) {
			value, err := codecs.EncodeStats(part)
			if err != nil {
				return nil, err
			}
			m := c.keyed(c.topic(topology.RoleDistribution), codecs.PlaceKey(s.Topic, s.Partition), value, nil)
			messages = append(messages, m)
			fits = fits && m.ByteSize(2) <= c.room()
		}
		if fits || n == 1 && len(s.Top)+len(s.Late) == 0 {
			return messages, nil
		}
		if n == 1 { // what is only shown
			less := *s
			less.Top, less.Late = s.Top[:len(s.Top)/2], s.Late[:len(s.Late)/2]
			s = &less
		}
	}
}

// statsItems is how many findings, sightings and windows one message holds at
// most.
const statsItems = 300

// deadLetter is a record that cannot be decoded, as it was, with headers that
// tell where it comes from and what is wrong with it, cut to what the topic
// takes.
func (c *Config) deadLetter(r *kgo.Record, reason engine.Reason) *sarama.ProducerMessage {
	topic := c.topic(topology.RoleDeadLetter)
	about := codecs.DeadLetter{
		Place: engine.Place{Topic: r.Topic, Partition: r.Partition, Offset: r.Offset}, Connector: c.Topology.Name,
		Task: r.Partition, Stage: codecs.StageValue, Converter: c.Converter, Reason: reason,
	}
	own := make([]codecs.Header, 0, len(r.Headers))
	for _, h := range r.Headers {
		own = append(own, codecs.Header{Key: h.Key, Value: h.Value})
	}
	letter := about.Fit(r.Key, r.Value, own, c.room())
	m := &sarama.ProducerMessage{
		Topic: topic, Partition: r.Partition % max(1, c.prepared.Partitions[topic]), Timestamp: r.Timestamp,
		Headers: saramaHeaders(letter.Headers),
	}
	if letter.Key != nil {
		m.Key = sarama.ByteEncoder(letter.Key)
	}
	if letter.Value != nil {
		m.Value = sarama.ByteEncoder(letter.Value)
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

// kept is a copy of a record that outlives its frame: the memory of the record
// itself goes back to the client when its frame is consumed.
func kept(r *kgo.Record) *kgo.Record {
	c := *r
	c.Context, c.Key, c.Value, c.Headers = nil, bytes.Clone(r.Key), bytes.Clone(r.Value), slices.Clone(r.Headers)
	for i := range c.Headers {
		c.Headers[i].Value = bytes.Clone(c.Headers[i].Value)
	}
	return &c
}
