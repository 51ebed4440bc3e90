package httpapi

import (
	"time"

	"github.com/auditstream/auditstream/engine"
)

// Status is how the audit stands at one moment.
type Status struct {
	NotReady    []string // why the audit is not ready, one clause each; empty: it is
	Partitions  []Partition
	Open        map[engine.Code]int64 // findings open now
	Opened      map[engine.Code]int64 // findings opened since the process started
	Checkpoints Durations
	Rebalances  int64
	GroupLags   []GroupLag
}

// Partition is one partition of a tick topic that this process audits.
type Partition struct {
	Topic     string
	Partition int32
	Records   int64 // judged since the group's first record
	Ticks     int64 // of them good ones
	Lag       int64 // records between the audit and the partition's end
}

// Durations counts events by how long they took.
type Durations struct {
	Count   uint64
	Sum     time.Duration
	Buckets map[time.Duration]uint64 // events that took at most so long, cumulative
}

// GroupLag is how far a watched group is behind the end of a partition.
type GroupLag struct {
	Group     string
	Topic     string
	Partition int32
	Lag       int64
}
