package alert

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// rowOf is an alert as the table keeps it: under the finding's id, on the
// partition of the audit topic that its reports lie on.
func rowOf(table string, partition int32, a *Alert) (*kgo.Record, error) {
	value, err := json.Marshal(a)
	if err != nil {
		return nil, fmt.Errorf("BUG: alert as a row: %w", err)
	}
	return &kgo.Record{Topic: table, Partition: partition, Key: []byte(a.Finding.ID), Value: value}, nil
}

// markerKey is a row that says nothing but where a life of the bridge began.
const markerKey = "bridge"

// restore reads the rows of partitions, and learns where the group stands.
//
// It writes a marker into each partition and reads up to it: a table's last
// offsets may be empty after compaction, so its end is no place to wait for.
// The group has let no other bridge near these partitions before, so no row
// follows the marker.
func (b *bridge) restore(ctx context.Context, partitions []int32) (map[int32]*part, error) {
	parts, err := b.standing(ctx, partitions)
	if err != nil {
		return nil, err
	}
	until, from := map[int32]int64{}, map[int32]kgo.Offset{}
	for _, p := range partitions {
		marker := &kgo.Record{Topic: b.Table, Partition: p, Key: []byte(markerKey)}
		if err := b.client.ProduceSync(ctx, marker).FirstErr(); err != nil {
			return nil, fmt.Errorf("table %s: %w", b.Table, err)
		}
		until[p], from[p] = marker.Offset, kgo.NewOffset().AtStart()
	}
	reader, err := kgo.NewClient(append(append([]kgo.Opt{}, b.Client...),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{b.Table: from}))...)
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", b.Table, err)
	}
	defer reader.Close()
	for len(until) > 0 {
		fetches := reader.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return nil, fmt.Errorf("read table %s: %w", b.Table, err)
		}
		for records := fetches.RecordIter(); !records.Done(); {
			r := records.Next()
			if err := parts[r.Partition].restore(r); err != nil {
				return nil, fmt.Errorf("table %s/%d at %d: %w", b.Table, r.Partition, r.Offset, err)
			}
			if r.Offset >= until[r.Partition] {
				delete(until, r.Partition)
			}
		}
	}
	onlyOnce(parts)
	for id, p := range parts {
		former := p.settle(p.end)
		for _, a := range p.open() {
			p.told[a.Finding.ID] = true
		}
		if at := b.begins(p, former); at >= 0 {
			b.begun[id] = kgo.EpochOffset{Epoch: -1, Offset: at}
		}
	}
	return parts, nil
}

func (p *part) restore(r *kgo.Record) error {
	id := string(r.Key)
	if len(r.Value) == 0 {
		delete(p.alerts, id)
		return nil
	}
	a := new(Alert)
	if err := json.Unmarshal(r.Value, a); err != nil {
		return fmt.Errorf("no row of alerts: %w", err)
	}
	p.alerts[id] = a
	return nil
}

// topicIDPrefix begins the metadata of a committed offset.
const topicIDPrefix = "topic-id="

// begins says how a part is read. One of which the group has committed nothing,
// or an offset of a topic that is gone, is read from its start; what lies there
// already is not told word by word, only what is open at its end. Of an empty
// one every event counts from now on, also those of the time before the next
// start: the result is the offset to commit for that, and otherwise negative.
func (b *bridge) begins(p *part, former bool) int64 {
	at := p.committed
	valid := at.At >= 0 && at.At <= p.end
	if id, named := strings.CutPrefix(at.Metadata, topicIDPrefix); named {
		valid = valid && (p.topicID == "" || id == p.topicID)
	} else {
		valid = valid && !former
	}
	if valid {
		return -1
	}
	p.anew = true
	if p.start < p.end {
		p.quiet, p.quietUntil = true, p.end
		return -1
	}
	return p.end
}

// anew lets the group begin at the start where its offset counts for nothing.
func (b *bridge) anew(_ context.Context, offsets map[string]map[int32]kgo.Offset) (map[string]map[int32]kgo.Offset, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for partition := range offsets[b.Topic] {
		if p := b.parts[partition]; p != nil && p.anew {
			offsets[b.Topic][partition] = kgo.NewOffset().AtStart()
		}
	}
	return offsets, nil
}

// standing makes parts, with what the group has committed and the topic holds.
func (b *bridge) standing(ctx context.Context, partitions []int32) (map[int32]*part, error) {
	committed, err := b.offset.FetchOffsets(ctx, b.Group)
	if err == nil {
		err = committed.Error()
	}
	if err != nil {
		return nil, fmt.Errorf("offsets of group %s: %w", b.Group, err)
	}
	starts, err := listed(b.offset.ListStartOffsets(ctx, b.Topic))
	if err != nil {
		return nil, fmt.Errorf("start of audit topic %s: %w", b.Topic, err)
	}
	ends, err := listed(b.offset.ListCommittedOffsets(ctx, b.Topic))
	if err != nil {
		return nil, fmt.Errorf("end of audit topic %s: %w", b.Topic, err)
	}
	topicID, err := b.topicID(ctx)
	if err != nil {
		return nil, err
	}
	parts := map[int32]*part{}
	for _, id := range partitions {
		p := &part{book: newBook(topicID), told: map[string]bool{}, moved: map[string]int32{}, committed: kadm.Offset{At: -1}}
		if at, ok := committed.Lookup(b.Topic, id); ok {
			p.committed = at.Offset
		}
		start, _ := starts.Lookup(b.Topic, id)
		end, _ := ends.Lookup(b.Topic, id)
		p.start, p.end = start.Offset, end.Offset
		parts[id] = p
	}
	return parts, nil
}

// topicID tells the audit topic from one of the same name that was deleted.
func (b *bridge) topicID(ctx context.Context) (string, error) {
	topics, err := b.offset.ListTopics(ctx, b.Topic)
	if err == nil {
		err = topics.Error()
	}
	if err != nil {
		return "", fmt.Errorf("audit topic %s: %w", b.Topic, err)
	}
	if id := topics[b.Topic].ID; id != (kadm.TopicID{}) {
		return id.String(), nil
	}
	return "", nil
}

func listed(offsets kadm.ListedOffsets, err error) (kadm.ListedOffsets, error) {
	return offsets, errors.Join(err, offsets.Error())
}

// committed puts the first error of a commit's answer into failed.
func committed(failed *error) func(*kgo.Client, *kmsg.OffsetCommitRequest, *kmsg.OffsetCommitResponse, error) {
	return func(_ *kgo.Client, _ *kmsg.OffsetCommitRequest, response *kmsg.OffsetCommitResponse, err error) {
		*failed = err
		if err == nil {
			*failed = commitError(response)
		}
	}
}

func commitError(response *kmsg.OffsetCommitResponse) error {
	for _, topic := range response.Topics {
		for _, p := range topic.Partitions {
			if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
				return err
			}
		}
	}
	return nil
}
