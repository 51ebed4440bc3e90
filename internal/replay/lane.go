package replay

import (
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/kafka"
)

const (
	// chunkReports is how many reports a partition makes at most before they are
	// handed on.
	chunkReports = 128
	// runChunks bounds what one turn of a worker makes of a partition.
	runChunks = 64
	// behindTo is how many records in a row at or behind a time that ends the
	// range end a partition. Record times of a topic need not ascend, so the
	// first such record does not; one wrong record time must not either.
	behindTo = 10_000
	// pastTo is how far behind that time they must lie.
	pastTo = int64(60e9)
)

// chunk is what a partition has come to between two places that follow from
// its records alone: the closing of a window, a number of reports, its end.
// So the order in which chunks are merged does not depend on how records were
// fetched.
type chunk struct {
	key  int64 // greatest record time of the partition up to here
	snap *engine.Snapshot
	at   position
	last bool
}

// position is where the reading of a partition stands.
type position struct {
	Next   int64 `json:"next"`   // next offset to read
	Time   int64 `json:"time"`   // time of the record read last
	Behind int   `json:"behind"` // records in a row behind the range
	Ended  bool  `json:"ended"`
}

// lane is one partition of the topic that is read. What its worker needs is
// its own; the rest is guarded by the flow's lock.
type lane struct {
	span
	topic string
	o     *Options
	judge *engine.Partition
	ticks *codecs.TickReader
	rec   codecs.Record
	spent kafka.Spent
	at    position
	timed bool // the range is one of times

	// guarded by flow.mu
	queue   []batch
	queued  int64
	chunks  []*chunk
	read    int64 // offset up to which records have come
	seen    int64 // offset up to which records are judged
	busy    bool  // a worker has it
	ready   bool  // it waits for a worker
	paused  bool
	over    bool // nothing will come any more: the end is reached by position
	drained bool // the last chunk is made
}

// take judges records until they are over, the lane's end is reached or enough
// chunks are made, and gives their memory back. It returns what is left.
func (l *lane) take(records []*kgo.Record, out []*chunk) ([]*kgo.Record, []*chunk, error) {
	for i, r := range records {
		if l.at.Ended {
			return nil, out, nil
		}
		if r.Offset >= l.End {
			l.at.Ended = true
			return nil, out, nil
		}
		l.at.Next = r.Offset + 1
		if !r.Attrs.IsControl() {
			if err := l.record(r); err != nil {
				return nil, out, err
			}
		}
		l.spent.Give(r)
		l.at.Ended = l.at.Ended || l.at.Next >= l.End
		if n := l.judge.Waiting(); n > 0 && (n >= chunkReports || l.judge.WindowClosed()) {
			if out = append(out, l.cut()); len(out) >= runChunks {
				return records[i+1:], out, nil
			}
		}
	}
	l.spent.End()
	return nil, out, nil
}

// record judges one record that is selected, and every further tick of it.
func (l *lane) record(r *kgo.Record) error {
	kafka.ReadRecord(r, &l.rec)
	t := l.ticks.Read(&l.rec)
	if t.Reason == engine.ReasonSchemaAway {
		return fmt.Errorf("schema of %s/%d at offset %d: %w", l.topic, l.Partition, t.Offset, codecs.ErrSchemaAway)
	}
	if l.timed && !l.inTime(t) {
		return nil
	}
	for ; t != nil; t = l.ticks.Next() {
		if !l.o.selectsSymbol(t) {
			l.ticks.Skip()
			continue
		}
		if l.o.StopOnBad && (t.Kind == engine.Unreadable || t.Kind == engine.Unusable) {
			return &BadRecord{Place: engine.Place{Topic: l.topic, Partition: l.Partition, Offset: t.Offset}, Kind: t.Kind, Reason: t.Reason}
		}
		l.judge.Observe(t, engine.NoTime)
	}
	return nil
}

// inTime says whether the record's own time lies in the range, and ends the
// lane when that has not been so for long.
func (l *lane) inTime(t *engine.Tick) bool {
	l.at.Time = timeOf(t, l.at.Time)
	if to := l.o.To; to.set && !to.offset {
		if l.at.Time >= to.value && l.at.Time-to.value >= pastTo {
			if l.at.Behind++; l.at.Behind >= behindTo {
				l.at.Ended = true
			}
		} else {
			l.at.Behind = 0
		}
	}
	return l.o.selects(l.at.Time, t.Offset)
}

// cut makes a chunk of what was judged since the last.
func (l *lane) cut() *chunk {
	s := l.judge.Snapshot()
	return &chunk{key: s.PartitionRow.Watermark, snap: s, at: l.at}
}

// finish makes the last chunk. The partition holds up no window any more.
func (l *lane) finish() *chunk {
	l.judge.EndWindow()
	c := l.cut()
	c.last, c.snap.Stats.CaughtUp = true, true
	return c
}
