package replay

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"time"

	"github.com/auditstream/auditstream/codecs"
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
	all, state, err := c.ranges(ctx, &o)
	if err != nil {
		return err
	}
	if err := checkConsumed(all, o.Consumed); err != nil {
		return err
	}
	var p Progress
	for _, h := range all {
		for i := range h.spans {
			p.Total += h.spans[i].End - h.spans[i].Start
		}
	}
	for _, h := range all {
		t := &topicReplay{cluster: &c, o: &o, history: h, progress: &p}
		if h.state != nil && h.state.Ended {
			p.Done += t.size()
			continue
		}
		if o.Resume != nil {
			t.merge.saver = newSaver(o.Resume, state, h.state)
		}
		if err := t.run(ctx); err != nil {
			return fmt.Errorf("%s: %w", h.topic, err)
		}
	}
	if o.Resume == nil {
		return nil
	}
	state.Ended = true
	return state.save(o.Resume.Path)
}

// ranges are what is read: what a resume file has fixed, or else what the
// options select now.
func (c *Cluster) ranges(ctx context.Context, o *Options) ([]history, *State, error) {
	if o.State != nil {
		details, err := c.Admin.ListTopics(ctx, o.Topics...)
		if err != nil {
			return nil, nil, fmt.Errorf("describe topics: %w", err)
		}
		all, err := o.State.histories(func(topic string) [16]byte { return details[topic].ID })
		return all, o.State, err
	}
	all, err := c.offsets(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	for _, h := range all {
		for i := range h.spans {
			h.spans[i].note(h.topic, o)
		}
	}
	if o.Resume == nil {
		return all, nil, nil
	}
	state := newState(o.Resume, all)
	for i := range all {
		all[i].state = state.Topics[i]
	}
	return all, state, state.write(o.Resume) // what is read is fixed from here on
}

func checkConsumed(all []history, consumed map[int32]int64) error {
	if len(all) > 1 && len(consumed) > 0 {
		return invalidf("consumed offsets are of one topic, and %d are replayed", len(all))
	}
	for _, h := range all {
		for id := range consumed {
			if id >= h.partitions {
				return invalidf("consumed offsets: %s has no partition %d, it has %s", h.topic, id, engine.Plural(int64(h.partitions), "partition"))
			}
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
	r := &reader{c: t.cluster, o: t.o, topic: t.history.topic, topicID: t.history.topicID}
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
	if ctx.Err() != nil && t.merge.saver != nil {
		err = errors.Join(err, t.merge.saver.save())
	}
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("stopped after %d of %d offsets: %w", t.progress.Done, t.progress.Total, err)
	}
	if err != nil || !merged {
		return err
	}
	return t.finish()
}

// size is how many offsets are read.
func (t *topicReplay) size() (n int64) {
	for _, s := range t.history.spans {
		n += s.End - s.Start
	}
	return n
}

// prepare makes the lanes.
func (t *topicReplay) prepare() error {
	h := &t.history
	t.topic = engine.NewTopic(h.topic, h.partitions, &t.o.Limits)
	t.merge.topic, t.merge.report = t.topic, t.o.Report
	for _, s := range h.spans {
		if s.Start >= s.End {
			continue
		}
		decoder, err := t.o.Decoder()
		if err != nil {
			return err
		}
		t.lanes = append(t.lanes, &lane{
			span: s, topic: h.topic, o: t.o, ticks: codecs.NewTickReader(decoder, t.o.Limits.ProducerHeader),
			judge: engine.NewPartition(h.topic, s.Partition, h.partitions, &t.o.Limits),
			at:    position{Next: s.Start, Time: engine.NoTime}, read: s.Start, seen: s.Start,
			timed: t.o.From.set && !t.o.From.offset || t.o.To.set && !t.o.To.offset,
		})
	}
	if h.state != nil {
		if err := t.restore(h.state); err != nil {
			return err
		}
	}
	t.absent()
	for _, l := range t.lanes {
		if !l.at.Ended {
			t.merge.heads = append(t.merge.heads, &head{lane: l})
		}
	}
	return nil
}

// absent tells the topic which partitions have no record in the range, so that
// its windows do not wait for them.
func (t *topicReplay) absent() {
	next := 0
	for id := range t.history.partitions {
		if next < len(t.lanes) && t.lanes[next].Partition == id {
			next++
			continue
		}
		t.topic.Fold(absentStats(t.history.topic, id, t.history.partitions))
	}
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

// finish closes every partition at the time to which all have come, judges consumed
// offsets and writes the FINAL report.
func (t *topicReplay) finish() error {
	var all []*engine.Partition
	for _, l := range t.lanes {
		all = append(all, l.judge)
	}
	latest := engine.Reached(all)
	for _, l := range t.lanes {
		l.judge.Close(latest)
		if err := t.merge.fold(l, l.cut()); err != nil {
			return err
		}
	}
	if err := t.final(latest); err != nil || t.merge.saver == nil {
		return err
	}
	return t.merge.saver.end()
}

func (t *topicReplay) final(latest int64) error {
	ends := map[int32]int64{}
	for id := range t.history.partitions {
		ends[id] = 0
	}
	for _, s := range t.history.spans {
		ends[s.Partition] = s.End
	}
	if samples := t.samples(ends); len(samples) > 0 {
		t.topic.ObserveLag(samples, latest)
	}
	t.topic.Final(t.finalID(ends))
	return t.merge.write(t.topic.Snapshot().Reports)
}

// samples holds consumed offsets against the ends of the range.
func (t *topicReplay) samples(ends map[int32]int64) []engine.LagSample {
	samples := make([]engine.LagSample, 0, len(t.o.Consumed))
	for _, s := range t.history.spans {
		if offset, ok := t.o.Consumed[s.Partition]; ok {
			samples = append(samples, engine.LagSample{
				Group: "consumed", Partition: s.Partition, Committed: offset, Start: s.First, End: ends[s.Partition], Members: engine.Unknown,
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
