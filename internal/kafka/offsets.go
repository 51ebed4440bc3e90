package kafka

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
)

// Offsets are offsets by topic and partition.
type Offsets map[string]map[int32]int64

// CommittedOffsets returns the next offsets that a group has committed.
// Partitions without one are absent. Reading them does not touch the group.
func (a *Admin) CommittedOffsets(ctx context.Context, group string) (Offsets, error) {
	var responses kadm.OffsetResponses
	err := withCoordinator(ctx, func() (err error) {
		responses, err = a.FetchOffsets(ctx, group)
		return err
	})
	if errors.Is(err, kerr.GroupIDNotFound) {
		return Offsets{}, nil
	}
	if err != nil {
		return nil, asError(fmt.Errorf("read offsets of group %s: %w", group, err))
	}
	offsets := Offsets{}
	var failed error
	responses.Each(func(r kadm.OffsetResponse) {
		switch {
		case r.Err != nil && failed == nil:
			failed = fmt.Errorf("read offset of group %s for %s/%d: %w", group, r.Topic, r.Partition, r.Err)
		case r.Err == nil && r.At >= 0:
			offsets.set(r.Topic, r.Partition, r.At)
		}
	})
	return offsets, asError(failed)
}

// StartOffsets returns the first offset of every partition.
func (a *Admin) StartOffsets(ctx context.Context, topics ...string) (Offsets, error) {
	listed, err := a.ListStartOffsets(ctx, topics...)
	return offsetsOf(listed, err)
}

// EndOffsets returns the high watermark of every partition: the offset that
// the next record will get.
func (a *Admin) EndOffsets(ctx context.Context, topics ...string) (Offsets, error) {
	listed, err := a.ListEndOffsets(ctx, topics...)
	return offsetsOf(listed, err)
}

func offsetsOf(listed kadm.ListedOffsets, err error) (Offsets, error) {
	if err == nil {
		err = listed.Error()
	}
	if err != nil {
		return nil, asError(fmt.Errorf("list offsets: %w", err))
	}
	offsets := Offsets{}
	listed.Each(func(o kadm.ListedOffset) { offsets.set(o.Topic, o.Partition, o.Offset) })
	return offsets, nil
}

func (o Offsets) set(topic string, partition int32, offset int64) {
	if o[topic] == nil {
		o[topic] = map[int32]int64{}
	}
	o[topic][partition] = offset
}
