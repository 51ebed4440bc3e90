package codecs

import (
	"slices"
	"strconv"
)

// recordOverhead is more than a record needs besides key, value and headers,
// headerOverhead more than a header does besides its name and value.
const (
	recordOverhead = 64
	headerOverhead = 10
)

// Letter is a record on its way to the dead-letter topic.
type Letter struct {
	Key, Value []byte // nil is null
	Headers    []Header
}

// Fit is the dead letter of a record in at most limit bytes. A record near the
// limit of the brokers is over it once it has the headers of a dead letter, and
// its refusal would stop the audit at that record for ever. What does not fit
// is cut: of a value and of a key the first bytes are kept, of the record's own
// headers the first ones, and x-truncated-from, x-key-truncated-from and
// x-headers-truncated-from tell how large they were; one that the record brings
// along stays.
func (d *DeadLetter) Fit(key, value []byte, own []Header, limit int) Letter {
	l := Letter{Key: key, Value: value}
	cut := func(header string, was int) {
		if slices.ContainsFunc(l.Headers, func(h Header) bool { return h.Key == header }) {
			return
		}
		l.Headers = append(l.Headers, Header{header, strconv.AppendInt(nil, int64(was), 10)})
	}
	kept, size := own, headerBytes(own)
	for headerBytes(kept) > limit/4 {
		kept = kept[:len(kept)-1]
	}
	l.Headers = d.Headers(kept)
	if len(kept) < len(own) {
		cut(headerHeadersCut, size)
	}
	if len(key) > limit/4 {
		l.Key = key[:limit/4]
		cut(headerKeyCut, len(key))
	}
	room := limit - recordOverhead - len(l.Key) - headerBytes(l.Headers)
	if len(value) > room {
		cut(headerValueCut, len(value))
		room = limit - recordOverhead - len(l.Key) - headerBytes(l.Headers)
		l.Value = value[:max(0, room)]
	}
	return l
}

func headerBytes(headers []Header) (n int) {
	for _, h := range headers {
		n += len(h.Key) + len(h.Value) + headerOverhead
	}
	return n
}
