//go:build !race

package processors

import (
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// simWait lets the simulation's time pass.
func simWait(d time.Duration) { <-time.After(d) }

// simLog is one partition's log, as its leader keeps it.
type simLog struct {
	place
	records []*kgo.Record // by offset; nil where compaction has emptied it
	owners  []*simTxn     // of the transaction, nil: of none
	open    map[*simTxn]int64
}

func newSimLog(p place) *simLog { return &simLog{place: p, open: map[*simTxn]int64{}} }

func (l *simLog) append(r *kgo.Record, txn *simTxn) int64 {
	c := *r
	c.Topic, c.Partition, c.Offset = l.topic, l.partition, l.end()
	if c.Timestamp.IsZero() {
		c.Timestamp = time.Now()
	}
	if txn != nil && !c.Attrs.IsControl() {
		if _, known := l.open[txn]; !known {
			l.open[txn] = c.Offset
		}
	}
	l.records, l.owners = append(l.records, &c), append(l.owners, txn)
	return c.Offset
}

var simControl = kgo.NewRecordAttrs(kgo.RecordAttrsOpts{Control: true, Transactional: true})

// mark writes the marker that ends a transaction here.
func (l *simLog) mark(txn *simTxn) {
	l.append(&kgo.Record{Attrs: simControl}, txn)
	delete(l.open, txn)
}

func (l *simLog) end() int64 { return int64(len(l.records)) }

// stable is the last stable offset: that of the first record whose
// transaction has not ended here.
func (l *simLog) stable() int64 {
	stable := l.end()
	for _, first := range l.open {
		stable = min(stable, first)
	}
	return stable
}

func (l *simLog) aborted(offset int64) bool {
	txn := l.owners[offset]
	return txn != nil && txn.aborted && !l.records[offset].Attrs.IsControl()
}

// read gives up to most committed records from an offset on, markers
// included, and the offset at which to go on.
func (l *simLog) read(from int64, most int) (records []*kgo.Record, next int64) {
	stable := l.stable()
	for from < stable && len(records) < most {
		if l.records[from] != nil && !l.aborted(from) {
			r := *l.records[from]
			records = append(records, &r)
		}
		from++
	}
	return records, from
}

// values are the committed records without markers.
func (l *simLog) values() (records []*kgo.Record) {
	all, _ := l.read(0, len(l.records))
	for _, r := range all {
		if !r.Attrs.IsControl() {
			records = append(records, r)
		}
	}
	return records
}

// compact keeps the last committed record of each key, as the cleaner does.
func (l *simLog) compact() {
	stable := l.stable()
	kept := map[string]bool{}
	for i := stable - 1; i >= 0; i-- {
		r := l.records[i]
		if r == nil || r.Attrs.IsControl() {
			continue
		}
		if key := string(r.Key); l.aborted(i) || kept[key] {
			l.records[i] = nil
		} else {
			kept[key] = true
		}
	}
}

// rows is the table that the log stands for.
func (l *simLog) rows() map[string]string {
	rows := map[string]string{}
	for _, r := range l.values() {
		if r.Value == nil {
			delete(rows, string(r.Key))
		} else {
			rows[string(r.Key)] = string(r.Value)
		}
	}
	return rows
}
