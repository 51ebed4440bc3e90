package kafkatest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Produce writes records in their order, each to the partition that its
// Partition field names, and waits until all are acknowledged; their offsets
// are then set.
func (c *Cluster) Produce(t testing.TB, records ...*kgo.Record) {
	t.Helper()
	cl := c.Client(t, kgo.RecordPartitioner(kgo.ManualPartitioner()))
	defer cl.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 2*requestTimeout)
	defer cancel()
	if err := cl.ProduceSync(ctx, records...).FirstErr(); err != nil {
		t.Fatalf("produce: %v", err)
	}
}

// ReadAll reads a topic from its start to the end that it has at the call:
// with committed, to the last stable offset and without aborted records,
// otherwise to the high watermark with all of them. Records come ordered by
// partition and offset; control records are read past and left out. A topic
// that does not exist has none.
func (c *Cluster) ReadAll(t testing.TB, topic string, committed bool) []*kgo.Record {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*requestTimeout)
	defer cancel()
	from, to := c.bounds(ctx, t, topic, committed)
	if len(from) == 0 {
		return nil
	}
	opts := []kgo.Opt{
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: from}),
		kgo.KeepControlRecords(),
		kgo.FetchMaxWait(100 * time.Millisecond),
	}
	if committed {
		opts = append(opts, kgo.FetchIsolationLevel(kgo.ReadCommitted()))
	}
	cl := c.Client(t, opts...)
	defer cl.Close()

	var records []*kgo.Record
	for len(to) > 0 {
		fetches := cl.PollFetches(ctx)
		if err := fetches.Err(); errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("read %s: ends %v not reached after %d records", topic, to, len(records))
		} else if err != nil {
			t.Fatalf("read %s: %v", topic, err)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			end, open := to[r.Partition]
			if open && r.Offset >= end-1 {
				delete(to, r.Partition)
			}
			if open && r.Offset < end && !r.Attrs.IsControl() {
				records = append(records, r)
			}
		})
	}
	slices.SortFunc(records, func(a, b *kgo.Record) int {
		if a.Partition != b.Partition {
			return int(a.Partition - b.Partition)
		}
		return int(a.Offset - b.Offset)
	})
	return records
}

// AwaitStable waits until no transaction is open on a topic: a commit is
// acknowledged before its markers are written, so that what a process has
// committed before it ended may not be stable yet.
func (c *Cluster) AwaitStable(t testing.TB, topic string) {
	t.Helper()
	adm := c.Admin(t)
	Eventually(t, "the transactions on "+topic+" to end", func() bool {
		high, err := adm.ListEndOffsets(context.Background(), topic)
		stable, err2 := adm.ListCommittedOffsets(context.Background(), topic)
		settled := err == nil && err2 == nil
		high.Each(func(o kadm.ListedOffset) {
			s, ok := stable.Lookup(topic, o.Partition)
			settled = settled && ok && s.Offset >= o.Offset
		})
		return settled
	})
}

// bounds gives where to start and where to end in each partition that has
// anything to read.
func (c *Cluster) bounds(ctx context.Context, t testing.TB, topic string, committed bool) (map[int32]kgo.Offset, map[int32]int64) {
	t.Helper()
	adm := c.Admin(t)
	list := adm.ListEndOffsets
	if committed {
		list = adm.ListCommittedOffsets
	}
	starts, err := adm.ListStartOffsets(ctx, topic)
	if err != nil {
		t.Fatalf("list start offsets of %s: %v", topic, err)
	}
	ends, err := list(ctx, topic)
	if err != nil {
		t.Fatalf("list end offsets of %s: %v", topic, err)
	}
	from, to := map[int32]kgo.Offset{}, map[int32]int64{}
	ends.Each(func(end kadm.ListedOffset) {
		start, ok := starts.Lookup(topic, end.Partition)
		if !ok || end.Err != nil || start.Err != nil || start.Offset >= end.Offset {
			return
		}
		from[end.Partition] = kgo.NewOffset().At(start.Offset)
		to[end.Partition] = end.Offset
	})
	return from, to
}
