package subscribe

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
)

// Options say what to read.
type Options struct {
	Client        []kgo.Opt       // how to reach the cluster: seed brokers, security
	Topic         string          // the audit topic
	FromBeginning bool            // from the oldest report, otherwise from now on
	Drain         <-chan struct{} // once closed, read to the end that the topic has then, and return
	Await         bool            // wait until the topic exists, otherwise that it does not is an error
	Form          Form            // how values are read, nil: JSON alone
	Ready         func()          // called once the topic was found and reading starts, may be nil
}

// Report is one record of the audit topic.
type Report struct {
	Record *kgo.Record
	Report *engine.Report // nil when Err is set
	Err    error          // the value is no report
}

// ErrNoTopic says that the audit topic does not exist.
var ErrNoTopic = errors.New("the audit topic does not exist")

// awaitPause is the time between two looks for a topic that is not there yet.
const awaitPause = 200 * time.Millisecond

// Reports hands every report to tell, partition by partition in the order of
// the log, until ctx ends, which is no error, the topic is drained, or tell
// returns an error.
func Reports(ctx context.Context, o Options, tell func(Report) error) error {
	admin, err := kgo.NewClient(o.Client...)
	if err != nil {
		return fmt.Errorf("audit topic %s: %w", o.Topic, err)
	}
	offsets, err := offsetsOf(ctx, kadm.NewClient(admin), o)
	admin.Close()
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	client, err := kgo.NewClient(append(append([]kgo.Opt{}, o.Client...),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{o.Topic: offsets}),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.KeepControlRecords(), // a log may end in a marker: the position must pass it
		kgo.FetchMaxWait(500*time.Millisecond),
	)...)
	if err != nil {
		return fmt.Errorf("audit topic %s: %w", o.Topic, err)
	}
	defer client.Close()
	if o.Ready != nil {
		o.Ready()
	}
	r := reader{client: client, topic: o.Topic, tell: tell, form: o.Form, next: map[int32]int64{}}
	for partition, offset := range offsets {
		r.next[partition] = offset.EpochOffset().Offset
	}
	return r.read(ctx, o.Drain)
}

// offsetsOf finds the topic's partitions and the offsets to start from. The
// end is looked up here, once: what is written after Ready is never missed.
func offsetsOf(ctx context.Context, admin *kadm.Client, o Options) (map[int32]kgo.Offset, error) {
	list := admin.ListEndOffsets
	if o.FromBeginning {
		list = admin.ListStartOffsets
	}
	for {
		listed, err := list(ctx, o.Topic)
		if err == nil {
			err = listed.Error()
		}
		if err == nil {
			offsets := map[int32]kgo.Offset{}
			listed.Each(func(l kadm.ListedOffset) { offsets[l.Partition] = kgo.NewOffset().At(l.Offset) })
			if len(offsets) > 0 {
				return offsets, nil
			}
			err = kerr.UnknownTopicOrPartition
		}
		missing := errors.Is(err, kerr.UnknownTopicOrPartition)
		switch {
		case missing && !o.Await:
			return nil, fmt.Errorf("%w: %s", ErrNoTopic, o.Topic)
		case !missing && !kerr.IsRetriable(err):
			return nil, fmt.Errorf("audit topic %s: %w", o.Topic, err)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(awaitPause):
		}
	}
}

// Form reads the value of a report.
type Form func(value []byte) (*engine.Report, error)

// Decode reads a record of the audit topic.
func Decode(r *kgo.Record, form Form) Report {
	if form == nil {
		form = codecs.DecodeReport
	}
	report, err := form(r.Value)
	if err != nil {
		return Report{Record: r, Err: fmt.Errorf("%s/%d at %d is no report: %w", r.Topic, r.Partition, r.Offset, err)}
	}
	return Report{Record: r, Report: report}
}
