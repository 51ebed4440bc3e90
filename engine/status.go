package engine

// Status is the one word of a report: the most severe state that holds now.
type Status uint8

// The statuses, most severe first.
const (
	StatusOffset Status = iota
	StatusLag
	StatusSkew
	StatusStale
	StatusUnbalanced
	StatusHealthy
)

var statusNames = [...]string{
	"OFFSET_INCONSISTENCY_WARNING", "CONSUMER_LAG_WARNING", "CLOCK_SKEW_WARNING",
	"STALE_TICK_WARNING", "PARTITION_UNBALANCED_WARNING", "KAFKA_STREAM_HEALTHY",
}

func (s Status) String() string { return statusNames[min(s, StatusHealthy)] }

// MarshalText is the status as reports spell it.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a status; an unknown one is an error.
func (s *Status) UnmarshalText(b []byte) error {
	return parseName(b, statusNames[:], "status", (*uint8)(s))
}

// statusOf is the status that an open finding of the code stands for.
func statusOf(c Code) Status {
	switch c {
	case OffsetInconsistency:
		return StatusOffset
	case ConsumerLag:
		return StatusLag
	case ClockSkew:
		return StatusSkew
	case StaleTick:
		return StatusStale
	case PartitionUnbalanced:
		return StatusUnbalanced
	}
	return StatusHealthy
}

// worse is the more severe of two statuses.
func worse(a, b Status) Status { return min(a, b) }
