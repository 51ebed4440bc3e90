package codecs

import (
	"strconv"
	"strings"

	"github.com/auditstream/auditstream/engine"
)

// The stages of a dead letter, by Kafka Connect's names.
const (
	StageKey   = "KEY_CONVERTER"
	StageValue = "VALUE_CONVERTER"
)

// DeadLetter says what was wrong with a record that goes to the dead-letter
// topic.
type DeadLetter struct {
	Place     engine.Place  // where the record was read
	Connector string        // the configuration's name
	Task      int32         // the partition's number serves as the task's
	Stage     string        // StageKey or StageValue
	Converter string        // converter that could not read it, such as "json"
	Reason    engine.Reason // what it could not read
}

// Headers are the headers of the dead letter: the record's own ones in their
// order, then what this error adds. A record that has been a dead letter
// before gets new values in place of the old ones, and x-retries rises; it is
// 0 the first time.
//
// The added headers are those of Kafka Connect's DeadLetterQueueReporter
// (names behind __connect.errors., every value text) and the x- headers.
func (d *DeadLetter) Headers(own []Header) []Header {
	out := make([]Header, 0, len(own)+15)
	retries := 0
	for _, h := range own {
		if h.Key == headerRetries {
			retries = retriesOf(h.Value) + 1
		}
		if !isAdded(h.Key) {
			out = append(out, h)
		}
	}
	partition := strconv.Itoa(int(d.Place.Partition))
	offset := strconv.FormatInt(d.Place.Offset, 10)
	message := "value cannot be read as " + d.Converter + ": " + d.Reason.String()
	if d.Stage == StageKey {
		message = "key cannot be read as " + d.Converter + ": " + d.Reason.String()
	}
	const exception = "auditstream.DataException"
	for _, add := range [...][2]string{
		{connectPrefix + "topic", d.Place.Topic},
		{connectPrefix + "partition", partition},
		{connectPrefix + "offset", offset},
		{connectPrefix + "connector.name", d.Connector},
		{connectPrefix + "task.id", strconv.Itoa(int(d.Task))},
		{connectPrefix + "stage", d.Stage},
		{connectPrefix + "class.name", d.Converter},
		{connectPrefix + "exception.class.name", exception},
		{connectPrefix + "exception.message", message},
		{connectPrefix + "exception.stacktrace", exception + ": " + message},
		{headerOriginalTopic, d.Place.Topic},
		{headerOriginalPartition, partition},
		{headerOriginalOffset, offset},
		{headerError, d.Reason.String()},
		{headerRetries, strconv.Itoa(retries)},
	} {
		out = append(out, Header{add[0], []byte(add[1])})
	}
	return out
}

// isAdded says whether a header is one that an error handler adds.
func isAdded(key string) bool {
	switch key {
	case headerOriginalTopic, headerOriginalPartition, headerOriginalOffset, headerError, headerRetries:
		return true
	}
	return strings.HasPrefix(key, connectPrefix)
}
