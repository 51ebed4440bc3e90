package processors

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// sink makes batches durable. When write fails nothing of them counts, and
// they may be tried again as they then are.
type sink interface {
	// open readies the producer. A transactional one ends what an earlier life
	// of this instance has left open.
	open() error
	write(ctx context.Context, s *session, batches []*batch) error
	close()
}

// producer is a sarama producer that is made anew after every fault: what an
// idempotent or transactional producer has lost count of, it refuses for ever.
type producer struct {
	dial   func() (io.Closer, sarama.AsyncProducer, error)
	client io.Closer // its connections
	ap     sarama.AsyncProducer
}

func (p *producer) open() error {
	if p.ap != nil {
		return nil
	}
	client, ap, err := p.dial()
	if err != nil {
		return err
	}
	p.client, p.ap = client, ap
	return nil
}

// abandon gives the producer up with whatever it still holds. Its connections
// go first: a row that it would send again later could come to lie behind a
// newer one, and compaction would keep the older.
func (p *producer) abandon() {
	ap, client := p.ap, p.client
	p.ap, p.client = nil, nil
	if ap == nil {
		return
	}
	_ = client.Close()
	ap.AsyncClose()
	go func() {
		for range ap.Successes() {
		}
	}()
	go func() {
		for range ap.Errors() {
		}
	}()
}

// close ends the producer in order: everything was acknowledged before.
func (p *producer) close() {
	ap, client := p.ap, p.client
	p.ap, p.client = nil, nil
	if ap == nil {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = ap.Close()
	}()
	select {
	case <-done:
	case <-time.After(closeFor):
	}
	_ = client.Close()
	select {
	case <-done:
	case <-time.After(closeFor):
	}
}

const closeFor = 500 * time.Millisecond

// send writes the messages and returns when all are acknowledged, or at the
// first failure once no message is under way any more.
func (p *producer) send(ctx context.Context, messages []*sarama.ProducerMessage) error {
	var failed error
	for sent, acked := 0, 0; acked < len(messages); {
		var input chan<- *sarama.ProducerMessage
		var next *sarama.ProducerMessage
		if sent < len(messages) && failed == nil {
			input, next = p.ap.Input(), messages[sent]
		} else if acked == sent {
			break
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		select { // as long as there is room: choosing among several costs ten times as much
		case input <- next:
			sent++
			continue
		default:
		}
		select {
		case input <- next:
			sent++
		case m := <-p.ap.Successes():
			if m == nil {
				return errGivenUp
			}
			acked++
		case e := <-p.ap.Errors():
			if e == nil {
				return errGivenUp
			}
			acked++
			if failed == nil {
				failed = fmt.Errorf("write to %s/%d: %w", e.Msg.Topic, e.Msg.Partition, e.Err)
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return failed
}

// inOrder writes reports, then rows, then offsets, each acknowledged before
// the next: a row that tells of a finding whose report was lost would hide it
// for ever. The partition's row goes before those of symbols, since any message
// may be the only one that lands.
//
// What a process had under way when it stood still comes late and lies behind
// newer rows. Recovery lets the newer ones win and writes them again, unless
// compaction was there first: that is the limit of at_least_once.
type inOrder struct{ producer }

func (k *inOrder) write(ctx context.Context, s *session, batches []*batch) error {
	if err := k.open(); err != nil {
		return err
	}
	if err := s.commit(ctx, rewinds(batches)); err != nil {
		return err
	}
	if err := k.sendInOrder(ctx, s.g.name, batches, rowSteps(batches)); err != nil {
		k.abandon()
		return err
	}
	if err := s.commit(ctx, batches); err != nil {
		return err
	}
	faultpoint(s.g.name, "after commit")
	return nil
}

// sendInOrder writes reports, and once all are acknowledged rows, in steps.
func (p *producer) sendInOrder(ctx context.Context, group string, batches []*batch, steps [][]*sarama.ProducerMessage) error {
	faultpoint(group, "before reports")
	if err := p.send(ctx, collect(batches, func(b *batch) []*sarama.ProducerMessage { return b.ahead })); err != nil {
		return err
	}
	faultpoint(group, "after reports")
	for _, step := range steps {
		for i, part := range parts(step) {
			if i > 0 {
				faultpoint(group, "mid rows")
			}
			if err := p.send(ctx, part); err != nil {
				return err
			}
		}
	}
	faultpoint(group, "after rows")
	return nil
}

func collect(batches []*batch, of func(*batch) []*sarama.ProducerMessage) []*sarama.ProducerMessage {
	var all []*sarama.ProducerMessage
	for _, b := range batches {
		all = append(all, of(b)...)
	}
	return all
}

// rewinds are the offsets of claims that read below what the group has
// committed: beyond it were records of a log that was cut back or deleted, or
// somebody has set it forward. It goes back before their rows are written. A
// partition's row that came to stand alone would vouch for it otherwise, and
// ticks whose symbols' rows were still to come would not be read again.
func rewinds(batches []*batch) (back []*batch) {
	for _, b := range batches {
		if b.rewind >= 0 {
			back = append(back, &batch{claim: b.claim, next: b.rewind, epoch: -1})
		}
	}
	return back
}

// commit commits the next offsets as a member of the group.
func (s *session) commit(ctx context.Context, batches []*batch) error {
	if len(batches) == 0 {
		return nil
	}
	offsets := map[string]map[int32]kgo.EpochOffset{}
	for _, b := range batches {
		if offsets[b.claim.topic] == nil {
			offsets[b.claim.topic] = map[int32]kgo.EpochOffset{}
		}
		offsets[b.claim.topic][b.claim.partition] = kgo.EpochOffset{Epoch: b.epoch, Offset: b.next}
	}
	var failed error
	s.m.client.CommitOffsetsSync(ctx, offsets, func(_ *kgo.Client, _ *kmsg.OffsetCommitRequest, resp *kmsg.OffsetCommitResponse, err error) {
		if failed = err; err != nil {
			return
		}
		for _, t := range resp.Topics {
			for _, p := range t.Partitions {
				if err := kerr.ErrorForCode(p.ErrorCode); err != nil && failed == nil {
					failed = fmt.Errorf("commit offset of %s/%d: %w", t.Topic, p.Partition, err)
				}
			}
		}
	})
	return failed
}
