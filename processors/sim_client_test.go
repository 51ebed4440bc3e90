//go:build !race

package processors

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// simClient is a member's client.
type simClient struct{ m *simMember }

func (c simClient) GroupMetadata() (string, int32)                                    { return c.m.id, c.m.generation }
func (simClient) PollRecords(context.Context, int) kgo.Fetches                        { return nil }
func (simClient) AllowRebalance()                                                     {}
func (simClient) PauseFetchPartitions(map[string][]int32) (paused map[string][]int32) { return nil }
func (simClient) ResumeFetchPartitions(map[string][]int32)                            {}

func (c simClient) CommitOffsetsSync(ctx context.Context, offsets map[string]map[int32]kgo.EpochOffset,
	done func(*kgo.Client, *kmsg.OffsetCommitRequest, *kmsg.OffsetCommitResponse, error)) {
	id, generation := c.m.id, c.m.generation
	response := kmsg.NewPtrOffsetCommitResponse()
	err := c.m.proc.do(func() error {
		commits := map[place]int64{}
		for topic, parts := range offsets {
			for p, o := range parts {
				commits[place{topic, p}] = o.Offset
			}
		}
		refused := c.m.coordinator.commit(c.m.proc.instance, id, generation, commits)
		places := slices.SortedFunc(maps.Keys(commits), func(a, b place) int { return cmp.Compare(a.partition, b.partition) })
		for _, p := range places {
			topic := kmsg.NewOffsetCommitResponseTopic()
			topic.Topic = p.topic
			part := kmsg.NewOffsetCommitResponseTopicPartition()
			part.Partition = p.partition
			var code *kerr.Error
			if errors.As(refused, &code) {
				part.ErrorCode = code.Code
			}
			topic.Partitions = append(topic.Partitions, part)
			response.Topics = append(response.Topics, topic)
		}
		return nil
	})
	if err == nil {
		err = ctx.Err()
	}
	done(nil, nil, response, err)
}

// simOffsets lists the bounds of logs.
type simOffsets struct{ proc *simProc }

func (o simOffsets) list(topics []string, of func(*simLog) int64) (kadm.ListedOffsets, error) {
	listed := kadm.ListedOffsets{}
	return listed, o.proc.do(func() error {
		for _, topic := range topics {
			listed[topic] = map[int32]kadm.ListedOffset{}
			for p := range o.proc.kafka.counts[topic] {
				at := of(o.proc.kafka.logs[place{topic, p}])
				listed[topic][p] = kadm.ListedOffset{Topic: topic, Partition: p, Offset: at, LeaderEpoch: -1}
			}
		}
		return nil
	})
}

func (o simOffsets) ListStartOffsets(_ context.Context, topics ...string) (kadm.ListedOffsets, error) {
	return o.list(topics, func(*simLog) int64 { return 0 })
}

func (o simOffsets) ListEndOffsets(_ context.Context, topics ...string) (kadm.ListedOffsets, error) {
	return o.list(topics, (*simLog).end)
}

func (o simOffsets) ListCommittedOffsets(_ context.Context, topics ...string) (kadm.ListedOffsets, error) {
	return o.list(topics, (*simLog).stable)
}

func (o simOffsets) ListTopics(_ context.Context, topics ...string) (kadm.TopicDetails, error) {
	listed := kadm.TopicDetails{}
	return listed, o.proc.do(func() error {
		for _, topic := range topics {
			listed[topic] = kadm.TopicDetail{Topic: topic, ID: o.proc.kafka.ids[topic]}
		}
		return nil
	})
}

// simTable reads a table in recovery.
type simTable struct {
	proc *simProc
	logs []*simLog
	at   []int64
}

func (p *simProc) openTable(table string, from map[int32]kgo.Offset) (tableReader, error) {
	t := &simTable{proc: p}
	for n := range p.kafka.counts[table] {
		if _, wanted := from[n]; wanted {
			t.logs, t.at = append(t.logs, p.kafka.logs[place{table, n}]), append(t.at, 0)
		}
	}
	return t, nil
}

func (*simTable) Close() {}

func (t *simTable) PollRecords(ctx context.Context, _ int) kgo.Fetches {
	fetch := kgo.Fetch{}
	err := t.proc.do(func() error {
		for i, l := range t.logs {
			var records []*kgo.Record
			if records, t.at[i] = l.read(t.at[i], 1+t.proc.random.IntN(80)); len(records) > 0 {
				fetch.Topics = append(fetch.Topics, kgo.FetchTopic{
					Topic: l.topic, Partitions: []kgo.FetchPartition{{Partition: l.partition, Records: records}},
				})
			}
		}
		return nil
	})
	if err != nil {
		return kgo.NewErrFetch(err)
	}
	if len(fetch.Topics) == 0 {
		<-ctx.Done()
		return kgo.NewErrFetch(ctx.Err())
	}
	return kgo.Fetches{fetch}
}
