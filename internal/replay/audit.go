package replay

import (
	"cmp"
	"maps"
	"slices"

	"github.com/auditstream/auditstream/engine"
)

// flushEvery is how many records of a partition are judged before what they
// gave is reported and folded.
const flushEvery = 1024

// audit is the state of one topic.
type audit struct {
	name   string
	topic  *engine.Topic
	limits *engine.Limits
	count  int32 // partitions of the topic
	parts  map[int32]*part
	report func(*engine.Report) error
}

// part is the state of one partition.
type part struct {
	*engine.Partition
	at      int64 // time of the record read last
	end     int64 // offset behind the last record that the file shows
	pending int   // records judged since the last flush
}

func newAudit(name string, partitions int32, l *engine.Limits, report func(*engine.Report) error) *audit {
	return &audit{
		name: name, topic: engine.NewTopic(name, partitions, l), limits: l, count: partitions,
		parts: map[int32]*part{}, report: report,
	}
}

// absent tells the topic which partitions have no record in the file, so that
// its windows do not wait for them.
func (a *audit) absent(shown func(int32) bool) {
	for id := range a.count {
		if !shown(id) {
			a.topic.Fold(absentStats(a.name, id, a.count))
		}
	}
}

// absentStats are the statistics of a partition without a record.
func absentStats(topic string, id, partitions int32) *engine.PartitionStats {
	return &engine.PartitionStats{
		Topic: topic, Partition: id, Partitions: partitions, From: -1, Through: -1, CaughtUp: true,
		Watermark: engine.NoTime, FirstTime: engine.NoTime, MaxAge: engine.NoTime, Passed: engine.NoTime,
	}
}

func (a *audit) part(id int32) *part {
	p := a.parts[id]
	if p == nil {
		p = &part{Partition: engine.NewPartition(a.name, id, a.count, a.limits), at: engine.NoTime}
		a.parts[id] = p
	}
	return p
}

// observe judges a tick.
func (a *audit) observe(p *part, t *engine.Tick) {
	p.Observe(t, engine.NoTime)
	p.pending++
}

// flushSome flushes when enough is pending. It is called between records.
func (a *audit) flushSome(p *part) error {
	if p.pending < flushEvery {
		return nil
	}
	return a.flush(p)
}

// flush reports what a partition has come to and folds it into the topic.
func (a *audit) flush(p *part) error {
	p.pending = 0
	s := p.Snapshot()
	if err := a.write(s.Reports); err != nil {
		return err
	}
	a.topic.Fold(s.Stats)
	return a.write(a.topic.Snapshot().Reports)
}

func (a *audit) write(reports []*engine.Report) error {
	for _, r := range reports {
		if err := a.report(r); err != nil {
			return err
		}
	}
	return nil
}

// finish closes every partition at the end of the input, judges the consumed
// offsets and writes the FINAL report.
func (a *audit) finish(consumed map[int32]int64) error {
	var all []*engine.Partition
	for _, p := range a.parts {
		all = append(all, p.Partition)
	}
	latest := engine.Reached(all)
	for _, id := range slices.Sorted(maps.Keys(a.parts)) {
		p := a.parts[id]
		p.Close(latest)
		if err := a.flush(p); err != nil {
			return err
		}
	}
	if samples := a.samples(consumed); len(samples) > 0 {
		a.topic.ObserveLag(samples, latest)
	}
	ends := map[int32]int64{}
	for id := range a.count {
		ends[id] = 0
		if p := a.parts[id]; p != nil {
			ends[id] = p.end
		}
	}
	a.topic.Final(engine.FinalID(ends))
	return a.write(a.topic.Snapshot().Reports)
}

// samples holds consumed offsets against the ends that the file shows. The
// start of the log is not in the file.
func (a *audit) samples(consumed map[int32]int64) []engine.LagSample {
	samples := make([]engine.LagSample, 0, len(consumed))
	for id, offset := range consumed {
		s := engine.LagSample{
			Group: "consumed", Partition: id, Committed: offset, Start: engine.Unknown, Members: engine.Unknown,
		}
		if p := a.parts[id]; p != nil {
			s.End = p.end
		}
		samples = append(samples, s)
	}
	slices.SortFunc(samples, func(x, y engine.LagSample) int { return cmp.Compare(x.Partition, y.Partition) })
	return samples
}
