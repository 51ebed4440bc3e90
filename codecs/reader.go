package codecs

import (
	"iter"

	"github.com/auditstream/auditstream/engine"
)

// Record is a record of a topic, from a broker or from a capture, before it is
// decoded. Its slices are views.
type Record struct {
	Offset  int64
	Time    int64 // Kafka's timestamp in nanoseconds, or engine.NoTime
	Key     []byte
	Value   []byte
	Headers Headers // nil: none
}

// Headers are the headers of a record, in their order. Names may repeat, be
// empty, and have null values.
type Headers interface {
	Len() int
	At(i int) (key string, value []byte)
}

// EachHeader gives the headers in turn.
func EachHeader(h Headers) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for i := range h.Len() {
			if !yield(h.At(i)) {
				return
			}
		}
	}
}

// TickReader turns records into ticks. It is the one place where that is done,
// for what is read live, replayed and read from captures.
type TickReader struct {
	decoder  TickDecoder
	items    ItemDecoder   // nil: a value holds one tick
	records  RecordDecoder // nil: the value is enough
	producer string
	tick     engine.Tick
}

// NewTickReader is a reader with a decoder of its own. producerHeader names
// the header that says who wrote a record; empty: none does.
func NewTickReader(d TickDecoder, producerHeader string) *TickReader {
	r := &TickReader{decoder: d, producer: producerHeader}
	r.items, _ = d.(ItemDecoder)
	r.records, _ = d.(RecordDecoder)
	return r
}

// Read is the record's first tick; the further ones are what [TickReader.Next]
// gives until it is nil. A tick is a view on the record and on the reader,
// valid until the next call.
func (r *TickReader) Read(rec *Record) *engine.Tick {
	t := &r.tick
	t.Offset, t.RecordTime, t.Key, t.Value, t.Item = rec.Offset, rec.Time, rec.Key, rec.Value, 0
	t.Origin, t.Producer = nil, nil
	if rec.Headers != nil {
		headers := EachHeader(rec.Headers)
		t.Origin, t.Producer = Origin(headers), Producer(headers, r.producer)
	}
	r.clear()
	if r.records != nil {
		r.records.DecodeRecord(rec, t)
	} else {
		r.decoder.Decode(rec.Value, t)
	}
	return t
}

// Next is the next tick of the record that was read last, nil when there is
// none.
func (r *TickReader) Next() *engine.Tick {
	if r.items == nil {
		return nil
	}
	r.clear()
	if !r.items.Next(&r.tick) {
		return nil
	}
	r.tick.Item++
	return &r.tick
}

// Skip leaves out the tick that was read last: of its record, the next one
// takes its Item.
func (r *TickReader) Skip() { r.tick.Item-- }

// clear resets what a decoder need not set.
func (r *TickReader) clear() {
	t := &r.tick
	t.Venue, t.HasSequence, t.Sequence, t.SequenceFirst, t.Content = nil, false, 0, 0, 0
	t.Halt = engine.NoHalt
	t.Format, t.SchemaID = engine.FormatUnknown, 0
}
