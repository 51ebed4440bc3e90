package engine

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// BatchTick is a tick of the batch audit.
type BatchTick struct {
	Symbol         string
	TimestampNanos int64 // event time, nanoseconds since the epoch
}

// Auditor audits batches of ticks, each with one call, without a broker. It
// keeps each symbol's last timestamp and each partition's end between calls.
// It has no lock.
type Auditor struct {
	Topic string // named in reports and in the ids of findings; may stay empty

	partitions int32
	hash       Hash
	limits     Limits
	batches    int64
	last       map[string]order
	ends       []int64
}

// NewAuditor is an auditor of a topic of that many partitions whose records
// are placed by the hash of their symbol.
func NewAuditor(partitions int32, h Hash, l Limits) (*Auditor, error) {
	if partitions <= 0 {
		return nil, fmt.Errorf("a topic of %d partitions holds no ticks", partitions)
	}
	if h.Partition(nil, 1) < 0 {
		return nil, fmt.Errorf("hash %v places no symbol", h)
	}
	if l.Partitioner == "" || l.Partitioner == "auto" {
		l.Partitioner = h.String()
	}
	return &Auditor{
		partitions: partitions, hash: h, limits: l, last: map[string]order{},
		ends: make([]int64, partitions),
	}, nil
}

// End is the offset after the last tick of a partition; 0 before the first
// and for a partition that the topic does not have.
func (a *Auditor) End(partition int32) int64 {
	if partition < 0 || partition >= a.partitions {
		return 0
	}
	return a.ends[partition]
}

// Audit judges a batch, in the order given, and returns its report:
//
//  1. The whole batch is checked first. An empty symbol, a timestamp that is
//     not positive, a clock that is not either, a consumed offset that is negative or of an
//     unknown partition refuse all of it; nothing is changed then.
//  2. Ticks get their partition by the hash of the symbol's bytes and the next
//     offset of that partition.
//  3. Lag is end minus consumed over all partitions that consumed names. Above
//     MaxLagTicks it is CONSUMER_LAG; an offset beyond the end is
//     OFFSET_INCONSISTENCY and counts as a lag of 0.
//  4. Against now, unless it is NoTime, every tick is judged: ahead of it by
//     more than ClockSkewTolerance is CLOCK_SKEW, older than MaxTickAge is
//     STALE_TICK. An old tick does not hide one that is ahead.
//  5. Skew is busiest ÷ mean load of the batch over all partitions. It is not
//     judged with fewer symbols than partitions, nor below PartitionSkewMin.
//  6. A tick strictly older than its symbol's last one is out of order. Ticks
//     far ahead of now are ordered among themselves.
//
// The report's counts are those of the batch, its status is the most severe
// that holds. Errors name every fault of the batch, at most eight.
func (a *Auditor) Audit(ticks []BatchTick, consumed map[int32]int64, now int64) (*Report, error) {
	if err := a.check(ticks, consumed, now); err != nil {
		return nil, err
	}
	b := newBatch(a, now)
	for i := range ticks {
		b.judge(&ticks[i])
	}
	b.judgeOffsets(consumed)
	b.judgeSkew()
	a.batches++
	return b.finish(), nil
}

func (a *Auditor) check(ticks []BatchTick, consumed map[int32]int64, now int64) error {
	var faults []error
	if now <= 0 && now != NoTime {
		faults = append(faults, fmt.Errorf("the clock %d is not positive", now))
	}
	for i := range ticks {
		switch t := &ticks[i]; {
		case len(faults) == 8:
		case t.Symbol == "":
			faults = append(faults, fmt.Errorf("tick %d has an empty symbol", i))
		case t.TimestampNanos <= 0:
			faults = append(faults, fmt.Errorf("tick %d of symbol %s has the timestamp %d, which is not positive", i, ShowBytes(t.Symbol), t.TimestampNanos))
		}
	}
	for _, id := range sortedKeys(consumed) {
		switch offset := consumed[id]; {
		case len(faults) == 8:
		case id < 0 || id >= a.partitions:
			faults = append(faults, fmt.Errorf("consumed offset of partition %d: the topic has partitions 0 to %d", id, a.partitions-1))
		case offset < 0:
			faults = append(faults, fmt.Errorf("consumed offset %d of partition %d is negative", offset, id))
		}
	}
	if len(faults) == 0 {
		return nil
	}
	return fmt.Errorf("batch refused, nothing was changed: %w", errors.Join(faults...))
}

func sortedKeys(m map[int32]int64) []int32 {
	ids := make([]int32, 0, len(m))
	for id := range m {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// batch is one call of Audit.
type batch struct {
	*Auditor
	now      int64
	report   *Report
	loads    []int64
	symbols  map[string]batchLoad
	first    int64 // least and greatest timestamp
	latest   int64
	maxAge   int64
	episodes map[Code]*Finding
	late     map[string]*Finding
	listed   []Finding
}

type batchLoad struct {
	partition int32
	ticks     int64
	disorder  int64
}

func newBatch(a *Auditor, now int64) *batch {
	b := &batch{
		Auditor: a, now: now, report: a.limits.newReport(a.Topic, TriggerFinal),
		loads: make([]int64, a.partitions), symbols: map[string]batchLoad{},
		first: NoTime, latest: NoTime, maxAge: NoTime, episodes: map[Code]*Finding{}, late: map[string]*Finding{},
	}
	b.report.ID = reportID(a.Topic, "TOPIC", "BATCH", strconv.FormatInt(a.batches, 10))
	return b
}

// judge judges one tick and counts it.
func (b *batch) judge(t *BatchTick) {
	load, known := b.symbols[t.Symbol]
	if !known {
		load.partition = b.hash.Partition([]byte(t.Symbol), b.partitions)
	}
	offset := b.ends[load.partition]
	b.ends[load.partition]++
	b.loads[load.partition]++
	load.ticks++
	at := t.TimestampNanos
	if b.first == NoTime || at < b.first {
		b.first = at
	}
	b.latest = max(b.latest, at)
	if b.now != NoTime {
		b.judgeClock(t, load.partition, offset)
	}
	if b.judgeOrder(t, load.partition, offset) {
		load.disorder++
	}
	b.symbols[t.Symbol] = load
}

func (b *batch) judgeClock(t *BatchTick, partition int32, offset int64) {
	age := b.now - t.TimestampNanos
	b.maxAge = max(b.maxAge, age)
	if -age > int64(b.limits.ClockSkewTolerance) {
		b.report.Counts.Ahead++
		b.note(ClockSkew, t, partition, offset, -age, int64(b.limits.ClockSkewTolerance))
	}
	if budget := int64(b.limits.MaxTickAge); budget > 0 && age > budget {
		b.report.Counts.Old++
		b.note(StaleTick, t, partition, offset, age, budget)
	}
}

// judgeOrder reports whether the tick is older than its symbol's last one.
func (b *batch) judgeOrder(t *BatchTick, partition int32, offset int64) bool {
	o, known := b.last[t.Symbol]
	if !known {
		o = newOrder()
	}
	back := o.take(t.TimestampNanos, NoTime, b.now, int64(b.limits.ClockSkewTolerance))
	if back == 0 {
		b.last[t.Symbol] = o
		return false
	}
	b.report.Counts.Disorder++
	b.noteLate(t, partition, offset, back)
	return true
}
