package processors

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/IBM/sarama"
)

// oneTransaction writes reports, rows and offsets in one transaction. The
// group's metadata goes with the offsets, so that a member whose partitions
// belong to somebody else by now cannot commit it (KIP-447).
type oneTransaction struct {
	producer
	apart bool // topics are written one after another: see byTopic
}

func (k *oneTransaction) write(ctx context.Context, s *session, batches []*batch) error {
	if err := k.open(); err != nil {
		return err
	}
	var phase atomic.Int32
	ap, apart := k.ap, k.apart // the call may outlive its time, and this producer
	err := within(ctx, func() error { return transact(ctx, ap, apart, s, batches, &phase) })
	if err != nil && !phase.CompareAndSwap(txnOpen, txnGivenUp) && !is(err, errOutcome) {
		err = fmt.Errorf("%w: %w", errOutcome, err)
	}
	if fenced(err) { // sarama has no words for it
		err = fmt.Errorf("the brokers gave the transaction up, or another producer has begun: %w", err)
	}
	k.apart = is(err, sarama.ErrOperationNotAttempted)
	if err != nil {
		k.abort(err)
	}
	return err
}

// byTopic takes messages apart by their topics. Of topics that are added to a
// transaction together, one that may not be written to keeps the others out,
// and which of the answers sarama tells is left to chance: tried one by one,
// each has its own.
func byTopic(messages []*sarama.ProducerMessage) (parts [][]*sarama.ProducerMessage) {
	at := map[string]int{}
	for _, m := range messages {
		i, known := at[m.Topic]
		if !known {
			i = len(parts)
			at[m.Topic], parts = i, append(parts, nil)
		}
		parts[i] = append(parts[i], m)
	}
	return parts
}

// sendPart sends messages together, or apart, topic by topic.
func sendPart(ctx context.Context, ap sarama.AsyncProducer, apart bool, part []*sarama.ProducerMessage) error {
	topics := [][]*sarama.ProducerMessage{part}
	if apart {
		topics = byTopic(part)
	}
	for _, one := range topics {
		if err := (&producer{ap: ap}).send(ctx, one); err != nil {
			return err
		}
	}
	return nil
}

// The phases of a transaction. One that was given up, because it took too
// long, must not be committed any more by the goroutine that is late.
const (
	txnOpen int32 = iota
	txnCommitting
	txnGivenUp
)

// within waits for f no longer than the context lives: sarama's calls for
// transactions know no context.
func within(ctx context.Context, f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func transact(ctx context.Context, ap sarama.AsyncProducer, apart bool, s *session, batches []*batch, phase *atomic.Int32) error {
	if err := ap.BeginTxn(); err != nil {
		return fmt.Errorf("begin transaction: %w", err)
	}
	faultpoint(s.g.name, "before reports")
	ahead := collect(batches, func(b *batch) []*sarama.ProducerMessage { return b.ahead })
	rows := collect(batches, func(b *batch) []*sarama.ProducerMessage { return b.rows })
	for i, part := range together(ahead, rows) {
		if i > 0 {
			faultpoint(s.g.name, [...]string{"after reports", "mid rows"}[i-1])
		}
		if err := sendPart(ctx, ap, apart, part); err != nil {
			return err
		}
	}
	faultpoint(s.g.name, "after rows")
	offsets := map[string][]*sarama.PartitionOffsetMetadata{}
	for _, b := range batches {
		offsets[b.claim.topic] = append(offsets[b.claim.topic], &sarama.PartitionOffsetMetadata{
			Partition: b.claim.partition, Offset: b.next, LeaderEpoch: b.epoch,
		})
	}
	metadata := sarama.NewConsumerGroupMetadataFromSession(s, s.g.name, &s.g.instance)
	if err := ap.AddOffsetsToTxnWithGroupMetadata(offsets, metadata); err != nil {
		return fmt.Errorf("add offsets to transaction: %w", err)
	}
	if err := s.spoiled(); err != nil {
		return err
	}
	faultpoint(s.g.name, "after offsets")
	if !phase.CompareAndSwap(txnOpen, txnCommitting) {
		return context.Canceled
	}
	err := ap.CommitTxn()
	switch {
	case err == nil:
		faultpoint(s.g.name, "after commit")
		return nil
	case over(err) || fenced(err): // refused, so not committed
		phase.Store(txnOpen)
		return fmt.Errorf("commit transaction: %w", err)
	}
	return fmt.Errorf("commit transaction: %w: %w", errOutcome, err)
}

// abort ends the transaction where it still can be, so that readers do not
// wait for its timeout, and gives the producer up. The next one's start aborts
// whatever is left.
func (k *oneTransaction) abort(cause error) {
	ap := k.ap
	if ap != nil && ap.TxnStatus()&sarama.ProducerTxnFlagFatalError == 0 && !is(cause, context.DeadlineExceeded, context.Canceled) {
		if err := ap.AbortTxn(); err == nil && ap.TxnStatus()&sarama.ProducerTxnFlagReady != 0 {
			return
		}
	}
	k.abandon()
}
