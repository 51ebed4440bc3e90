package engine

import "strconv"

// SchemaVersion is the version of the report's fields.
const SchemaVersion = 1

// Scope says what a report speaks of.
type Scope uint8

// The scopes of a report.
const (
	ScopeTopic Scope = iota
	ScopePartition
)

var scopeNames = [...]string{"TOPIC", "PARTITION"}

func (s Scope) String() string { return scopeNames[min(s, ScopePartition)] }

// MarshalText is the scope as reports spell it.
func (s Scope) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a scope; an unknown one is an error.
func (s *Scope) UnmarshalText(b []byte) error {
	return parseName(b, scopeNames[:], "scope", (*uint8)(s))
}

// Trigger says why a report was written.
type Trigger uint8

// The triggers of a report.
const (
	TriggerInterval Trigger = iota
	TriggerFinding
	TriggerFinal
)

var triggerNames = [...]string{"INTERVAL", "FINDING", "FINAL"}

func (t Trigger) String() string { return triggerNames[min(t, TriggerFinal)] }

// MarshalText is the trigger as reports spell it.
func (t Trigger) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads a trigger; an unknown one is an error.
func (t *Trigger) UnmarshalText(b []byte) error {
	return parseName(b, triggerNames[:], "trigger", (*uint8)(t))
}

// Report is a KafkaTickDistributionReport. A TOPIC report's counts are
// cumulative since the group's first record; a PARTITION report's counts are
// those of its window, so that every record is counted in one of them.
type Report struct {
	ID            string  `json:"report_id"`
	SchemaVersion int     `json:"schema_version"`
	Topic         string  `json:"topic"`
	Scope         Scope   `json:"scope"`
	Trigger       Trigger `json:"trigger"`
	Mode          string  `json:"mode"` // LIVE or REPLAY
	WindowStart   Time    `json:"window_start"`
	WindowEnd     Time    `json:"window_end"`
	Status        Status  `json:"status"`

	TotalTicks      int64            `json:"total_ticks_processed"`
	Partitions      int32            `json:"num_partitions"`
	Assigned        int32            `json:"assigned_partition_id"` // the one partition spoken of, -1: several
	SymbolsMap      map[string]int32 `json:"symbols_partition_map"` // busiest symbols, bounded
	Symbols         int64            `json:"symbols_total"`         // symbols seen so far; of a TOPIC report, each once however many partitions it is on
	MaxLagTicks     *int64           `json:"max_consumer_lag_ticks"`
	Throughput      float64          `json:"throughput_ticks_per_sec"`
	Partitioner     string           `json:"partitioner"`
	OffsetBasis     string           `json:"offset_basis"`
	LaggingID       int32            `json:"lagging_partition_id"` // -1: none
	PartitionTicks  map[string]int64 `json:"partition_tick_counts"`
	SkewRatio       float64          `json:"partition_skew_ratio"`
	SkewApplicable  bool             `json:"skew_audit_applicable"`
	MaxTickAgeMs    *float64         `json:"max_tick_age_ms"` // null unless a budget is set
	OutOfOrder      []string         `json:"out_of_order_symbols"`
	OutOfOrderTotal int64            `json:"out_of_order_symbols_total"`
	Warnings        []string         `json:"warnings"`
	Notes           string           `json:"audit_notes"`

	Partition     *int32 `json:"partition,omitempty"` // PARTITION scope only
	FromOffset    *int64 `json:"from_offset,omitempty"`
	ThroughOffset *int64 `json:"through_offset,omitempty"`
	TimestampType string `json:"timestamp_type"` // the topic's, or "unknown"
	TimestampUnit string `json:"timestamp_unit"` // units seen in values, such as "ns" or "ms,us"

	Counts            Counts    `json:"counts"`
	Findings          []Finding `json:"findings"`
	FindingsTotal     int64     `json:"findings_total"`
	FindingsTruncated bool      `json:"findings_truncated"`
}

// Key is the Kafka key of the report: the topic, or <topic>/<partition>.
func (r *Report) Key() string {
	if r.Partition != nil {
		return r.Topic + "/" + strconv.Itoa(int(*r.Partition))
	}
	return r.Topic
}

// reportID hashes topic, scope and cause.
func reportID(topic, scope, trigger, cause string) string {
	return stableID("report", topic, scope, trigger, cause)
}

// newReport fills what every report of these limits has in common.
func (l *Limits) newReport(topic string, trigger Trigger) *Report {
	r := &Report{
		SchemaVersion: SchemaVersion, Topic: topic, Trigger: trigger, Mode: "LIVE", Status: StatusHealthy,
		Assigned: -1, LaggingID: -1, Partitioner: l.Partitioner, OffsetBasis: l.OffsetBasis,
		TimestampType: l.TimestampType, SymbolsMap: map[string]int32{}, PartitionTicks: map[string]int64{},
		OutOfOrder: []string{}, Warnings: []string{}, Findings: []Finding{}, WindowStart: NoTime, WindowEnd: NoTime,
	}
	if r.TimestampType == "" {
		r.TimestampType = "unknown"
	}
	if l.Replay {
		r.Mode = "REPLAY"
	}
	return r
}

// list puts findings into the report, bounded, the rest counted, and sets
// status and warnings by those that are open.
func (r *Report) list(fs []Finding, limit int) {
	r.FindingsTotal = int64(len(fs))
	for i := range fs {
		f := &fs[i]
		if f.State != Resolved {
			r.Status = worse(r.Status, statusOf(f.Code))
		}
		if len(r.Findings) < limit {
			r.Findings = append(r.Findings, f.copied())
			if f.Severity >= Warning {
				r.Warnings = append(r.Warnings, f.Code.String()+": "+f.Cause)
			}
		}
	}
	r.FindingsTruncated = len(fs) > len(r.Findings)
}
