package processors

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/engine"
)

// recover fills the units of all claims from the table topic and returns the
// number of rows read.
//
// It reads committed rows up to the high watermark as it was when it began,
// not to the last stable offset, so it waits for the outcome of a transaction
// that is still open: those rows may be the newest. Control records count as
// read; goka's own recovery hangs on a table that ends in one.
func (s *session) recover(ctx context.Context) (rows int, err error) {
	if len(s.ordered) == 0 {
		return 0, nil
	}
	left, from, err := s.tableBounds(ctx)
	if err != nil {
		return 0, err
	}
	if len(left) > 0 {
		if rows, err = s.readTable(ctx, left, from); err != nil {
			return rows, err
		}
	}
	return rows, s.bounds(ctx)
}

// tableBounds gives the ends of the table partitions that hold the claims'
// rows: those with the claims' own numbers, whatever their topic.
func (s *session) tableBounds(ctx context.Context) (left map[int32]int64, from map[int32]kgo.Offset, err error) {
	ends, err := s.g.offsets.ListEndOffsets(ctx, s.g.table)
	if err != nil {
		return nil, nil, fmt.Errorf("ends of table %s: %w", s.g.table, err)
	}
	left, from = map[int32]int64{}, map[int32]kgo.Offset{}
	for _, c := range s.ordered {
		end, ok := ends.Lookup(s.g.table, c.partition)
		if !ok || end.Err != nil {
			return nil, nil, fmt.Errorf("end of table %s/%d: %w", s.g.table, c.partition, errors.Join(end.Err, missing(ok)))
		}
		if end.Offset > 0 {
			left[c.partition], from[c.partition] = end.Offset, kgo.NewOffset().AtStart()
		}
	}
	return left, from, nil
}

func missing(ok bool) error {
	if ok {
		return nil
	}
	return errors.New("no such partition")
}

func (s *session) readTable(ctx context.Context, left map[int32]int64, from map[int32]kgo.Offset) (rows int, err error) {
	byPartition := map[int32][]*claim{}
	for _, c := range s.ordered {
		byPartition[c.partition] = append(byPartition[c.partition], c)
	}
	client, err := s.g.cfg.table(s.g.table, from)
	if err != nil {
		return 0, fatal{err}
	}
	defer client.Close()
	heard, settled := time.Now(), false
	told := heard
	for len(left) > 0 {
		poll, cancel := context.WithTimeout(ctx, time.Second)
		fetches := client.PollRecords(poll, -1)
		cancel()
		if err := ctx.Err(); err != nil {
			return rows, err
		}
		var failed error
		fetches.EachError(func(topic string, p int32, err error) {
			if !is(err, context.DeadlineExceeded) && failed == nil {
				failed = fmt.Errorf("read table %s/%d: %w", topic, p, err)
			}
		})
		fetches.EachPartition(func(f kgo.FetchTopicPartition) {
			if failed == nil && len(f.Records) > 0 {
				heard, settled = time.Now(), false
				rows += len(f.Records)
				failed = restoreRows(byPartition[f.Partition], f.Records, left)
			}
		})
		if failed != nil {
			return rows, failed
		}
		if rows > 0 {
			faultpoint(s.g.name, "recovery")
		}
		if time.Since(told) > progressEvery {
			told = time.Now()
			s.tellRecovery(rows, len(from)-len(left), len(from))
		}
		if len(left) > 0 && time.Since(heard) > quietFor {
			// Compaction may have emptied a table's last offsets. Then nothing
			// comes although all is stable. What has just become so may still
			// be on its way.
			if settled {
				break
			}
			if settled = s.stable(ctx, left); settled {
				heard = time.Now().Add(fetchFor - quietFor)
				continue
			}
			heard = time.Now()
			s.g.log.Info().Int("partitions", len(left)).Msg("recovery waits for an open transaction on the table")
		}
	}
	return rows, nil
}

const progressEvery = 2 * time.Second

// tellRecovery says how far the recovery of a large table has come.
func (s *session) tellRecovery(rows, done, partitions int) {
	s.g.cfg.Status.group(s.g.name, fmt.Sprintf("recovering: %s read, %d of %s done", engine.Plural(int64(rows), "row"), done, engine.Plural(int64(partitions), "partition")))
	s.g.log.Info().Int("rows", rows).Int("partitions_done", done).Int("partitions", partitions).Msg("recovering")
}

// restoreRows gives rows of one table partition to the claims that may own
// them; a unit leaves rows of other topics alone.
func restoreRows(claims []*claim, records []*kgo.Record, left map[int32]int64) error {
	for _, r := range records {
		if !r.Attrs.IsControl() {
			for _, c := range claims {
				if err := c.unit.restore(r); err != nil {
					return fatal{fmt.Errorf("table row at %s/%d, offset %d: %w", r.Topic, r.Partition, r.Offset, err)}
				}
			}
		}
		if end, ok := left[r.Partition]; ok && r.Offset+1 >= end {
			delete(left, r.Partition)
		}
	}
	return nil
}

// stable reports whether no transaction is open before the ends.
func (s *session) stable(ctx context.Context, left map[int32]int64) bool {
	committed, err := s.g.offsets.ListCommittedOffsets(ctx, s.g.table)
	if err != nil {
		return false
	}
	for p, end := range left {
		if o, ok := committed.Lookup(s.g.table, p); !ok || o.Err != nil || o.Offset < end {
			return false
		}
	}
	return true
}

// bounds tells the claims the bounds of their logs.
func (s *session) bounds(ctx context.Context) error {
	bounds, err := s.listBounds(ctx)
	if err == nil {
		err = s.sameTopics(ctx)
	}
	if err != nil {
		return err
	}
	for _, c := range s.ordered {
		b, err := bounds(c.place)
		if err != nil {
			return err
		}
		c.start, c.end, c.high, c.endAt = b.start, b.end, b.high, time.Now()
		if stop, ok := s.g.ends[c.place]; ok {
			c.stop = min(stop, b.high)
		}
		if c.fromStart, err = c.unit.recovered(b); err != nil {
			return fatal{err}
		}
	}
	return nil
}
