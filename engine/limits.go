package engine

import "time"

// Limits are the thresholds by which findings are judged. The zero value of
// a Duration switches its rule off where the field says so.
type Limits struct {
	MaxTickAge           time.Duration // staleness budget of a tick; 0: off
	MaxSymbolSilence     time.Duration // silence budget of a symbol, in open time; 0: off
	AutoSilence          bool          // in place of it: a budget from each symbol's own rate
	Calendar             Calendar      // when markets are open; nil: always
	ClockSkewTolerance   time.Duration // a tick ahead of the clock by more is skewed
	PartitionSkew        float64       // busiest ÷ mean load above which a topic is unbalanced
	PartitionSkewMin     int64         // ticks that a window needs to be judged for skew
	MaxLagTicks          int64         // a watched group's lag above this is a breach
	MaxLag               time.Duration // the same for the age of the oldest unread record; 0: off
	ReportInterval       time.Duration // length of a report window
	FindingsPerReport    int           // findings listed in one report; the rest is counted
	SymbolsPerReport     int           // symbols listed in one report; the rest is counted
	Partitioner          string        // configured partitioner, or "auto"
	ProducerHeader       string        // record header that names the producer; empty: producers cannot be told apart
	OffsetBasis          string        // COMMITTED or CURRENT_POSITION
	NormalizeUpper       bool          // symbol.normalize=upper: keys are compared stripped and in upper case
	TimestampType        string        // the topic's timestamp type, empty when not known
	UncommittedReads     bool          // the reader sees records of open and aborted transactions
	Replay               bool          // reports carry mode REPLAY
	Now                  int64         // replay --now: the clock for age and skew; NoTime: each record's own time
	OrderByVenue         bool          // field.venue is set: order and numbers are judged by symbol and venue
	Sequences            bool          // field.sequence is set
	SequenceFiltered     []string      // venues whose numbers have holes by design; "*": all
	BackfillMin          int64         // ticks of a run that are a backfill; 0: off
	LateTolerance        time.Duration // a tick behind by at most this is a late report, no disorder; 0: off
	LateVenues           []string      // venues that report late by rule; none: the tolerance is for all ticks
	Unit                 Unit          // configured unit of event times
	SpellingsPerEvidence int           // spellings, symbols and reasons kept in one finding's evidence
}

// DefaultLimits are the defaults of the configuration.
func DefaultLimits() Limits {
	return Limits{
		PartitionSkew: 2, PartitionSkewMin: 100, MaxLagTicks: 10_000, MaxLag: 30 * time.Second,
		ReportInterval: 10 * time.Second, FindingsPerReport: 100, SymbolsPerReport: 20,
		Partitioner: "auto", OffsetBasis: "COMMITTED", Now: NoTime, SpellingsPerEvidence: 8, BackfillMin: 10,
	}
}

const (
	// episodeQuiet is the record time without a further fault after which an
	// episode is over.
	episodeQuiet = int64(10 * time.Second)
	// updateEvery is the least time between two UPDATED events of a finding.
	updateEvery = int64(time.Minute)
	// aheadJitter is how much further ahead of its own record time than the
	// symbol's other ticks a tick must be to be kept apart from them, so that
	// one wrong tick does not make every later one look late. Recorded feeds
	// show 14 to 25 ms of jitter.
	aheadJitter = int64(50 * time.Millisecond)
	// aheadMin is the same against a clock that is not the record's own.
	aheadMin = int64(time.Second)
	// futureMax is how far ahead of the wall clock a record time is taken for
	// what it says.
	futureMax = int64(time.Minute)
	// idleGrace is how long after a window's end, by the clock, a live
	// partition closes it without a record that says so.
	idleGrace = int64(2 * time.Second)
	// idleEpisode is how long past its quiet time, by the clock, a live
	// partition ends an episode without a record that says so.
	idleEpisode = int64(20 * time.Second)
	// recordTick is the resolution of Kafka's record times: a record written
	// at 1.9 ms carries 1 ms, so an event at 1.5 ms is not ahead of it.
	recordTick = int64(time.Millisecond) - 1
)
