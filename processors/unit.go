package processors

import (
	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/engine"
)

// unit is the state of one input partition of a group: what the two groups
// have in common for the gate. The caller holds the claim's lock.
type unit interface {
	// restore takes a row of the table topic, in the order of the log.
	restore(r *kgo.Record) error
	// recovered is told once all rows are restored, with the bounds of the
	// partition's log. fresh: the state is about another log; start over.
	recovered(b logBounds) (fresh bool, err error)
	// rests tells what the restored rows rest on: the first offset that counted
	// and the next that does not yet, -1 where no row says so.
	rests() (from, next int64)
	// lost tells that reading goes on at offset to, because the log starts there
	// by now, and that nothing from offset from on was read.
	lost(from, to int64)
	// truncated tells that the log has ended at offset to: what was read from
	// there on is gone, and others come in its place.
	truncated(to int64)
	// consume takes records in order. An error ends the run.
	consume(records []*kgo.Record) error
	// progress tells where reading stands, at least once a second: next is the
	// next offset to read, end the readable end.
	progress(next, end int64)
	// sweep tells the clock, once a second.
	sweep()
	// stands tells for the status, once a second and after sweep, where reading
	// stands: the readable end, and the records up to there, -1: unknown.
	stands(end, lag int64)
	// goesOn tells that input which was held on purpose flows again.
	goesOn()
	// close is told once when everything up to the fixed end has been consumed.
	close()
	// urgent reports whether a checkpoint should follow soon.
	urgent() bool
	// take gives what is not durable yet, nil when there is nothing.
	take() (*batch, error)
	// giveBack returns a batch that did not become durable.
	giveBack(*batch)
	// settle is told that a batch has become durable, with where reading stands.
	settle(b *batch, end, lag int64)
}

// batch is what one checkpoint makes durable for one claim, in this order:
// first all of ahead, then rows, then next as the committed offset.
type batch struct {
	closing bool // taken after the unit was told that its input is over
	claim   *claim
	next    int64                     // -1: no offset to commit
	rewind  int64                     // where the group's offset goes back to before the rows are written, -1: nowhere
	epoch   int32                     // leader epoch of the record before next, -1: unknown
	ahead   []*sarama.ProducerMessage // reports, dead letters, statistics
	rows    []*sarama.ProducerMessage
	steps   []int // rows from each of these on wait until all before are durable
	reports []*engine.Report
	inner   any // the unit's own
}

// thenRows has the rows that follow wait for those before. A transaction needs
// no such steps; without one any row may be the only one that was written.
func (b *batch) thenRows() { b.steps = append(b.steps, len(b.rows)) }

// rowSteps are the rows of all batches in steps, each to be durable before the
// next.
func rowSteps(batches []*batch) (steps [][]*sarama.ProducerMessage) {
	for _, b := range batches {
		from := 0
		for i, to := range append(b.steps[:len(b.steps):len(b.steps)], len(b.rows)) {
			if i == len(steps) {
				steps = append(steps, nil)
			}
			steps[i] = append(steps[i], b.rows[from:to]...)
			from = to
		}
	}
	return steps
}
