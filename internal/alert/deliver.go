package alert

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// tell sends the first step that waits. When none is left it commits how far
// it has read and repeats what is due. It returns how long to wait before the
// next attempt.
func (b *bridge) tell(ctx context.Context) (time.Duration, error) {
	if len(b.queue) == 0 {
		if err := b.commit(ctx); err != nil {
			return 0, err
		}
		b.repeat()
	}
	if len(b.queue) == 0 {
		return 0, nil
	}
	s := &b.queue[0]
	if !s.told {
		delay, refused := b.send(ctx, s)
		if delay > 0 || refused {
			return delay, nil
		}
	}
	if !s.repeat {
		if err := b.keep(ctx, s); away(err) {
			b.Log.Warn().Err(err).Msg("what was told cannot be kept for now")
			return b.wait.next(), nil
		} else if err != nil {
			return 0, err
		}
	}
	b.queue = b.queue[1:]
	if len(b.queue) == 0 {
		return 0, b.commit(ctx)
	}
	return 0, nil
}

// send makes one attempt at a step. It returns how long to wait before the
// next one, or that the step was split because one of its alerts is refused.
func (b *bridge) send(ctx context.Context, s *step) (delay time.Duration, split bool) {
	if delay := b.pace.take(time.Now()); delay > 0 {
		return delay, false
	}
	// A stop lets a request end: cut off, nobody would know whether it was heard.
	err := b.Target.Send(context.WithoutCancel(ctx), s.alerts)
	var refused *RefusedError
	switch {
	case errors.As(err, &refused) && len(s.alerts) > 1:
		b.split(*s)
		return 0, true
	case errors.As(err, &refused):
		b.Metrics.refused()
		b.Log.Error().Err(err).Str("finding_id", s.alerts[0].Finding.ID).Msg("an alert is refused and left out")
	case err != nil:
		return b.failure(err), false
	default:
		b.wait.reset()
		b.accepted(s)
	}
	s.told = true
	return 0, false
}

// away says whether an error of the cluster's may pass by itself.
func away(err error) bool {
	return kerr.IsRetriable(err) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, kgo.ErrRecordTimeout)
}

func (b *bridge) split(s step) {
	single := make([]step, 0, len(s.alerts))
	for _, a := range s.alerts {
		single = append(single, step{partition: s.partition, alerts: []Alert{a}, repeat: s.repeat})
	}
	b.queue = slices.Concat(single, b.queue[1:])
}

func (b *bridge) failure(err error) time.Duration {
	delay := b.wait.next()
	var status *StatusError
	warning := b.Log.Warn().Err(err)
	if errors.As(err, &status) {
		delay = max(delay, min(status.After, longestWait))
		warning = warning.Str("try", status.Try())
	}
	warning.Int("waiting", len(b.queue)).Dur("again_in_ms", delay).Msg("alerts cannot be told for now")
	b.Metrics.failure()
	return delay
}

func (b *bridge) accepted(s *step) {
	for i := range s.alerts {
		a := &s.alerts[i]
		event := "firing"
		switch {
		case s.repeat:
			event = "repeat"
		case a.Resolved:
			event = "resolved"
		}
		b.Metrics.sent(event)
		if !s.repeat {
			b.Log.Info().Str("event", event).Stringer("code", a.Finding.Code).Str("finding_id", a.Finding.ID).Msg("alert")
		}
	}
}

// keep writes the rows of a step that was told.
func (b *bridge) keep(ctx context.Context, s *step) error {
	rows := make([]*kgo.Record, 0, len(s.alerts))
	for i := range s.alerts {
		row, err := rowOf(b.Table, s.partition, &s.alerts[i])
		if err != nil {
			return err
		}
		rows = append(rows, row)
	}
	if err := b.write(ctx, rows); err != nil {
		return err
	}
	if behind := b.leftBehind(s); len(behind) > 0 {
		return b.write(ctx, behind)
	}
	return nil
}

func (b *bridge) write(ctx context.Context, rows []*kgo.Record) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitFor)
	defer cancel()
	if err := b.client.ProduceSync(ctx, rows...).FirstErr(); err != nil {
		return fmt.Errorf("table %s: %w", b.Table, err)
	}
	return nil
}

// commit makes known how far everything has been told.
func (b *bridge) commit(ctx context.Context) error {
	b.Metrics.waiting(0)
	b.Metrics.open(b.openAlerts())
	offsets := map[int32]kgo.EpochOffset{}
	for partition, at := range b.position {
		if p := b.parts[partition]; p != nil && !p.quiet {
			offsets[partition] = at
			delete(b.position, partition)
		}
	}
	if len(offsets) > 0 {
		if err := b.commitOffsets(context.WithoutCancel(ctx), offsets); err != nil {
			// The next commit holds more. What was told until then is in the table.
			b.Log.Warn().Err(err).Str("group", b.Group).Msg("offsets are not committed for now")
			return nil
		}
	}
	return b.forget(ctx)
}

// forget drops rows that nobody needs any more: not those of a quiet part, whose
// ends are told at its end, and none before the commit, without which the next
// life would tell them again.
func (b *bridge) forget(ctx context.Context) error {
	var over []*kgo.Record
	for partition, p := range b.parts {
		if p.quiet {
			continue
		}
		for _, id := range p.forget(time.Now()) {
			over = append(over, &kgo.Record{Topic: b.Table, Partition: partition, Key: []byte(id)})
		}
	}
	if len(over) == 0 {
		return nil
	}
	if err := b.write(ctx, over); err != nil && !away(err) {
		return err
	}
	return nil
}

// begin makes known where the first life begins before it tells anything: had
// it told and committed nothing, the next one would leave out what came between.
func (b *bridge) begin(ctx context.Context) {
	if len(b.begun) == 0 {
		return
	}
	if err := b.commitOffsets(context.WithoutCancel(ctx), b.begun); err != nil {
		b.Log.Warn().Err(err).Str("group", b.Group).Msg("offsets are not committed for now")
		return
	}
	clear(b.begun)
}

// commitFor bounds a write and a commit: neither a rebalance nor a stop may wait
// for brokers that are away.
const commitFor = 5 * time.Second

func (b *bridge) commitOffsets(ctx context.Context, offsets map[int32]kgo.EpochOffset) error {
	ctx, cancel := context.WithTimeout(ctx, commitFor)
	defer cancel()
	ids := map[int32]string{}
	for partition := range offsets {
		if p := b.parts[partition]; p != nil && p.topicID != "" {
			ids[partition] = topicIDPrefix + p.topicID
		}
	}
	ctx = kgo.PreCommitFnContext(ctx, func(request *kmsg.OffsetCommitRequest) error {
		nameTopic(request, ids)
		return nil
	})
	var failed error
	b.client.CommitOffsetsSync(ctx, map[string]map[int32]kgo.EpochOffset{b.Topic: offsets}, committed(&failed))
	return failed
}

// nameTopic writes beside each offset which topic it lies in: brokers may keep
// or take offsets of a topic that was deleted for one of the same name.
func nameTopic(request *kmsg.OffsetCommitRequest, ids map[int32]string) {
	for i := range request.Topics {
		for j := range request.Topics[i].Partitions {
			at := &request.Topics[i].Partitions[j]
			if id, ok := ids[at.Partition]; ok {
				at.Metadata = &id
			}
		}
	}
}

// repeat tells a target that takes silence for the end what is open.
func (b *bridge) repeat() {
	open := 0
	due := !b.repeatAt.IsZero() && !time.Now().Before(b.repeatAt)
	for partition, p := range b.parts {
		alerts := p.open()
		open += len(alerts)
		if due && b.Target.Repeats() && len(b.position) == 0 {
			b.enqueue(partition, alerts, true)
		}
	}
	switch {
	case open == 0:
		b.repeatAt = time.Time{}
	case due || b.repeatAt.IsZero():
		b.repeatAt = time.Now().Add(b.Resend)
	}
}
