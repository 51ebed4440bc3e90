package codecs

import (
	"strconv"

	"github.com/auditstream/auditstream/engine"
)

// LetterInfo is what the headers of a dead letter tell.
type LetterInfo struct {
	Place   *engine.Place // where the record was read; nil: the headers do not say it in full
	Error   string        // reason, or the message of another error handler
	Stage   string        // StageKey, StageValue, or what another error handler says
	Retries int           // times that it has failed again
	Cut     bool          // not all of the record is there
}

// ReadLetter reads the headers of a dead letter: our own and those of Kafka
// Connect. Of a repeated name the last header counts.
func ReadLetter(headers []Header) LetterInfo {
	l := LetterInfo{Place: Origin(func(yield func(string, []byte) bool) {
		for _, h := range headers {
			if !yield(h.Key, h.Value) {
				return
			}
		}
	})}
	message := ""
	for _, h := range headers {
		switch h.Key {
		case headerError:
			l.Error = string(h.Value)
		case connectPrefix + "exception.message":
			message = string(h.Value)
		case connectPrefix + "stage":
			l.Stage = string(h.Value)
		case headerRetries:
			l.Retries = retriesOf(h.Value)
		case headerValueCut, headerKeyCut, headerHeadersCut:
			l.Cut = true
		}
	}
	if l.Error == "" {
		l.Error = message
	}
	return l
}

func retriesOf(value []byte) int {
	if n, err := strconv.ParseInt(string(value), 10, 32); err == nil && n >= 0 {
		return int(n)
	}
	return 0
}

// ReplayHeaders are the headers of a dead letter that goes back to its topic:
// the record's own ones, then those that name its first place, by which the
// audit knows it as redelivered, and the number of times that it has failed
// again. Everything else that was added for the dead letter is left behind.
func ReplayHeaders(headers []Header) []Header {
	l := ReadLetter(headers)
	var out []Header
	for _, h := range headers {
		if !isAdded(h.Key) {
			out = append(out, h)
		}
	}
	if l.Place == nil {
		return out
	}
	return append(out,
		Header{headerOriginalTopic, []byte(l.Place.Topic)},
		Header{headerOriginalPartition, strconv.AppendInt(nil, int64(l.Place.Partition), 10)},
		Header{headerOriginalOffset, strconv.AppendInt(nil, l.Place.Offset, 10)},
		Header{headerRetries, strconv.AppendInt(nil, int64(l.Retries), 10)},
	)
}
