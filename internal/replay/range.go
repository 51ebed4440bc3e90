package replay

import (
	"context"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/internal/capture"
)

// Cluster is where history is read.
type Cluster struct {
	Admin       *kadm.Client
	Options     []kgo.Opt // of a consumer that joins no group
	FetchBytes  int32     // that such a consumer fetches at once at most
	Uncommitted bool      // records of open and aborted transactions are read too
}

// span is what is read of one partition: offsets [start, end).
type span struct {
	Partition int32 `json:"partition"`
	Start     int64 `json:"start"`
	End       int64 `json:"end"`
	First     int64 `json:"first"`  // offset of the log
	Stable    int64 `json:"stable"` // end of what may be read
	High      int64 `json:"high"`   // high watermark
}

// history is what is read of one topic.
type history struct {
	topic      string
	topicID    [16]byte
	partitions int32
	spans      []span      // by partition, ascending
	state      *topicState // of a resume file, nil: none
}

// offsets finds what the options select of each topic, as it stands now:
// what is written later is not part of the replay.
func (c *Cluster) offsets(ctx context.Context, o *Options) ([]history, error) {
	details, err := c.Admin.ListTopics(ctx, o.Topics...)
	if err != nil {
		return nil, fmt.Errorf("describe topics: %w", err)
	}
	lists, err := c.list(ctx, o)
	if err != nil {
		return nil, err
	}
	var all []history
	for _, topic := range o.Topics {
		d := details[topic]
		if d.Err != nil {
			return nil, fmt.Errorf("topic %s: %w", topic, d.Err)
		}
		h := history{topic: topic, topicID: d.ID, partitions: int32(len(d.Partitions))}
		for _, id := range o.OnlyPartitions {
			if id >= h.partitions {
				return nil, invalidf("topic %s has no partition %d, it has %d", topic, id, h.partitions)
			}
		}
		for id := range h.partitions {
			if len(o.OnlyPartitions) > 0 && !slices.Contains(o.OnlyPartitions, id) {
				continue
			}
			s := span{Partition: id}
			if err := lists.bound(topic, &s, o); err != nil {
				return nil, err
			}
			h.spans = append(h.spans, s)
		}
		all = append(all, h)
	}
	return all, nil
}

// lists are the answers of the cluster about offsets. Those by time are nil
// where the range is not one of times.
type lists struct{ starts, stable, high, from, to kadm.ListedOffsets }

func (c *Cluster) list(ctx context.Context, o *Options) (lists, error) {
	var l lists
	stable := c.Admin.ListCommittedOffsets
	if c.Uncommitted {
		stable = c.Admin.ListEndOffsets
	}
	at := func(b Bound) func(context.Context, ...string) (kadm.ListedOffsets, error) {
		return func(ctx context.Context, topics ...string) (kadm.ListedOffsets, error) {
			// Kafka's record times are milliseconds: the first at or after.
			return c.Admin.ListOffsetsAfterMilli(ctx, (b.value-1)/1e6+1, topics...)
		}
	}
	type request struct {
		what string
		list func(context.Context, ...string) (kadm.ListedOffsets, error)
		into *kadm.ListedOffsets
	}
	// High watermarks before ends: what is written between the two questions
	// would look like a transaction that is open.
	requests := []request{
		{"high watermarks", c.Admin.ListEndOffsets, &l.high}, {"ends", stable, &l.stable}, {"starts", c.Admin.ListStartOffsets, &l.starts},
	}
	if o.From.set && !o.From.offset {
		requests = append(requests, request{"offsets at --from", at(o.From), &l.from})
	}
	// Record times that a broker gave ascend; those of producers need not, and
	// then a later record may still lie in the range.
	if o.To.set && !o.To.offset && o.Limits.TimestampType == capture.LogAppendTime {
		requests = append(requests, request{"offsets at --to", at(o.To), &l.to})
	}
	for _, r := range requests {
		listed, err := r.list(ctx, o.Topics...)
		if err == nil {
			err = listed.Error()
		}
		if err != nil {
			return l, fmt.Errorf("list %s of topics: %w", r.what, err)
		}
		*r.into = listed
	}
	return l, nil
}

// bound sets the span's ends.
func (l lists) bound(topic string, s *span, o *Options) error {
	of := func(what string, listed kadm.ListedOffsets) (int64, error) {
		found, ok := listed.Lookup(topic, s.Partition)
		if !ok {
			return 0, fmt.Errorf("%s/%d: the cluster tells no %s", topic, s.Partition, what)
		}
		return found.Offset, nil
	}
	var err error
	if s.First, err = of("start", l.starts); err != nil {
		return err
	}
	if s.Stable, err = of("end", l.stable); err != nil {
		return err
	}
	if s.High, err = of("high watermark", l.high); err != nil {
		return err
	}
	s.Start, s.End = s.First, s.Stable
	if o.From.set && o.From.offset {
		s.Start = max(s.Start, o.From.value)
	} else if l.from != nil {
		// Where no record is that late, Kafka's answer is no offset, and the
		// client's the end: nothing is selected.
		at, err := of("offset at --from", l.from)
		if err != nil {
			return err
		}
		s.Start = max(s.Start, at)
	}
	if o.To.set && o.To.offset {
		s.End = min(s.End, o.To.value)
	} else if l.to != nil {
		at, err := of("offset at --to", l.to)
		if err != nil {
			return err
		}
		s.End = min(s.End, at)
	}
	s.Start = min(s.Start, s.End)
	return nil
}

// note tells what of the log cannot be read although the range has it.
func (s *span) note(topic string, o *Options) {
	wanted := s.High
	if o.To.set && o.To.offset {
		wanted = min(wanted, o.To.value)
	}
	if wanted > s.Stable {
		o.Note("%s/%d: offsets %d to %d are not read, since a transaction is open there", topic, s.Partition, s.Stable, wanted-1)
	}
	if o.From.set && o.From.offset && o.From.value < s.First {
		o.Note("%s/%d: offsets before %d are gone from the log", topic, s.Partition, s.First)
	}
}
