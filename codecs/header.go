package codecs

import (
	"iter"
	"strconv"
	"time"

	"github.com/auditstream/auditstream/engine"
)

// Header is a header of a Kafka record. A nil value is null, which is not an
// empty one; a name may be repeated or empty.
type Header struct {
	Key   string
	Value []byte
}

// Headers of records that an error handler has put aside, and that a repair
// may have put back: our own, and those of Kafka Connect's dead-letter queue.
const (
	headerOriginalTopic     = "x-original-topic"
	headerOriginalPartition = "x-original-partition"
	headerOriginalOffset    = "x-original-offset"
	headerError             = "x-error"
	headerRetries           = "x-retries"

	// What of a dead letter did not fit, and how large it was.
	headerValueCut   = "x-truncated-from"
	headerKeyCut     = "x-key-truncated-from"
	headerHeadersCut = "x-headers-truncated-from"

	connectPrefix = "__connect.errors."
)

// Origin is the first place of a redelivered record, as x-original-topic,
// -partition and -offset name it, or else __connect.errors.topic, .partition
// and .offset; numbers are decimal text. Of a repeated name the last header
// counts. The result is nil when no such place is named in full.
func Origin(headers iter.Seq2[string, []byte]) *engine.Place {
	var own, connect originHeaders
	for key, value := range headers {
		if len(value) == 0 {
			continue
		}
		switch key {
		case headerOriginalTopic:
			own.topic = value
		case headerOriginalPartition:
			own.partition = value
		case headerOriginalOffset:
			own.offset = value
		case connectPrefix + "topic":
			connect.topic = value
		case connectPrefix + "partition":
			connect.partition = value
		case connectPrefix + "offset":
			connect.offset = value
		}
	}
	if p := own.place(); p != nil {
		return p
	}
	return connect.place()
}

type originHeaders struct{ topic, partition, offset []byte }

func (h *originHeaders) place() *engine.Place {
	if h.topic == nil || h.partition == nil || h.offset == nil {
		return nil
	}
	partition, errPartition := strconv.ParseInt(string(h.partition), 10, 32)
	offset, errOffset := strconv.ParseInt(string(h.offset), 10, 64)
	if errPartition != nil || errOffset != nil || partition < 0 || offset < 0 {
		return nil
	}
	return &engine.Place{Topic: string(h.topic), Partition: int32(partition), Offset: offset}
}

// ReportType is the CloudEvents type of a report.
const ReportType = "auditstream.KafkaTickDistributionReport"

const contentType = "content-type"

// ReportHeaders are the headers of a report's record: CloudEvents in binary
// mode, and the version of the report's fields. ce_time is the end of what
// the report speaks of, so that it is the same whenever the report is
// written; a report about no time has none.
func ReportHeaders(r *engine.Report) []Header {
	h := []Header{
		{"ce_specversion", []byte("1.0")},
		{"ce_id", []byte(r.ID)},
		{"ce_source", []byte("/auditstream/" + r.Key())},
		{"ce_type", []byte(ReportType)},
	}
	if at := reportTime(r); at != engine.NoTime {
		h = append(h, Header{"ce_time", time.Unix(0, at).UTC().AppendFormat(nil, time.RFC3339Nano)})
	}
	return append(h,
		Header{contentType, []byte("application/json")},
		Header{"schema.version", strconv.AppendInt(nil, int64(r.SchemaVersion), 10)})
}

// reportTime is when what the report tells happened, NoTime if unknown.
func reportTime(r *engine.Report) int64 {
	if r.Trigger == engine.TriggerFinding && len(r.Findings) > 0 && r.Findings[0].LastTime != engine.NoTime {
		return int64(r.Findings[0].LastTime)
	}
	return int64(r.WindowEnd)
}
