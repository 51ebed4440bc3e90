package processors

import (
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/internal/kafka"
)

// place is an input partition.
type place struct {
	topic     string
	partition int32
}

func (p place) String() string { return fmt.Sprintf("%s/%d", p.topic, p.partition) }

// claim is one partition that this process owns during one session. It is the
// sarama.ConsumerGroupClaim that goka reads.
type claim struct {
	place
	stream     string // as goka sees it
	virtual    int32
	queue      *queue
	gate       *gate // of the group, with the session's generation
	generation int32
	marks      chan *sarama.ConsumerMessage
	found      chan<- struct{}   // asks the session for a checkpoint soon
	done       <-chan struct{}   // of the session
	control    *Control          // of the group
	ready      func(*frame) bool // waits until a frame can be decoded; nil: it can

	mu        sync.Mutex // guards what follows
	unit      unit
	spent     kafka.Spent
	start     int64     // of the log, when the session began
	next      int64     // next offset to read
	end       int64     // readable end of the log, as known last
	endAt     time.Time // when that was known
	high      int64     // its high watermark when the session began
	sampled   int64     // next when the log's bounds were asked for last
	epoch     int32     // leader epoch of the last record read, -1: unknown
	committed int64     // next as it is durable, -1: unknown
	rewind    int64     // where the group's offset goes back to before rows that rest on less, -1: nowhere
	stop      int64     // where --stop-at-end ends this partition, -1: nowhere
	closed    bool      // stop is reached and the unit has been told
	told      bool      // what the unit said to that is durable
	heard     time.Time
	failed    bool
	fromStart bool  // the group's committed offset is about another log
	resumed   int64 // times that held input had gone on when the unit was told last
	oldest    bool  // without a committed offset everything is read, whatever is configured
}

func newClaim(p place, stream string, virtual int32, u unit, b *budget) *claim {
	return &claim{
		place: p, stream: stream, virtual: virtual, unit: u, queue: newQueue(b), gate: new(gate),
		marks: make(chan *sarama.ConsumerMessage, 4), next: -1, end: -1, committed: -1, rewind: -1, stop: -1, sampled: -1, epoch: -1,
		heard: time.Now(),
	}
}

func (c *claim) Topic() string                            { return c.stream }
func (c *claim) Partition() int32                         { return c.virtual }
func (c *claim) Messages() <-chan *sarama.ConsumerMessage { return c.marks }

func (c *claim) InitialOffset() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.next
}

func (c *claim) HighWaterMarkOffset() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.end
}

// frameMark is the value of the message that stands for a frame.
var frameMark = []byte{1}

// announce gives goka one message a frame, so that partitions do not wait for
// each other.
func (c *claim) announce(p *pressure, done <-chan struct{}) {
	for {
		f, ok := c.queue.announced(done)
		if !ok || !p.wait(done) || c.ready != nil && !c.ready(f) {
			return
		}
		last := f.records[len(f.records)-1]
		mark := &sarama.ConsumerMessage{
			Topic: c.stream, Partition: c.virtual, Offset: last.Offset, Timestamp: last.Timestamp, Value: frameMark,
		}
		select {
		case c.marks <- mark:
		case <-done:
			return
		}
	}
}

// consume hands the next frame to the unit. A panic below becomes an error
// that names the place; the claim then takes nothing more.
func (c *claim) consume() (err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f, ok := c.queue.pop()
	if !ok || c.failed {
		return nil
	}
	at := f.records[0].Offset
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic at %s, offset %d or up to %d records after it: %v\n%s", c.place, at, len(f.records)-1, cause, debug.Stack())
		}
		if err != nil {
			c.failed = true
		}
	}()
	c.resume()
	c.follow(f)
	admitted := c.gate.admit(c, f.records)
	records := admitted
	if c.stop >= 0 {
		records = before(records, c.stop)
	}
	if len(records) > 0 {
		if err := c.unit.consume(records); err != nil {
			return err
		}
		last := records[len(records)-1]
		c.next, c.epoch = last.Offset+1, last.LeaderEpoch
	}
	if len(records) < len(admitted) {
		c.next = max(c.next, c.stop)
	}
	// The frame may have waited for long: behind a pause its end is an old one,
	// by which the audit would be where it is not, at the end.
	c.end = max(c.end, f.end, c.next)
	if f.at.After(c.endAt) {
		c.endAt = f.at
	}
	c.heard = time.Now()
	if c.stop < 0 {
		c.unit.progress(c.next, c.end)
	}
	for _, r := range f.records {
		c.spent.Give(r)
	}
	if f.whole {
		c.spent.End()
	}
	if c.unit.urgent() {
		select {
		case c.found <- struct{}{}:
		default: // asked already, or nobody reads
		}
	}
	return nil
}

// before cuts off the records from offset end on.
func before(records []*kgo.Record, end int64) []*kgo.Record {
	n := len(records)
	for n > 0 && records[n-1].Offset >= end {
		n--
	}
	return records[:n]
}

// drained reports whether a fixed end is reached. A log whose last offsets
// compaction has emptied never says so by a record; quiet is for those: nothing
// has come for long although all that lies before the end is readable. Behind
// an open transaction it is not: its outcome is waited for.
func (c *claim) drained(quiet bool) bool {
	return c.stop >= 0 && (c.next >= c.stop || quiet && c.end >= c.stop && c.queue.empty() && time.Since(c.heard) > quietFor)
}
