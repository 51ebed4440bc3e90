package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/capture"
)

// lookEvery is how many records pass between two looks at the context.
const lookEvery = 8192

// replay is one run.
type replay struct {
	Options
	in      *capture.Input
	limits  engine.Limits
	audits  []*audit
	byTopic map[string]*audit
	records int64
	again   int64 // records at or below an offset that was read before
}

// Run audits the input. The last report of each topic is its FINAL one; after
// an error there is none.
func Run(ctx context.Context, in *capture.Input, o Options) error {
	r := &replay{Options: o, in: in, limits: o.Limits, byTopic: map[string]*audit{}}
	r.limits.Replay = true
	if o.filtered() {
		r.limits.PartitionSkewMin = math.MaxInt64 // a part of the load is no measure
	}
	r.limits.TimestampType = in.Summary.TimestampType
	if err := r.prepare(); err != nil {
		return err
	}
	if err := r.read(ctx); err != nil {
		return err
	}
	for _, a := range r.audits {
		if err := a.finish(r.Consumed); err != nil {
			return err
		}
	}
	return nil
}

// prepare finds the topics to audit and their partition counts.
func (r *replay) prepare() error {
	if r.in.Bare {
		if len(r.Topics) > 1 {
			r.Note("%s: the file names no topic; its ticks are taken for those of %s", r.in.Name, r.Topics[0])
		}
		return r.add(r.Topics[0], "", DefaultPartitions)
	}
	shown := r.in.Summary.Topics
	if len(shown) == 0 { // no line says which record it is
		return r.add(r.Topics[0], r.Topics[0], DefaultPartitions)
	}
	topics := slices.DeleteFunc(slices.Clone(r.Topics), func(t string) bool { return !r.in.Summary.Shows(t) })
	if len(topics) == 0 {
		if len(shown) > 1 || len(r.Topics) > 1 {
			return invalidf("%s holds records of %s, none of which is among topics (%s)",
				r.in.Name, strings.Join(shown, ", "), strings.Join(r.Topics, ", "))
		}
		r.Note("%s holds records of %s and is audited as that, not as %s", r.in.Name, shown[0], r.Topics[0])
		topics = shown
	}
	if len(topics) > 1 && len(r.Consumed) > 0 {
		return invalidf("consumed offsets are of one topic, and the input holds %s", strings.Join(topics, ", "))
	}
	for _, t := range topics {
		if err := r.add(t, t, r.in.Summary.Partitions[t]); err != nil {
			return err
		}
	}
	for _, t := range shown {
		if r.byTopic[t] == nil {
			r.Note("%s: records of %s are left out, since it is not among topics", r.in.Name, t)
		}
	}
	return nil
}

// add starts the audit of a topic, whose records the file marks with mark.
func (r *replay) add(name, mark string, shown int32) error {
	count := shown
	if r.Partitions > 0 {
		if count = r.Partitions; count < shown && !r.in.Bare {
			return invalidf("%s, line %d, shows partition %d of %s, but the partitions that were given are %d", r.in.Name, r.in.Summary.Widest[mark], shown-1, name, count)
		}
	}
	if count > capture.MaxPartitions {
		return invalidf("%s with %d partitions is more than a replay takes, which is %d", name, count, capture.MaxPartitions)
	}
	for id := range r.Consumed {
		if id >= count {
			return invalidf("consumed offsets: %s has no partition %d, it has %s", name, id, engine.Plural(int64(count), "partition"))
		}
	}
	a := newAudit(name, count, &r.limits, r.Report)
	if !r.in.Bare {
		a.absent(func(id int32) bool { return r.in.Summary.ShowsPartition(mark, id) })
	}
	r.audits = append(r.audits, a)
	r.byTopic[mark] = a
	return nil
}

// open starts reading.
func (r *replay) open() (*capture.Reader, error) {
	values, err := r.Decoder()
	if err != nil {
		return nil, err
	}
	symbols := values
	if r.Symbols != nil {
		if symbols, err = r.Symbols(); err != nil {
			return nil, err
		}
	}
	return r.in.Records(values, capture.Placing{Hash: r.Hash, Partitions: r.audits[0].count, Symbols: symbols, Producer: r.limits.ProducerHeader})
}

// read judges every record of the file that is selected.
func (r *replay) read(ctx context.Context) error {
	in, err := r.open()
	if err != nil {
		return err
	}
	defer in.Close()
	var rec capture.Record
	for {
		if r.records%lookEvery == 0 {
			if err := ctx.Err(); err != nil {
				return fmt.Errorf("%s: stopped after %s: %w", r.in.Name, engine.Plural(r.records, "record"), err)
			}
			if r.Progress != nil {
				r.Progress(Progress{Done: r.records})
			}
		}
		err := in.Next(&rec)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("%s: %w", r.in.Name, err)
		}
		r.records++
		if err := r.record(in, &rec); err != nil {
			return fmt.Errorf("%s: %w", r.in.Name, err)
		}
	}
	return r.tellDamage(in)
}

// record judges a record that is selected, and every further tick of it.
func (r *replay) record(in *capture.Reader, rec *capture.Record) error {
	a := r.byTopic[rec.Topic]
	if a == nil {
		return nil
	}
	p, t := a.part(rec.Partition), rec.Tick
	if t.Reason == engine.ReasonSchemaAway {
		return fmt.Errorf("schema of partition %d at offset %d: %w", rec.Partition, t.Offset, codecs.ErrSchemaAway)
	}
	p.end = max(p.end, t.Offset+1)
	p.at = timeOf(t, p.at)
	if !r.selects(p.at, t.Offset) || len(r.OnlyPartitions) > 0 && !slices.Contains(r.OnlyPartitions, rec.Partition) {
		return nil
	}
	again := t.Offset <= p.Through()
	counted := false
	for ; t != nil; t = in.NextTick() {
		if !r.selectsSymbol(t) {
			in.SkipTick()
			continue
		}
		if r.StopOnBad && (t.Kind == engine.Unreadable || t.Kind == engine.Unusable) {
			return &BadRecord{engine.Place{Topic: a.name, Partition: rec.Partition, Offset: t.Offset}, rec.Line, t.Kind, t.Reason}
		}
		if again {
			if !counted {
				r.again++
			}
			counted = true
			p.ObserveAgain(t, engine.NoTime)
			continue
		}
		a.observe(p, t)
	}
	return a.flushSome(p)
}

// tellDamage tells what of the file could not be audited: in the reports too,
// since who reads those must know that they are about a part.
func (r *replay) tellDamage(in *capture.Reader) error {
	a := r.audits[0]
	if lines, first := in.Lost(); lines > 0 {
		what := "lines left out that are no records"
		if lines == 1 {
			what = "line left out that is no record"
		}
		r.Note("%s: %d %s, the first is line %d", r.in.Name, lines, what, first)
		a.topic.Damaged(r.in.Name, lines, first)
	}
	if in.CutShort() {
		r.Note("%s: the packed file ends in the middle", r.in.Name)
		a.topic.Damaged(r.in.Name, 0, 0)
	}
	if r.again > 0 {
		r.Note("%s: %s at or before an offset of the same partition that was read: counted as duplicates and judged no further", r.in.Name, engine.Plural(r.again, "record"))
	}
	return a.write(a.topic.Snapshot().Reports)
}
