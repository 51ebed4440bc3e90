package processors

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/auditstream/auditstream/engine"
)

// The cost of looking into logs: so many partitions a round, so many bytes of
// each (a batch comes whole), and so much time for all of them.
const (
	unreadPerRound = 32
	unreadBytes    = 64 << 10
	unreadFetches  = 4 // of one partition, past markers
	unreadTimeout  = 2 * time.Second
)

type groupPlace struct {
	group string
	place
}

// unreadLog is what was read of a log for a group. It holds while the group
// stays below the first record that it found.
type unreadLog struct {
	topicID string
	from    int64
	engine.Unread
}

// holds reports whether it is true for a group at that position.
func (u *unreadLog) holds(topicID string, position int64) bool {
	return u != nil && u.topicID == topicID && position >= u.from && position <= u.First
}

// readUnread gives every sample that is behind what its log holds from there
// on. What was read before is used again while it holds; the partitions that
// one round has no room for come first in the next.
func (w *lagWatch) readUnread(ctx context.Context, sample *lagSample, logs logs) {
	ctx, cancel := context.WithTimeout(ctx, unreadTimeout)
	defer cancel()
	kept := map[groupPlace]*unreadLog{}
	var behind []*engine.LagSample
	var places []groupPlace
	for _, topic := range w.topics {
		for i := range sample.samples[topic] {
			s := &sample.samples[topic][i]
			if s.Failed != "" || s.Lag() <= 0 || s.Committed > s.End-s.Open {
				continue
			}
			behind, places = append(behind, s), append(places, groupPlace{s.Group, place{topic, s.Partition}})
		}
	}
	read, first := 0, w.turn
	for i := range behind {
		n := (first + i) % len(behind)
		s, key := behind[n], places[n]
		u, position := w.unread[key], max(s.Committed, s.Start)
		if !u.holds(s.TopicID, position) {
			u = nil
		}
		if u == nil || u.Count == 0 && u.Through < s.End-s.Open {
			if read < unreadPerRound {
				u = w.look(ctx, u, s.TopicID, logs[key.place], position)
				if read++; read == unreadPerRound {
					w.turn = n + 1
				}
			} else {
				u = nil // more has come than was looked at
			}
		}
		if u != nil {
			kept[key] = u
			unread := u.Unread
			s.Unread = &unread
		}
	}
	w.unread = kept
}

// look reads a log from a position, or on from where it was read before, until
// it meets a record or the end.
func (w *lagWatch) look(ctx context.Context, u *unreadLog, topicID string, l *logState, position int64) *unreadLog {
	if u == nil {
		u = &unreadLog{topicID, position, engine.Unread{First: position, Time: engine.NoTime, Through: position}}
	}
	for range unreadFetches {
		if u.Count > 0 || u.Through >= l.stable {
			break
		}
		records, next, err := w.fetch(ctx, l, u.Through)
		if err != nil || next <= u.Through {
			if u.Through == position {
				return nil
			}
			break
		}
		u.Through, u.First = next, next
		for _, r := range records {
			if r.Attrs.IsControl() {
				continue
			}
			if u.Count++; u.Count == 1 {
				u.First = r.Offset
				if r.Timestamp.UnixMilli() > 0 {
					u.Time = r.Timestamp.UnixNano()
				}
			}
		}
	}
	return u
}

// fetch asks for committed records from an offset on, and says up to where
// the answer reaches. It is no consumer and leaves nothing behind.
func (w *lagWatch) fetch(ctx context.Context, l *logState, offset int64) (records []*kgo.Record, next int64, err error) {
	partition := kmsg.NewFetchRequestTopicPartition()
	partition.Partition, partition.FetchOffset, partition.PartitionMaxBytes = l.partition, offset, unreadBytes
	topic := kmsg.NewFetchRequestTopic()
	topic.Topic, topic.TopicID = l.topic, l.id
	topic.Partitions = append(topic.Partitions, partition)
	request := kmsg.NewPtrFetchRequest()
	request.MaxBytes, request.MinBytes, request.IsolationLevel = 1<<20, 0, 1
	request.MaxWaitMillis = 0
	request.Topics = append(request.Topics, topic)
	response, err := request.RequestWith(ctx, w.client.Broker(int(l.leader)))
	if err != nil {
		return nil, 0, err
	}
	if err := kerr.ErrorForCode(response.ErrorCode); err != nil {
		return nil, 0, err
	}
	if len(response.Topics) != 1 || len(response.Topics[0].Partitions) != 1 {
		return nil, 0, kerr.UnknownTopicOrPartition
	}
	answer := &response.Topics[0].Partitions[0]
	if err := kerr.ErrorForCode(answer.ErrorCode); err != nil {
		return nil, 0, err
	}
	if len(answer.RecordBatches) == 0 {
		return nil, answer.LastStableOffset, nil // nothing is left from there on
	}
	read, next := kgo.ProcessFetchPartition(kgo.ProcessFetchPartitionOpts{
		KeepControlRecords: true, Offset: offset, IsolationLevel: kgo.ReadCommitted(), Topic: l.topic, Partition: l.partition,
	}, answer, kgo.DefaultDecompressor(), nil)
	return read.Records, next, read.Err
}
