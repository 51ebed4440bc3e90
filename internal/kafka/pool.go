package kafka

import (
	"math/bits"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"
)

// RecordPool lends franz-go the memory that fetched records lie in. A record
// goes back by Recycle once its frame is consumed; one that never does, as at
// the end of a session, is the garbage collector's. A batch's bytes are zeroed
// when the last of its records is back, so whatever is kept of a record must
// be a copy.
//
// Slices are kept by size: a tick's batch must not hold the memory of a large
// one while it waits in a queue.
type RecordPool struct {
	bytes   [poolClasses]sync.Pool // of *[]byte, capacity at least 1<<class
	records [poolClasses]sync.Pool // of *[]kgo.Record, likewise
}

// poolClasses bounds what is kept: slices of up to 4 M bytes or records.
const poolClasses = 23

// expansion is how many times larger than its compressed form a batch is
// taken to be. Where it is larger, franz-go grows the slice.
const expansion = 4

// GetDecompressBytes implements kgo.PoolDecompressBytes.
func (p *RecordPool) GetDecompressBytes(compressed []byte, _ kgo.CompressionCodecType) []byte {
	return lend[byte](&p.bytes, len(compressed)*expansion)
}

// PutDecompressBytes implements kgo.PoolDecompressBytes.
func (p *RecordPool) PutDecompressBytes(b []byte) { takeBack(&p.bytes, b) }

// GetRecords implements kgo.PoolRecords.
func (p *RecordPool) GetRecords(n int) []kgo.Record { return lend[kgo.Record](&p.records, n) }

// PutRecords implements kgo.PoolRecords.
func (p *RecordPool) PutRecords(r []kgo.Record) { takeBack(&p.records, r) }

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
