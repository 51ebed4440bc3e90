package subscribe

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// reader reads the partitions of one topic.
type reader struct {
	client *kgo.Client
	topic  string
	tell   func(Report) error
	form   Form
	next   map[int32]int64 // offset to be read next, by partition
}

// read polls until ctx ends, or drain is closed and the end reached.
func (r *reader) read(ctx context.Context, drain <-chan struct{}) error {
	follow, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		select {
		case <-drain:
			stop()
		case <-follow.Done():
		}
	}()
	for follow.Err() == nil {
		if err := r.poll(follow); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	ends, err := kadm.NewClient(r.client).ListEndOffsets(ctx, r.topic)
	if err == nil {
		err = ends.Error()
	}
	if err != nil {
		return fmt.Errorf("end of audit topic %s: %w", r.topic, err)
	}
	for ctx.Err() == nil && r.before(ends) {
		if err := r.poll(ctx); err != nil {
			return err
		}
	}
	return nil
}

// before says whether a partition is not read to its end yet.
func (r *reader) before(ends kadm.ListedOffsets) bool {
	for partition, next := range r.next {
		if end, ok := ends.Lookup(r.topic, partition); ok && next < end.Offset {
			return true
		}
	}
	return false
}

func (r *reader) poll(ctx context.Context) error {
	fetches := r.client.PollFetches(ctx)
	if ctx.Err() == nil {
		if err := fetches.Err(); err != nil {
			return fmt.Errorf("read audit topic %s: %w", r.topic, err)
		}
	}
	for records := fetches.RecordIter(); !records.Done(); {
		record := records.Next()
		r.next[record.Partition] = record.Offset + 1
		if record.Attrs.IsControl() {
			continue
		}
		if err := r.tell(Decode(record, r.form)); err != nil {
			return err
		}
	}
	return nil
}
