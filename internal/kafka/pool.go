package kafka

import (
	"context"
	"math/bits"
	"sync"
	"unsafe"
	"weak"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Fetched records lie in memory that is lent: records in slices of
// [RecordPool], the bytes of their batches in those of inflated. Slices are
// kept by size: a tick's batch must not hold the memory of a large one while it
// waits in a queue.
const (
	// poolClasses bounds what is kept: slices of up to 4 M bytes or records.
	poolClasses = 23
	// pageBytes is the size of the pages that Go's memory is laid out in. A
	// slice that is lent begins a page, and no other one begins there. One that
	// a decompressor has grown need not: it may not be found, which costs no
	// more than its return.
	pageBytes = 8 << 10
	// sweepLoans is how many loans there are at least before those are looked for
	// that are gone.
	sweepLoans = 1024
	// expansion is how many times larger than its compressed form a batch is
	// taken to be. Where it is larger, the slice grows.
	expansion = 4
)

// RecordPool lends franz-go the memory of records. It goes back when the last
// record of a batch is recycled; one that never is, as at the end of a
// session, is the garbage collector's. Whatever is kept of a record must be a
// copy.
type RecordPool struct{ classes [poolClasses]sync.Pool }

// GetRecords implements kgo.PoolRecords.
func (p *RecordPool) GetRecords(n int) []kgo.Record { return lend[kgo.Record](&p.classes, n) }

// PutRecords implements kgo.PoolRecords.
func (p *RecordPool) PutRecords(r []kgo.Record) { takeBack(&p.classes, r) }

// Spent gives the memory of records back, which [Spent.Give] is handed in the
// order in which a partition's records were fetched. franz-go would do the
// same by a kgo.PoolDecompressBytes, but zeroes a batch's memory before it is
// used again, for a tenth of the CPU that reading takes.
type Spent struct {
	batch context.Context // that franz-go has made for the batch
	at    *byte           // of the batch's bytes, nil: none is known
}

// Give notes that a record is not looked at any more.
func (s *Spent) Give(r *kgo.Record) {
	if r.Context != s.batch {
		s.End()
		s.batch = r.Context
	}
	if s.at == nil {
		if len(r.Value) > 0 {
			s.at = &r.Value[0]
		} else if len(r.Key) > 0 {
			s.at = &r.Key[0]
		}
	}
	r.Recycle()
}

// End notes that nothing more comes of the last batch.
func (s *Spent) End() {
	if s.at != nil {
		inflated.takeBack(s.at)
	}
	*s = Spent{}
}

// inflated is what batches were decompressed into.
var inflated = newLoans()

// loans lends memory for bytes and finds it again by one of them. What is lent
// is held by its borrower alone: a batch that franz-go throws away goes to the
// garbage collector.
type loans struct {
	classes [poolClasses]sync.Pool
	mu      sync.Mutex
	out     map[uintptr]loan // by number of the page that its memory begins in
	sweepAt int              // loans at which those are looked for that are gone
}

func newLoans() *loans { return &loans{out: map[uintptr]loan{}, sweepAt: sweepLoans} }

type loan struct {
	first weak.Pointer[byte]
	size  int
}

// GetDecompressBytes implements kgo.PoolDecompressBytes for franz-go's
// decompressors. Less than half a page is not lent: it could not be told
// whose it is.
func (l *loans) GetDecompressBytes(compressed []byte, _ kgo.CompressionCodecType) []byte {
	return l.lend(len(compressed) * expansion)
}

// PutDecompressBytes implements kgo.PoolDecompressBytes.
func (l *loans) PutDecompressBytes(b []byte) { takeBack(&l.classes, b) }

func (l *loans) lend(n int) []byte {
	if n < pageBytes/2 {
		return make([]byte, 0, n)
	}
	return lend[byte](&l.classes, max(n, pageBytes))
}

// register notes that a batch lies in b, which was lent.
func (l *loans) register(b []byte) {
	if cap(b) < pageBytes {
		return
	}
	first := unsafe.SliceData(b)
	made := loan{weak.Make(first), cap(b)}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.out) >= l.sweepAt {
		for page, o := range l.out {
			if o.first.Value() == nil {
				delete(l.out, page)
			}
		}
		l.sweepAt = max(sweepLoans, 2*len(l.out))
	}
	l.out[pageOf(first)] = made
}

// takeBack takes the memory back that a batch lies in, by a byte of its first
// record. It does nothing where that byte lies in no loan: the batch was not
// compressed, is small, or was entered in its middle.
func (l *loans) takeBack(at *byte) {
	if first, size := l.found(at); first != nil {
		takeBack(&l.classes, unsafe.Slice(first, size))
	}
}

func (l *loans) found(at *byte) (first *byte, size int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	page := pageOf(at)
	o, ok := l.out[page]
	if !ok {
		return nil, 0
	}
	delete(l.out, page)
	if first = o.first.Value(); first == nil || uintptr(unsafe.Pointer(at))-uintptr(unsafe.Pointer(first)) >= uintptr(o.size) {
		return nil, 0
	}
	return first, o.size
}

func pageOf(at *byte) uintptr { return uintptr(unsafe.Pointer(at)) / pageBytes }

// lend gives an empty slice with room for at least n items.
func lend[T any](classes *[poolClasses]sync.Pool, n int) []T {
	class := bits.Len(uint(max(n, 1) - 1))
	if class >= poolClasses {
		return make([]T, 0, n)
	}
	if s, ok := classes[class].Get().(*[]T); ok {
		return (*s)[:0]
	}
	return make([]T, 0, 1<<class)
}

// takeBack keeps a slice under the greatest size that it has room for.
func takeBack[T any](classes *[poolClasses]sync.Pool, s []T) {
	if class := bits.Len(uint(cap(s))) - 1; class >= 0 && class < poolClasses {
		classes[class].Put(&s)
	}
}
