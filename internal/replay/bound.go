package replay

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/auditstream/auditstream/engine"
)

// Bound is an end of a range of records, by record time or by offset. The
// zero Bound is open.
type Bound struct {
	set    bool
	offset bool
	value  int64 // offset, or nanoseconds
}

// ParseBound reads the value of a flag such as --from: RFC 3339, a number of
// 13, 16 or 19 digits for milliseconds, microseconds or nanoseconds since the
// epoch, or a smaller number for an offset that holds for every partition.
// The empty text is the open bound.
func ParseBound(flag, s string) (Bound, error) {
	if s == "" {
		return Bound{}, nil
	}
	if len(s) < 13 && strings.Trim(s, "0123456789") == "" {
		offset, err := strconv.ParseInt(s, 10, 64)
		return Bound{true, true, offset}, err
	}
	at, err := ParseTime(flag, s)
	return Bound{true, false, at}, err
}

// ParseTime reads a time as [ParseBound] does, in nanoseconds.
func ParseTime(flag, s string) (int64, error) {
	if strings.Trim(s, "0123456789") == "" {
		scale := map[int]int64{13: 1e6, 16: 1e3, 19: 1}[len(s)]
		n, err := strconv.ParseInt(s, 10, 64)
		if scale == 0 || err != nil || n > (1<<63-1)/scale {
			return 0, invalidf("%s %q: a time in digits has 13 (ms), 16 (µs) or 19 (ns) of them", flag, s)
		}
		return n * scale, nil
	}
	at, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return 0, invalidf("%s %q is neither RFC 3339 (2025-01-02T15:30:00Z) nor a number", flag, s)
	}
	if year := at.UTC().Year(); year < 1970 || year > 2261 {
		return 0, invalidf("%s %q does not fit into nanoseconds since 1970", flag, s)
	}
	return at.UnixNano(), nil
}

// Reversed reports whether no record can lie in [from, to), because both are
// offsets, or times, and the first is the greater.
func Reversed(from, to Bound) bool {
	return from.set && to.set && from.offset == to.offset && from.value > to.value
}

// reached says whether a record at that time and offset is at the bound or
// behind it.
func (b Bound) reached(at, offset int64) bool {
	if b.offset {
		return offset >= b.value
	}
	return at >= b.value
}

// selects says whether a record lies in [From, To). A time of NoTime lies
// before every other.
func (o *Options) selects(at, offset int64) bool {
	return Selects(o.From, o.To, at, offset)
}

// Selects says whether a record lies in [from, to).
func Selects(from, to Bound, at, offset int64) bool {
	return (!from.set || from.reached(at, offset)) && (!to.set || !to.reached(at, offset))
}

// timeOf is the time by which a record is selected: its own, that of its tick
// where the capture has no record times, or else that of the record before.
func timeOf(t *engine.Tick, before int64) int64 {
	switch {
	case t.RecordTime != engine.NoTime:
		return t.RecordTime
	case t.Kind == engine.Good:
		return t.EventTime
	}
	return before
}

// ParseConsumed reads a JSON object of consumed offsets by partition, such as
// {"0":1200,"3":88}. An offset is that of the next record to read.
func ParseConsumed(b []byte) (map[int32]int64, error) {
	var texts map[string]*int64
	d := json.NewDecoder(bytes.NewReader(b))
	err := d.Decode(&texts)
	if err == nil && texts == nil {
		err = errors.New("it is null")
	}
	if _, more := d.Token(); err == nil && more != io.EOF {
		err = errors.New("something follows the object")
	}
	if err != nil {
		return nil, invalidf("consumed offsets are no JSON object of offsets by partition: %w", err)
	}
	offsets := make(map[int32]int64, len(texts))
	for text, offset := range texts {
		partition, err := strconv.ParseInt(text, 10, 32)
		switch {
		case err != nil || partition < 0 || strconv.FormatInt(partition, 10) != text:
			return nil, invalidf("consumed offsets: %q is no partition", text)
		case offset == nil || *offset < 0:
			return nil, invalidf("consumed offsets: partition %s has a negative offset or none", text)
		}
		offsets[int32(partition)] = *offset
	}
	return offsets, nil
}
