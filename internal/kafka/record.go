package kafka

import (
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
)

// ReadRecord sets into to a view on a record as it was fetched.
func ReadRecord(r *kgo.Record, into *codecs.Record) {
	into.Offset, into.Time, into.Key, into.Value, into.Headers = r.Offset, RecordTime(r), r.Key, r.Value, nil
	if len(r.Headers) > 0 {
		into.Headers = (*recordHeaders)(r)
	}
}

// greatestMilli is the greatest time in milliseconds, of the year 2260, that
// leaves nanoseconds room for what is added to them.
const greatestMilli = 9_151_488_000_000

// RecordTime is Kafka's timestamp in nanoseconds; -1 ms stands for none, as
// does one beyond what nanoseconds can tell, which a topic that takes any
// timestamp may have.
func RecordTime(r *kgo.Record) int64 {
	ms := r.Timestamp.UnixMilli()
	if ms == -1 || ms > greatestMilli || ms < -greatestMilli {
		return engine.NoTime
	}
	return r.Timestamp.UnixNano()
}

// recordHeaders is a record as its headers, so that a view on them costs no
// memory.
type recordHeaders kgo.Record

func (h *recordHeaders) Len() int { return len(h.Headers) }

func (h *recordHeaders) At(i int) (key string, value []byte) {
	return h.Headers[i].Key, h.Headers[i].Value
}
