package replay

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const (
	pollFor = 250 * time.Millisecond
	// quietFor is how long nothing has come at all before the log of a
	// partition that is not at its end is asked whether there is anything left.
	quietFor = time.Second
	// unreachableFor is how long a cluster that does not answer is tried.
	unreachableFor = time.Minute
)

// reader fetches the lanes' records.
type reader struct {
	c        *Cluster
	o        *Options
	topic    string
	topicID  [16]byte
	flow     *flow
	client   *kgo.Client
	throttle *throttle
	heard    time.Time // when records have come last, or what is left was asked for
	answered time.Time // when the cluster has said anything last
}

// open makes the client. Partitions are consumed directly: no group is joined
// and nothing is committed.
func (r *reader) open(lanes []*lane) error {
	at := map[int32]kgo.Offset{}
	r.heard, r.answered = time.Now(), time.Now()
	for _, l := range lanes {
		if l.at.Next < l.End {
			at[l.Partition] = kgo.NewOffset().At(l.at.Next)
		}
	}
	r.throttle = newThrottle(r.o.MaxRate)
	options := append(append([]kgo.Opt(nil), r.c.Options...),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{r.topic: at}),
		kgo.ConsumeResetOffset(kgo.NoResetOffset()),
		kgo.KeepControlRecords(), // or the end could not be told from a silence
		kgo.WithHooks(r.throttle),
	)
	if r.o.MaxRate > 0 {
		most := int32(min(max(r.o.MaxRate/4, 16<<10), int64(r.c.FetchBytes)))
		options = append(options, kgo.FetchMaxBytes(most), kgo.FetchMaxPartitionBytes(most))
	}
	var err error
	r.client, err = kgo.NewClient(options...)
	return err
}

func (r *reader) pause(lanes []*lane) {
	partitions := map[string][]int32{}
	for _, l := range lanes {
		partitions[l.topic] = append(partitions[l.topic], l.Partition)
	}
	r.client.PauseFetchPartitions(partitions)
}

func (r *reader) resume(l *lane) {
	r.client.ResumeFetchPartitions(map[string][]int32{l.topic: {l.Partition}})
}

// read hands on what comes until every lane's end is reached by position.
func (r *reader) read(ctx context.Context) error {
	for r.flow.gate() {
		r.flow.tellPauses()
		if err := r.throttle.wait(ctx); err != nil {
			return err
		}
		poll, cancel := context.WithTimeout(ctx, pollFor)
		fetches := r.client.PollRecords(poll, -1)
		cancel()
		if err := context.Cause(ctx); err != nil {
			return err
		}
		var failed error
		fetches.EachError(func(_ string, partition int32, err error) {
			if failed == nil && !errors.Is(err, context.DeadlineExceeded) {
				failed = fmt.Errorf("read %s/%d: %w", r.topic, partition, readable(err))
			}
		})
		if failed != nil {
			return failed
		}
		now := time.Now()
		came := false
		fetches.EachPartition(func(p kgo.FetchTopicPartition) {
			if l := r.flow.lanes[p.Partition]; l != nil && len(p.Records) > 0 {
				came = true
				r.flow.push(l, p.Records)
			}
		})
		if came {
			r.heard, r.answered = now, now
		} else if now.Sub(r.heard) > quietFor {
			if err := r.askQuiet(ctx); err != nil {
				return err
			}
			r.heard = time.Now()
		}
	}
	return nil
}

// readable says for an error of a fetch what a person can do with it.
func readable(err error) error {
	if errors.Is(err, kerr.OffsetOutOfRange) {
		return fmt.Errorf("the next offset is not in the log any more: retention or a deletion has overtaken the replay: %w", err)
	}
	return err
}

// askQuiet looks behind the last record of the lanes of which nothing comes,
// until one has something left: that is on its way. What is left may be
// batches that compaction has emptied, which no record ever tells of.
func (r *reader) askQuiet(ctx context.Context) error {
	var leaders kadm.PartitionDetails
	for _, l := range r.flow.lanes {
		r.flow.mu.Lock()
		ask, at := !l.over && !l.paused, max(l.read, l.at.Next)
		r.flow.mu.Unlock()
		if !ask {
			continue
		}
		var err error
		if leaders == nil {
			var details kadm.TopicDetails
			details, err = r.c.Admin.ListTopics(ctx, r.topic)
			leaders = details[r.topic].Partitions
		}
		empty := false
		if err == nil {
			empty, err = r.emptyFrom(ctx, l, leaders[l.Partition].Leader, at)
		}
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && time.Since(r.answered) > unreachableFor:
			return fmt.Errorf("nothing came of %s/%d for %s: %w", l.topic, l.Partition, unreachableFor, err)
		case err != nil:
			return nil // the client goes on trying too
		}
		r.answered = time.Now()
		if !empty {
			return nil
		}
		r.flow.ended(l)
	}
	return nil
}

// emptyFrom reports whether no record lies from an offset to the lane's end.
func (r *reader) emptyFrom(ctx context.Context, l *lane, leader int32, at int64) (bool, error) {
	for at < l.End {
		p, err := r.fetch(ctx, l, leader, at)
		if err != nil {
			return false, err
		}
		if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
			return false, err
		}
		readable := p.LastStableOffset
		if r.c.Uncommitted || readable < 0 {
			readable = p.HighWatermark
		}
		if len(p.RecordBatches) == 0 {
			return readable >= l.End, nil // the log has nothing behind at
		}
		isolation := kgo.ReadCommitted()
		if r.c.Uncommitted {
			isolation = kgo.ReadUncommitted()
		}
		parsed, next := kgo.ProcessFetchPartition(kgo.ProcessFetchPartitionOpts{
			KeepControlRecords: true, Offset: at, IsolationLevel: isolation, Topic: l.topic, Partition: l.Partition,
		}, p, kgo.DefaultDecompressor(), nil)
		if parsed.Err != nil {
			return false, parsed.Err
		}
		if len(parsed.Records) > 0 && parsed.Records[0].Offset < l.End || next <= at {
			return false, nil
		}
		at = next
	}
	return true, nil
}

// fetch asks the partition's leader for what lies at an offset.
func (r *reader) fetch(ctx context.Context, l *lane, leader int32, at int64) (*kmsg.FetchResponseTopicPartition, error) {
	request := kmsg.NewPtrFetchRequest()
	request.MaxWaitMillis, request.MinBytes, request.MaxBytes = 0, 0, 64<<10 // the first batch comes whole
	if !r.c.Uncommitted {
		request.IsolationLevel = 1
	}
	p := kmsg.NewFetchRequestTopicPartition()
	p.Partition, p.FetchOffset, p.PartitionMaxBytes, p.CurrentLeaderEpoch = l.Partition, at, 64<<10, -1
	topic := kmsg.NewFetchRequestTopic()
	topic.Topic, topic.TopicID, topic.Partitions = l.topic, r.topicID, []kmsg.FetchRequestTopicPartition{p}
	request.Topics = []kmsg.FetchRequestTopic{topic}
	response, err := r.client.Broker(int(leader)).RetriableRequest(ctx, request)
	if err != nil {
		return nil, err
	}
	f := response.(*kmsg.FetchResponse)
	if err := kerr.ErrorForCode(f.ErrorCode); err != nil {
		return nil, err
	}
	if len(f.Topics) != 1 || len(f.Topics[0].Partitions) != 1 {
		return nil, errors.New("the answer to a fetch is about another partition")
	}
	return &f.Topics[0].Partitions[0], nil
}
