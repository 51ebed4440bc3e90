package replay

import (
	"context"
	"slices"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	laneBytes  = 32 << 20 // queued of one partition above which its fetching is paused; what was fetched of it is then thrown away
	flowBytes  = 64 << 20 // queued of all above which nothing is polled
	flowChunks = 16 << 10 // chunks of all partitions that may wait to be merged
)

// flow hands records from the client to the workers and chunks from them to
// the merge. A partition is with one worker at a time. One that is far ahead
// of the others in its time waits for them, so that what waits to be merged is
// bounded; records of the one that the merge waits for are always taken.
type flow struct {
	lanes     map[int32]*lane
	maxChunks int // of one lane
	pause     func([]*lane)
	resume    func(*lane)

	mu     sync.Mutex
	work   sync.Cond // a lane is ready, or all is over
	room   sync.Cond // records were judged, or the merge waits for another lane
	news   sync.Cond // a lane has chunks
	ready  []*lane
	pauses []*lane // that are not to be fetched of, which the client has not been told
	held   int64   // bytes queued
	wanted *lane   // the merge waits for it
	failed error
	over   bool
}

// batch is what one fetch has brought of a lane.
type batch struct {
	records []*kgo.Record
	bytes   int64
}

func newBatch(records []*kgo.Record) batch {
	b := batch{records: records}
	for _, r := range records {
		b.bytes += int64(len(r.Key) + len(r.Value) + 64)
	}
	return b
}

func newFlow(lanes []*lane, pause func([]*lane), resume func(*lane)) *flow {
	f := &flow{lanes: map[int32]*lane{}, pause: pause, resume: resume}
	f.work.L, f.room.L, f.news.L = &f.mu, &f.mu, &f.mu
	f.maxChunks = max(2, flowChunks/max(1, len(lanes)))
	for _, l := range lanes {
		f.lanes[l.Partition] = l
		// An earlier run may have come to the lane's end.
		l.drained, l.over = l.at.Ended, l.at.Ended || l.at.Next >= l.End
		f.schedule(l)
	}
	return f
}

// stop ends all waiting; the first reason counts, nil: all is done.
func (f *flow) stop(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over {
		return
	}
	f.failed, f.over = err, true
	f.work.Broadcast()
	f.room.Broadcast()
	f.news.Broadcast()
}

// gate waits until more records may be asked for; false when all is over or
// everything has been read.
func (f *flow) gate() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for !f.over && f.held > flowBytes && !f.starved() {
		f.room.Wait()
	}
	return !f.over && !f.allRead()
}

// starved says whether the merge waits for a lane that has nothing to do.
func (f *flow) starved() bool {
	return f.wanted != nil && len(f.wanted.queue) == 0 && !f.wanted.busy
}

func (f *flow) allRead() bool {
	for _, l := range f.lanes {
		if !l.over {
			return false
		}
	}
	return true
}

// push gives a lane records that have come.
func (f *flow) push(l *lane, records []*kgo.Record) {
	b := newBatch(records)
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(records) == 0 || l.over {
		return
	}
	l.queue = append(l.queue, b)
	l.queued += b.bytes
	f.held += b.bytes
	l.read = records[len(records)-1].Offset + 1
	l.over = l.read >= l.End
	f.schedule(l)
	if l.over || l.queued > laneBytes {
		f.hold(l)
	}
}

// hold asks for a lane not to be fetched of. The caller holds the lock.
func (f *flow) hold(l *lane) {
	if !l.paused {
		l.paused = true
		f.pauses = append(f.pauses, l)
	}
}

// tellPauses tells the client which lanes are not to be fetched of, all at once:
// each time it copies the list of those it knew. Both that and a resumption are
// under the lock, so that they cannot overtake each other.
func (f *flow) tellPauses() {
	f.mu.Lock()
	defer f.mu.Unlock()
	pauses := slices.DeleteFunc(f.pauses, func(l *lane) bool { return !l.paused })
	f.pauses = nil
	if len(pauses) > 0 {
		f.pause(pauses)
	}
}

// ended notes that nothing lies between what has come of a lane and its end.
func (f *flow) ended(l *lane) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l.over, l.read = true, l.End
	f.schedule(l)
}

// schedule hands a lane to the workers when it has something to do and room
// for what that makes. The caller holds the lock.
func (f *flow) schedule(l *lane) {
	if l.busy || l.ready || l.drained || len(l.chunks) >= f.maxChunks || len(l.queue) == 0 && !l.over {
		return
	}
	l.ready = true
	f.ready = append(f.ready, l)
	f.work.Signal()
}

// worker judges what is ready until all is over.
func (f *flow) worker() {
	for {
		l, b, last := f.next()
		if l == nil {
			return
		}
		rest, chunks, err := l.take(b.records, nil)
		if err != nil {
			f.stop(err)
			return
		}
		if last = len(rest) == 0 && (last || l.at.Ended); last {
			l.at.Ended = true
			chunks = append(chunks, l.finish())
		}
		f.done(l, b, rest, chunks, last)
	}
}

// next waits for a lane to work on and its oldest records, and says whether
// they are its last.
func (f *flow) next() (l *lane, b batch, last bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.ready) == 0 && !f.over {
		f.work.Wait()
	}
	if f.over {
		return nil, b, false
	}
	l = f.ready[0]
	f.ready = f.ready[1:]
	l.ready, l.busy = false, true
	if len(l.queue) > 0 {
		b = l.queue[0]
		l.queue[0] = batch{}
		l.queue = l.queue[1:]
	}
	return l, b, l.over && len(l.queue) == 0
}

// done takes what a worker has made of a batch.
func (f *flow) done(l *lane, b batch, rest []*kgo.Record, chunks []*chunk, last bool) {
	left := newBatch(rest)
	f.mu.Lock()
	defer f.mu.Unlock()
	l.busy = false
	l.chunks = append(l.chunks, chunks...)
	l.seen = l.at.Next
	used := b.bytes - left.bytes
	if len(rest) > 0 {
		l.queue = append([]batch{left}, l.queue...)
	}
	if last {
		used = l.queued
		l.drained, l.over, l.queue, l.seen = true, true, nil, l.End
		f.hold(l)
	}
	l.queued -= used
	f.held -= used
	if l.paused && !l.over && l.queued < laneBytes/2 {
		l.paused = false
		f.resume(l)
	}
	f.schedule(l)
	f.room.Signal()
	if len(chunks) > 0 {
		f.news.Signal()
	}
}

// wait gives the merge the chunks of a lane that has none left; nil when all
// is over.
func (f *flow) wait(l *lane) []*chunk {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(l.chunks) == 0 && !f.over {
		f.wanted = l
		f.room.Signal()
		f.news.Wait()
	}
	f.wanted = nil
	chunks := l.chunks
	l.chunks = nil
	f.schedule(l)
	if f.over {
		return nil
	}
	return chunks
}

// progress is how many offsets are judged.
func (f *flow) progress() (done int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, l := range f.lanes {
		done += l.seen - l.Start
	}
	return done
}

// run works with a number of workers until the context ends or all is over,
// and returns why it ended early.
func (f *flow) run(ctx context.Context, workers int, read func(context.Context) error, merge func() error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	unhook := context.AfterFunc(ctx, func() { f.stop(context.Cause(ctx)) })
	defer unhook()
	var all sync.WaitGroup
	for range workers {
		all.Go(f.worker)
	}
	all.Go(func() {
		if err := read(ctx); err != nil {
			f.stop(err)
		}
	})
	f.stop(merge())
	cancel()
	all.Wait()
	return f.failed
}
