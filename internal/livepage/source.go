package livepage

import "time"

// Source is the audit that the page shows.
type Source struct {
	Name, Version string
	State         func() string // RUNNING, PAUSED, ... as Connect says it
	Status        func() Status
	// Symbols finds symbols of this process's partitions, at most so many.
	Symbols func(match func(name string) bool, most int) (found []Symbol, more bool)
	// Distinct is the number of symbols of this process's partitions, each once
	// a topic.
	Distinct func() int64
	// Busiest gives at most so many symbols of each partition of this process.
	Busiest func(most int) []Load
}

// Status is how the audit stands.
type Status struct {
	NotReady   []string
	Instance   string
	StateSince time.Time   // when the audit was asked to pause or to stop; zero: it was not
	StateBy    string      // by whom, as far as known
	Partitions []Partition // of this process
	Ticks      int64       // judged by this process since it started, nothing that it restored
	Disorder   int64       // of them out of order
	Open       int64       // findings
	AgeCount   uint64      // tick ages looked at since the start, and their sum
	AgeSum     time.Duration
}

// Partition is one that this process audits.
type Partition struct {
	Topic     string
	Partition int32
	Ticks     int64 // judged since the group's first record
	Disorder  int64 // of them out of order
	Symbols   int64
	Lag       int64 // records, -1: unknown
	Stalled   bool
	Through   int64
}

// Symbol is a symbol on a partition.
type Symbol struct {
	Topic     string  `json:"topic" doc:""`
	Partition int32   `json:"partition" doc:""`
	Symbol    string  `json:"symbol" doc:""`
	Ticks     int64   `json:"ticks" doc:"since the group's first record"`
	Disorder  int64   `json:"disorder" doc:"of them out of order"`
	Through   int64   `json:"through_offset" doc:"of its last tick"`
	LastEvent *int64  `json:"last_event_ms" doc:"event time of that; <null>: none yet"`
	LastSeen  *int64  `json:"last_seen_ms" doc:"when that was seen"`
	Silent    bool    `json:"silent" doc:"<STALE_TICK> of kind SILENT is open"`
	Late      bool    `json:"late" doc:"an episode of disorder is open"`
	Findings  []story `json:"findings" doc:"<finding>: the last ones about it"`
}

// Load is the busiest symbols of a partition.
type Load struct {
	Topic     string
	Partition int32
	Symbols   []Count
}

// Count is a symbol's number of ticks.
type Count struct {
	Symbol string `json:"symbol" doc:""`
	Ticks  int64  `json:"ticks" doc:""`
}
