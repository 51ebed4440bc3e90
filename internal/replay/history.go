package replay

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"time"

	"github.com/auditstream/auditstream/engine"
)

// RunHistory audits what the cluster holds of the topics within the range, as
// it stands at the call, one topic after another. The last report of each is
// its FINAL one; after an error there is none.
//
// Two runs over the same records give the same reports in the same order: what
// a partition reports follows from its records, and partitions are merged by
// record time and number.
func RunHistory(ctx context.Context, c Cluster, o Options) error {
	o.Limits.Replay = true
	if o.filtered() {
		o.Limits.PartitionSkewMin = math.MaxInt64 // a part of the load is no measure
	}
	all, err := c.offsets(ctx, &o)
	if err != nil {
		return err
	}
	if len(all) > 1 && len(o.Consumed) > 0 {
		return invalidf("consumed offsets are of one topic, and %d are replayed", len(all))
	}
	var p Progress
	for _, h := range all {
		for id := range o.Consumed {
			if id >= h.partitions {
				return invalidf("consumed offsets: %s has no partition %d, it has %d partitions", h.topic, id, h.partitions)
			}
		}
		for i := range h.spans {
			h.spans[i].note(&o)
			p.Total += h.spans[i].end - h.spans[i].start
		}
	}
	for _, h := range all {
		t := &topicReplay{cluster: &c, o: &o, history: h, progress: &p}
		if err := t.run(ctx); err != nil {
			return fmt.Errorf("%s: %w", h.topic, err)
		}
	}
	return nil
}

// topicReplay is the replay of one topic.
type topicReplay struct {
	cluster  *Cluster
	o        *Options
	history  history
	progress *Progress

	topic *engine.Topic
	lanes []*lane
	merge merge
}

func (t *topicReplay) run(ctx context.Context) error {
	if err := t.prepare(); err != nil {
		return err
	}
	r := &reader{c: t.cluster, o: t.o, topic: t.history.topic}
	f := newFlow(t.lanes, r.pause, r.resume)
	r.flow, t.merge.flow = f, f
	if err := r.open(t.lanes); err != nil {
		return err
	}
	defer r.client.Close()
	done := t.watch(f)
	merged := false
	err := f.run(ctx, runtime.GOMAXPROCS(0), r.read, func() (err error) {
		merged, err = t.merge.run()
		return err
	})
	t.progress.Done += done()
	if err != nil || !merged {
		return err
	}
	return t.finish()
}

// prepare makes the lanes. Partitions without a record in the range are told
// to the topic first, so that its windows do not wait for them.
func (t *topicReplay) prepare() error {
	h := &t.history
	t.topic = engine.NewTopic(h.topic, h.partitions, &t.o.Limits)
	t.merge = merge{topic: t.topic, latest: engine.NoTime, report: t.o.Report}
	spans := map[int32]span{}
	for _, s := range h.spans {
		spans[s.partition] = s
	}
	for id := range h.partitions {
		s, ok := spans[id]
		if !ok || s.start >= s.end {
			t.topic.Fold(absentStats(h.topic, id, h.partitions))
			continue
		}
		decoder, err := t.o.Decoder()
		if err != nil {
			return err
		}
		l := &lane{
			span: s, o: t.o, decoder: decoder, judge: engine.NewPartition(h.topic, id, h.partitions, &t.o.Limits),
			at: position{Next: s.start, Time: engine.NoTime}, read: s.start, seen: s.start,
			timed: t.o.From.set && !t.o.From.offset || t.o.To.set && !t.o.To.offset,
		}
		t.lanes = append(t.lanes, l)
		t.merge.heads = append(t.merge.heads, &head{lane: l})
	}
	return nil
}

// watch tells the progress every now and then until the returned function is
// called, which gives the offsets done.
func (t *topicReplay) watch(f *flow) (end func() int64) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		ticker := time.NewTicker(200 * time.Millisecond)
		defer ticker.Stop()
		for t.o.Progress != nil {
			select {
			case <-stop:
				return
			case <-ticker.C:
				t.o.Progress(Progress{t.progress.Done + f.progress(), t.progress.Total})
			}
		}
	}()
	return func() int64 {
		close(stop)
		<-stopped
		return f.progress()
	}
}

// finish closes every partition at the greatest time of all, judges consumed
// offsets and writes the FINAL report.
func (t *topicReplay) finish() error {
	for _, l := range t.lanes {
		l.judge.Close(t.merge.latest)
		if err := t.merge.fold(l, l.cut()); err != nil {
			return err
		}
	}
	ends := map[int32]int64{}
	for id := range t.history.partitions {
		ends[id] = 0
	}
	for _, s := range t.history.spans {
		ends[s.partition] = s.end
	}
	if samples := t.samples(ends); len(samples) > 0 {
		t.topic.ObserveLag(samples, t.merge.latest)
	}
	t.topic.Final(t.finalID(ends))
	return t.merge.write(t.topic.Snapshot().Reports)
}

// samples holds consumed offsets against the ends of the range.
func (t *topicReplay) samples(ends map[int32]int64) []engine.LagSample {
	samples := make([]engine.LagSample, 0, len(t.o.Consumed))
	for _, s := range t.history.spans {
		if offset, ok := t.o.Consumed[s.partition]; ok {
			samples = append(samples, engine.LagSample{
				Group: "consumed", Partition: s.partition, Committed: offset, Start: s.first, End: ends[s.partition], Members: engine.Unknown,
			})
		}
	}
	return samples
}

// finalID is that of a live audit which has come as far, unless only a part of
// the topic is replayed.
func (t *topicReplay) finalID(ends map[int32]int64) string {
	id := engine.FinalID(ends)
	if t.o.From.set || t.o.To.set || t.o.filtered() {
		id += fmt.Sprint("/", t.o.From, t.o.To, t.o.OnlyPartitions, t.o.OnlySymbols)
	}
	return id
}
