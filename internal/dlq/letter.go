package dlq

import (
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/replay"
)

// Letter is one record of the dead-letter topic. The record's time is that of
// the record that it was made of.
type Letter struct {
	Record *kgo.Record
	codecs.LetterInfo
}

func newLetter(r *kgo.Record) *Letter {
	return &Letter{r, codecs.ReadLetter(headers(r))}
}

func headers(r *kgo.Record) []codecs.Header {
	out := make([]codecs.Header, len(r.Headers))
	for i, h := range r.Headers {
		out[i] = codecs.Header{Key: h.Key, Value: h.Value}
	}
	return out
}

// Filter selects letters; Partition is -1 for any.
type Filter struct {
	Topic     string       // where the record was read, "": any
	Partition int32        // the same, -1: any
	Error     string       // what was wrong with it, "": anything
	From, To  replay.Bound // by the record's time, or the letter's offset in the dead-letter topic; [From, To)
}

func (f *Filter) selects(l *Letter) bool {
	if f.Error != "" && f.Error != l.Error {
		return false
	}
	if l.Place == nil && (f.Topic != "" || f.Partition >= 0) {
		return false
	}
	if f.Topic != "" && f.Topic != l.Place.Topic || f.Partition >= 0 && f.Partition != l.Place.Partition {
		return false
	}
	return replay.Selects(f.From, f.To, nanos(l.Record.Timestamp), l.Record.Offset)
}

// nanos is a record's time; a record without one lies before every other.
func nanos(t time.Time) int64 {
	if t.UnixMilli() == -1 {
		return engine.NoTime
	}
	return t.UnixNano()
}
