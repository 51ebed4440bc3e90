package processors

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/auditstream/auditstream/engine"
)

// logState is one partition of a tick topic as a sample sees it.
type logState struct {
	topic     string
	partition int32
	id        kadm.TopicID
	leader    int32
	start     int64 // -1: not known
	stable    int64 // last stable offset, -1: not known
	end       int64 // high watermark, -1: not known
	epoch     int32 // its leader's, when it told the end, -1: not known
	another   bool  // the topic was deleted, or made anew, while it was sampled
}

// logs are the partitions of the tick topics by place.
type logs map[place]*logState

// sorted are the partitions by topic and number.
func (l logs) sorted() []*logState {
	return slices.SortedFunc(maps.Values(l), func(a, b *logState) int {
		return cmp.Or(strings.Compare(a.topic, b.topic), cmp.Compare(a.partition, b.partition))
	})
}

// describeTopics asks for the topics' ids and partitions. The admin client would
// answer from its cache, with the id of a topic that was made anew since.
func (w *lagWatch) describeTopics(ctx context.Context) (*kmsg.MetadataResponse, error) {
	request := kmsg.NewPtrMetadataRequest()
	for _, topic := range w.topics {
		one := kmsg.NewMetadataRequestTopic()
		one.Topic = kmsg.StringPtr(topic)
		request.Topics = append(request.Topics, one)
	}
	response, err := request.RequestWith(ctx, w.client)
	if err != nil {
		return nil, fmt.Errorf("describe topics: %w", err)
	}
	return response, nil
}

// startLogs asks what partitions there are and where they start.
func (w *lagWatch) startLogs(ctx context.Context) (logs, error) {
	response, err := w.describeTopics(ctx)
	if err != nil {
		return nil, err
	}
	all := logs{}
	for _, topic := range response.Topics {
		if topic.Topic == nil {
			continue
		}
		if err := kerr.ErrorForCode(topic.ErrorCode); err != nil {
			return nil, fmt.Errorf("describe topic %s: %w", *topic.Topic, err)
		}
		for _, p := range topic.Partitions {
			all[place{*topic.Topic, p.Partition}] = &logState{
				topic: *topic.Topic, partition: p.Partition, id: topic.TopicID, leader: p.Leader,
				start: engine.Unknown, stable: engine.Unknown, end: engine.Unknown, epoch: engine.Unknown,
			}
		}
	}
	starts, err := w.admin.ListStartOffsets(ctx, w.topics...)
	if err = unlessPartial(err); err != nil {
		return nil, fmt.Errorf("starts of topics: %w", err)
	}
	all.note(starts, func(l *logState, o kadm.ListedOffset) { l.start = o.Offset })
	w.readSettings(ctx)
	return all, nil
}

// endLogs asks where partitions end: first the last stable offset, then the
// high watermark, which is never below it.
func (w *lagWatch) endLogs(ctx context.Context, all logs) error {
	stable, err := w.admin.ListCommittedOffsets(ctx, w.topics...)
	if err = unlessPartial(err); err != nil {
		return fmt.Errorf("last stable offsets of topics: %w", err)
	}
	all.note(stable, func(l *logState, o kadm.ListedOffset) { l.stable = o.Offset })
	ends, err := w.admin.ListEndOffsets(ctx, w.topics...)
	if err = unlessPartial(err); err != nil {
		return fmt.Errorf("ends of topics: %w", err)
	}
	all.note(ends, func(l *logState, o kadm.ListedOffset) { l.end, l.epoch = o.Offset, o.LeaderEpoch })
	// Kafka drops what groups have committed of a topic that is deleted, after
	// its brokers tell of the deletion.
	response, err := w.describeTopics(ctx)
	if err != nil {
		return err
	}
	for _, topic := range response.Topics {
		for _, l := range all {
			if topic.Topic != nil && *topic.Topic == l.topic && (topic.ErrorCode != 0 || topic.TopicID != l.id) {
				l.another = true
			}
		}
	}
	return nil
}

// unlessPartial makes nothing of an error of some brokers: what others have
// answered is known, and the rest unknown.
func unlessPartial(err error) error {
	var shards *kadm.ShardErrors
	if errors.As(err, &shards) && !shards.AllFailed {
		return nil
	}
	return err
}

func (l logs) note(listed kadm.ListedOffsets, set func(*logState, kadm.ListedOffset)) {
	listed.Each(func(o kadm.ListedOffset) {
		if one := l[place{o.Topic, o.Partition}]; one != nil && o.Err == nil {
			set(one, o)
		}
	})
}

// open is the number of offsets that open transactions hold back. Records that
// came between the two questions count as held back for one sample at most.
func (l *logState) open() int64 {
	if l.stable == engine.Unknown || l.end == engine.Unknown {
		return 0
	}
	return max(0, l.end-l.stable)
}

func (l *logState) idText() string {
	if l.id == (kadm.TopicID{}) {
		return ""
	}
	return l.id.String()
}

// readSettings looks which topics are compacted. Without the right to read
// settings none is taken for one.
func (w *lagWatch) readSettings(ctx context.Context) {
	if time.Since(w.described) < settingsEvery {
		return
	}
	w.described = time.Now()
	configs, err := w.admin.DescribeTopicConfigs(ctx, w.topics...)
	if err != nil {
		return
	}
	for _, topic := range configs {
		for _, setting := range topic.Configs {
			if topic.Err == nil && setting.Key == "cleanup.policy" {
				w.compacted[topic.Name] = strings.Contains(setting.MaybeValue(), "compact")
			}
		}
	}
}
