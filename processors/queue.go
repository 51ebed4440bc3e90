package processors

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// A pause makes franz-go throw away what it has fetched of the partition, so
// it is for a partition that stands still, not for one that is busy.
const (
	frameRecords = 1024     // records that goka handles with one callback
	queueBytes   = 32 << 20 // of one partition, above which its fetching is paused
	allBytes     = 64 << 20 // of all partitions, above which nothing is polled
)

// frame is a run of records of one partition that goka handles with one
// callback: goka costs about 2 µs and 7 allocations a message, whatever is in
// it.
type frame struct {
	records   []*kgo.Record // never empty; control records included
	logBounds               // of the log when they were fetched
	at        time.Time     // when they were
	cut       int64         // where the log had been truncated before them, -1: nowhere
	bytes     int64
	whole     bool // what the fetch has brought of the partition ends with it
}

// budget bounds what is fetched and not consumed over all partitions.
type budget struct {
	used    atomic.Int64
	drained chan struct{} // a token when used has sunk
}

func newBudget() *budget { return &budget{drained: make(chan struct{}, 1)} }

func (b *budget) give(n int64) {
	b.used.Add(-n)
	select {
	case b.drained <- struct{}{}:
	default:
	}
}

// wait blocks while too much is queued.
func (b *budget) wait(done <-chan struct{}) {
	for b.used.Load() > allBytes {
		select {
		case <-b.drained:
		case <-done:
			return
		}
	}
}

// queue holds the frames of one partition between poll and callback.
type queue struct {
	budget *budget
	signal chan struct{}

	mu     sync.Mutex
	frames []*frame
	told   int // frames of those that were announced
	bytes  int64
	paused bool
	cut    int64 // where the log was truncated before the next frame, -1: nowhere
	fetching
}

// fetching stops and starts the fetching of a queue's partition. Both are
// called under the queue's lock, so that they cannot overtake each other.
type fetching struct{ pause, resume func() }

func newQueue(b *budget) *queue { return &queue{budget: b, signal: make(chan struct{}, 1), cut: -1} }

// push appends the records in frames; it never waits.
func (q *queue) push(records []*kgo.Record, b logBounds, f fetching) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.fetching = f
	now := time.Now()
	for len(records) > 0 {
		n := min(frameRecords, len(records))
		f := &frame{records: records[:n:n], logBounds: b, at: now, cut: q.cut}
		q.cut = -1
		for _, r := range f.records {
			f.bytes += int64(len(r.Value) + len(r.Key) + 64)
		}
		records = records[n:]
		f.whole = len(records) == 0
		q.frames = append(q.frames, f)
		q.bytes += f.bytes
		q.budget.used.Add(f.bytes)
	}
	select {
	case q.signal <- struct{}{}:
	default:
	}
	if q.bytes > queueBytes && !q.paused {
		q.paused = true
		q.pause()
	}
}

// pushCut notes that the log was truncated at an offset: what comes from now on
// comes after that.
func (q *queue) pushCut(to int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.cut < 0 || to < q.cut {
		q.cut = to
	}
}

// announced returns the next frame that goka has not heard of.
func (q *queue) announced(done <-chan struct{}) (*frame, bool) {
	for {
		q.mu.Lock()
		if q.told < len(q.frames) {
			f := q.frames[q.told]
			q.told++
			q.mu.Unlock()
			return f, true
		}
		q.mu.Unlock()
		select {
		case <-q.signal:
		case <-done:
			return nil, false
		}
	}
}

// pop takes the oldest frame.
func (q *queue) pop() (*frame, bool) {
	q.mu.Lock()
	if len(q.frames) == 0 {
		q.mu.Unlock()
		return nil, false
	}
	f := q.frames[0]
	q.frames[0] = nil
	q.frames = q.frames[1:]
	q.told--
	q.bytes -= f.bytes
	if q.paused && q.bytes < queueBytes/2 {
		q.paused = false
		q.resume()
	}
	q.mu.Unlock()
	q.budget.give(f.bytes)
	return f, true
}

func (q *queue) empty() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.frames) == 0
}

// drop forgets everything at the end of a session.
func (q *queue) drop() {
	q.mu.Lock()
	n := q.bytes
	q.frames, q.told, q.bytes = nil, 0, 0
	if q.paused {
		q.paused = false
		q.resume() // or the next session would never read the partition
	}
	q.mu.Unlock()
	q.budget.give(n)
}
