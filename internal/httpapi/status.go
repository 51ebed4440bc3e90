package httpapi

import (
	"time"

	"github.com/auditstream/auditstream/engine"
)

// Status is how the audit stands at one moment.
type Status struct {
	NotReady    []string // why the audit is not ready, one clause each; empty: it is
	Paused      bool     // on purpose, over Connect's REST
	Partitions  []Partition
	Open        map[engine.Code]int64 // findings open now
	Opened      map[engine.Code]int64 // findings opened since the process started
	Checkpoints Durations             // in which they became durable
	Detections  Durations             // from a record's time until its finding was readable
	TickAges    Durations             // of ticks when they were judged
	OpenSince   map[engine.Code]time.Time
	Topics      []Topic
	Rebalances  int64

	// Watched groups, in the one instance that judges them.
	GroupLags []GroupLag
	Groups    []Group
	Logs      []Log
	LagNames  []string // further names under which lag is exported: kafka_exporter, kminion
}

// Doing is what the audit does as somebody has asked it to over Connect's REST.
type Doing struct {
	State string    // Connect's word: RUNNING, PAUSED, STOPPED, RESTARTING
	Since time.Time // when it was asked to pause or to stop; zero: it was not
	Note  string    // what that means and how to undo it, "": nothing was asked
}

// Topic is a tick topic as the report of its last window shows it.
type Topic struct {
	Topic      string
	Status     engine.Status
	Skew       float64 // busiest ÷ mean
	SkewKnown  bool
	OutOfOrder int64 // symbols
	Symbols    int64 // each once
}

// Partition is one partition of a tick topic that this process audits.
type Partition struct {
	Topic     string
	Partition int32
	Records   int64 // judged since the group's first record
	Ticks     int64 // of them good ones
	Lag       int64 // records between the audit and the partition's end; negative: unknown
	Stalled   bool  // it stands still although records are unread
	Live      bool  // the audit keeps up with it
	Symbols   int64
	Counts    engine.Counts // since the group's first record
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
	Lag       int64         // records; negative: unknown
	Committed int64         // next offset to read; negative: none
	Age       time.Duration // of the oldest unread record; negative: unknown
}

// Group is a watched group as it is described.
type Group struct {
	Name, Type, Protocol, State string
	Members                     int // negative: unknown
	Coordinator                 int32
}

// Log is where a partition of a tick topic starts and ends; negative: unknown.
type Log struct {
	Topic      string
	Partition  int32
	Start, End int64
}
