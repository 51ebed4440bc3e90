package dlq

import (
	"fmt"

	"github.com/IBM/sarama"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
)

// Publisher writes letters back to the topics that their records came from.
type Publisher struct {
	producer   sarama.SyncProducer
	partitions map[string]int32 // of the topics that may be written to
}

// NewPublisher may write to these topics, given with their partition counts,
// and to no others: what a letter names may have been written by anybody. The
// configuration must leave the choice of a partition to the writer.
func NewPublisher(brokers []string, config *sarama.Config, partitions map[string]int32) (*Publisher, error) {
	producer, err := sarama.NewSyncProducer(brokers, config)
	if err != nil {
		return nil, fmt.Errorf("open producer: %w", err)
	}
	return &Publisher{producer, partitions}, nil
}

// Close ends the connections.
func (p *Publisher) Close() error { return p.producer.Close() }

// Refused says why a letter cannot go back to where it came from, "": it can.
func Refused(l *Letter, partitions map[string]int32) string {
	switch {
	case l.Place == nil:
		return "its headers name no place in full"
	case l.Cut:
		return "it was too large for the dead-letter topic and is not whole"
	}
	n, ok := partitions[l.Place.Topic]
	switch {
	case !ok:
		return "its topic is not among the key topics"
	case l.Place.Partition >= n:
		return fmt.Sprintf("its topic has %s now", engine.Plural(int64(n), "partition"))
	}
	return ""
}

// Publish writes the letter's record to its first partition, with its key,
// value, time and own headers, and those by which the audit knows it as
// redelivered. It returns the offset when brokers have acknowledged it.
func (p *Publisher) Publish(l *Letter) (offset int64, err error) {
	if why := Refused(l, p.partitions); why != "" {
		return 0, fmt.Errorf("letter %d@%d: %s", l.Record.Partition, l.Record.Offset, why)
	}
	m := &sarama.ProducerMessage{Topic: l.Place.Topic, Partition: l.Place.Partition, Timestamp: l.Record.Timestamp}
	if l.Record.Key != nil {
		m.Key = sarama.ByteEncoder(l.Record.Key)
	}
	if l.Record.Value != nil {
		m.Value = sarama.ByteEncoder(l.Record.Value)
	}
	for _, h := range codecs.ReplayHeaders(headers(l.Record)) {
		m.Headers = append(m.Headers, sarama.RecordHeader{Key: []byte(h.Key), Value: h.Value})
	}
	_, offset, err = p.producer.SendMessage(m)
	if err != nil {
		return 0, fmt.Errorf("write letter %d@%d to %s/%d: %w", l.Record.Partition, l.Record.Offset, m.Topic, m.Partition, err)
	}
	return offset, nil
}
