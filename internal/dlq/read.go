package dlq

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Options say what to read.
type Options struct {
	Client []kgo.Opt // how to reach the cluster
	Topic  string    // the dead-letter topic
	Filter Filter
	Limit  int // letters, 0: all
}

// ErrNoTopic says that the dead-letter topic does not exist.
var ErrNoTopic = errors.New("the dead-letter topic does not exist")

// Read hands every letter that is selected to tell, partition after partition
// in the order of the log, up to the end that the topic has now.
func Read(ctx context.Context, o Options, tell func(*Letter) error) error {
	client, err := kgo.NewClient(o.Client...)
	if err != nil {
		return err
	}
	defer client.Close()
	admin := kadm.NewClient(client)
	starts, err := admin.ListStartOffsets(ctx, o.Topic)
	if err == nil {
		err = starts.Error()
	}
	var ends kadm.ListedOffsets
	if err == nil {
		// Up to the last stable offset: the outcome of what lies behind it is
		// not known, and nothing waits for it.
		ends, err = admin.ListCommittedOffsets(ctx, o.Topic)
	}
	if err == nil {
		err = ends.Error()
	}
	switch {
	case errors.Is(err, kerr.UnknownTopicOrPartition), err == nil && len(ends[o.Topic]) == 0:
		return fmt.Errorf("%w: %s", ErrNoTopic, o.Topic)
	case err != nil:
		return fmt.Errorf("dead-letter topic %s: %w", o.Topic, err)
	}
	left := o.Limit
	for id := int32(0); int(id) < len(ends[o.Topic]); id++ {
		start, end := starts[o.Topic][id].Offset, ends[o.Topic][id].Offset
		if start >= end {
			continue
		}
		err := o.partition(ctx, admin, id, start, end, func(l *Letter) error {
			if err := tell(l); err != nil {
				return err
			}
			if left--; left == 0 {
				return errLimit
			}
			return nil
		})
		if errors.Is(err, errLimit) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

var errLimit = errors.New("limit reached")

// lookEvery is how long nothing may come before the log's start is looked up:
// what was to be read may have gone by retention.
const lookEvery = 5 * time.Second

// partition reads offsets [start, end) of one partition.
func (o *Options) partition(ctx context.Context, admin *kadm.Client, id int32, start, end int64, tell func(*Letter) error) error {
	at := map[string]map[int32]kgo.Offset{o.Topic: {id: kgo.NewOffset().At(start)}}
	client, err := kgo.NewClient(append(append([]kgo.Opt(nil), o.Client...),
		kgo.ConsumePartitions(at), kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords(),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.FetchMaxWait(500*time.Millisecond))...)
	if err != nil {
		return err
	}
	defer client.Close()
	for next := start; next < end; {
		poll, cancel := context.WithTimeout(ctx, lookEvery)
		fetches := client.PollFetches(poll)
		cancel()
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := fetches.Err(); err != nil && !errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("read dead-letter topic %s/%d: %w", o.Topic, id, err)
		}
		if fetches.Empty() {
			if starts, err := admin.ListStartOffsets(ctx, o.Topic); err == nil {
				next = max(next, starts[o.Topic][id].Offset)
			}
			continue
		}
		for records := fetches.RecordIter(); !records.Done() && next < end; {
			r := records.Next()
			if next = r.Offset + 1; r.Offset >= end || r.Attrs.IsControl() {
				continue
			}
			if l := newLetter(r); o.Filter.selects(l) {
				if err := tell(l); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
