package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/IBM/sarama"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/config"
	"github.com/auditstream/auditstream/internal/kafka"
	"github.com/auditstream/auditstream/topology"
)

// publishMost is how many reports are sent together.
const publishMost = 500

// publisher writes reports to the audit topic. Their ids, and those of the
// findings in them, are the ones of a live audit, so that who has seen them
// can tell; a replay that goes on after a kill may write some again.
type publisher struct {
	producer   sarama.SyncProducer
	topic      string
	form       codecs.ReportForm
	partitions int32
	waiting    []*sarama.ProducerMessage
}

func newPublisher(c *config.Config, partitions int32) (*publisher, error) {
	settings, err := kafka.SaramaConfig(c)
	if err != nil {
		return nil, err
	}
	producer, err := sarama.NewSyncProducer(c.BootstrapServers, settings)
	if err != nil {
		return nil, fmt.Errorf("--publish: %w", err)
	}
	return &publisher{producer: producer, topic: c.AuditTopic, partitions: max(1, partitions)}, nil
}

// publisherTo makes sure that the audit topic is there.
func publisherTo(ctx context.Context, c *config.Config) (*publisher, error) {
	admin, err := kafka.Connect(ctx, c)
	if err != nil {
		return nil, err
	}
	defer admin.Close()
	found, err := topicsOf(ctx, admin, c, topology.RoleAudit, true)
	if err != nil {
		return nil, err
	}
	return newPublisher(c, int32(found.Partitions()[c.AuditTopic]))
}

// add takes a report with its JSON. Reports of one key stay in order: they lie
// on the partition where a live audit puts them.
func (p *publisher) add(r *engine.Report, value []byte) error {
	key := r.Key()
	m := &sarama.ProducerMessage{
		Topic: p.topic, Partition: engine.HashMurmur2.Partition([]byte(key), p.partitions),
		Key: sarama.StringEncoder(key), Value: sarama.ByteEncoder(value),
	}
	if p.form.Encode != nil {
		own, err := p.form.Encode(r)
		if err != nil {
			return err
		}
		m.Value = sarama.ByteEncoder(own)
	}
	for _, h := range p.form.Headers(r) {
		m.Headers = append(m.Headers, sarama.RecordHeader{Key: []byte(h.Key), Value: h.Value})
	}
	if p.waiting = append(p.waiting, m); len(p.waiting) < publishMost {
		return nil
	}
	return p.flush()
}

// flush returns when every report is acknowledged.
func (p *publisher) flush() error {
	if len(p.waiting) == 0 {
		return nil
	}
	waiting := p.waiting
	p.waiting = nil
	err := p.producer.SendMessages(waiting)
	var refused sarama.ProducerErrors
	if errors.As(err, &refused) && len(refused) > 0 {
		err = refused[0].Err
	}
	if err != nil {
		return fmt.Errorf("publish to %s: %w", p.topic, err)
	}
	return nil
}

func (p *publisher) close() error { return errors.Join(p.flush(), p.producer.Close()) }
