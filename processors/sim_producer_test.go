//go:build !race

package processors

import (
	"errors"
	"io"
	"time"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// simProducer is a producer, idempotent or transactional. It does its work
// when its channels are asked for, in the goroutine that asks: so the order in
// which things happen is that of the program and not of a scheduler. A message
// that was handed over is on its way, and written when an answer is waited for.
type simProducer struct {
	sarama.AsyncProducer // what the audit does not use
	proc                 *simProc
	id                   string // transactional id, "": none
	epoch                int
	fatal                bool
	input                chan *sarama.ProducerMessage
	offered, closed      bool
	refused              chan *sarama.ProducerError
	under                []*simMessage // way
	group                *sarama.ConsumerGroupMetadata
	offsets              map[place]int64
}

type simMessage struct {
	*sarama.ProducerMessage
	landed bool // and what came of it
	err    error
}

func (m *simMessage) land(p *simProducer) error {
	if !m.landed {
		m.landed, m.err = true, p.write(m.ProducerMessage)
	}
	return m.err
}

func (p *simProc) dial(config *sarama.Config) (io.Closer, sarama.AsyncProducer, error) {
	producer := &simProducer{proc: p, id: config.Producer.Transaction.ID, input: make(chan *sarama.ProducerMessage, 1)}
	err := p.do(func() error {
		if producer.id != "" {
			producer.epoch = p.kafka.initialize(producer.id)
		}
		return nil
	})
	return io.NopCloser(nil), producer, err
}

func (p *simProducer) accept() {
	select {
	case m := <-p.input:
		p.under = append(p.under, &simMessage{ProducerMessage: m})
	default:
	}
}

func (p *simProducer) Input() chan<- *sarama.ProducerMessage {
	p.accept()
	if !p.proc.dead && p.proc.random.IntN(8) == 0 {
		for _, m := range p.under {
			_ = m.land(p) // whether it is waited for or not
		}
	}
	p.offered = true
	return p.input
}

func (p *simProducer) Successes() <-chan *sarama.ProducerMessage {
	if p.closed {
		return closedAcks
	}
	offered := p.offered && len(p.input) == 0
	if p.offered = false; offered {
		return nil // it takes what it is offered first
	}
	p.accept()
	if len(p.under) == 0 {
		return nil
	}
	m := p.under[0]
	p.under = p.under[1:]
	began := time.Now()
	err := p.proc.do(func() error { return m.land(p) })
	acks := make(chan *sarama.ProducerMessage, 1)
	answer := func() { acks <- m.ProducerMessage }
	if err != nil {
		errs := make(chan *sarama.ProducerError, 1)
		p.refused, acks = errs, nil
		answer = func() { errs <- &sarama.ProducerError{Msg: m.ProducerMessage, Err: err} }
	}
	if time.Since(began) > 0 {
		time.AfterFunc(1, answer) // who has stopped waiting meanwhile hears nothing
	} else {
		answer()
	}
	return acks
}

func (p *simProducer) Errors() <-chan *sarama.ProducerError {
	if p.closed {
		return closedErrors
	}
	errs := p.refused
	p.refused = nil
	return errs
}

func (p *simProducer) write(m *sarama.ProducerMessage) error {
	r := &kgo.Record{Timestamp: m.Timestamp}
	if m.Key != nil {
		r.Key, _ = m.Key.Encode()
	}
	if m.Value != nil {
		r.Value, _ = m.Value.Encode()
	}
	for _, h := range m.Headers {
		r.Headers = append(r.Headers, kgo.RecordHeader{Key: string(h.Key), Value: h.Value})
	}
	return p.failed(p.proc.kafka.produce(place{m.Topic, m.Partition}, r, p.id, p.epoch))
}

func (p *simProducer) failed(err error) error {
	p.fatal = p.fatal || is(err, sarama.ErrInvalidProducerEpoch)
	return err
}

func (p *simProducer) TxnStatus() sarama.ProducerTxnStatusFlag {
	if p.fatal {
		return sarama.ProducerTxnFlagInError | sarama.ProducerTxnFlagFatalError
	}
	return sarama.ProducerTxnFlagReady
}

func (p *simProducer) BeginTxn() error {
	p.group, p.offsets = nil, map[place]int64{}
	return nil
}

func (p *simProducer) AddOffsetsToTxnWithGroupMetadata(offsets map[string][]*sarama.PartitionOffsetMetadata, group *sarama.ConsumerGroupMetadata) error {
	p.group = group
	for topic, parts := range offsets {
		for _, o := range parts {
			p.offsets[place{topic, o.Partition}] = o.Offset
		}
	}
	return nil
}

// CommitTxn adds the offsets and ends the transaction, as sarama does.
func (p *simProducer) CommitTxn() error {
	if p.group == nil {
		return p.failed(p.proc.do(func() error { return p.proc.kafka.endTransaction(p.id, p.epoch, true) }))
	}
	err := p.proc.do(func() error {
		k := p.proc.kafka
		return k.addOffsets(p.id, p.epoch, k.groups[p.group.GroupID], p.offsets, p.proc.instance, p.group.MemberID, p.group.GenerationID)
	})
	var code *kerr.Error
	if errors.As(err, &code) {
		return sarama.KError(code.Code)
	}
	if err != nil {
		return p.failed(err)
	}
	return p.failed(p.proc.do(func() error { return p.proc.kafka.endTransaction(p.id, p.epoch, true) }))
}

func (p *simProducer) AbortTxn() error {
	return p.failed(p.proc.do(func() error { return p.proc.kafka.endTransaction(p.id, p.epoch, false) }))
}

// AsyncClose gives up what is under way; some of it may have arrived.
func (p *simProducer) AsyncClose() {
	p.closed = true
	if p.proc.dead {
		return
	}
	for n := p.proc.random.IntN(len(p.under) + 1); n > 0; n-- {
		_ = p.under[0].land(p)
		p.under = p.under[1:]
	}
	p.under = nil
}

func (p *simProducer) Close() error {
	p.closed = true
	return nil
}

var (
	closedAcks   = make(chan *sarama.ProducerMessage)
	closedErrors = make(chan *sarama.ProducerError)
)

func init() {
	close(closedAcks)
	close(closedErrors)
}
