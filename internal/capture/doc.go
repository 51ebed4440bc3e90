// Package capture reads capture files of a topic as a stream of records:
// the lines that kcat -J writes, and bare NDJSON of ticks; plain, gzip or
// zstd, told apart by their content.
//
// Bytes are kept as they were: kcat writes those of keys and payloads from
// 0x80 on as they are, valid UTF-8 or not. A line that ends too early, as the
// last one of an interrupted capture does, is a record that cannot be read
// rather than an error.
//
// No Kafka client and no finding belongs here.
package capture

import "github.com/auditstream/auditstream/engine"

// Record is one record of a capture.
type Record struct {
	Topic     string // "" in a file of bare ticks
	Partition int32
	Tick      *engine.Tick // the record's first; valid until the next is read
	Line      int64        // counted from 1
}

// MaxPartitions is the greatest partition count of a topic: no cluster has one
// of so many, and what is kept of a topic is proportional to it. A line that
// names a partition beyond it does not say which record it is.
const MaxPartitions = 100_000

// TimestampTypes, as Kafka's topic setting spells them.
const (
	CreateTime    = "CreateTime"
	LogAppendTime = "LogAppendTime"
	mixedTypes    = "mixed"
)
