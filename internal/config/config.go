package config

import (
	"maps"
	"time"

	"github.com/auditstream/auditstream/internal/calendar"
)

// Config is a complete, valid configuration. Its fields are the keys of
// [Keys] under Go names.
type Config struct {
	Name             string
	BootstrapServers []string // host:port
	Topics           []string // audited, each on its own
	AuditTopic       string

	ErrorsTolerance     string // "all" or "none"
	DeadLetterTopic     string // "" means none
	KeyConverter        string
	ValueConverter      string
	AuditValueConverter string
	Registry            Registry

	AvroSchemaFiles                         []string
	ProtobufDescriptorFile, ProtobufMessage string

	FieldSymbol, FieldTimestamp, FieldSequence, FieldVenue string         // dotted paths
	FieldProducer                                          string         // a header's name
	FieldTimestampZone                                     *time.Location // nil: a time without zone is unusable
	FieldTimestampUnit                                     string         // ns, us, ms, s, iso or auto
	TimestampMissing, TimestampDate                        string         // fail or record; none or record
	FieldKind                                              string         // path of what says which kind a message is
	FieldKindTicks                                         []string       // kinds that are ticks, empty: all
	FeedStreams                                            string         // apart or merged
	CSVHeader                                              []string
	CSVDelimiter                                           string // a character, or tab
	SymbolNormalize                                        string // none or upper
	Partitioner                                            string // auto, or a name that plan knows

	MaxTickAge             time.Duration // 0: staleness is not judged
	MaxSymbolSilence       time.Duration // 0: silence is not judged, or is by AutoSilence
	AutoSilence            bool          // by each symbol's own rate
	ClockSkewTolerance     time.Duration
	PartitionSkewThreshold float64 // busiest ÷ mean
	PartitionSkewMinTicks  int64
	BackfillMinRecords     int64
	SequenceFilteredVenues []string // "*" stands for all
	LateReportTolerance    time.Duration
	LateReportVenues       []string // empty: the tolerance is for every tick
	MaxLagTicks            int64
	MaxLag                 time.Duration
	ConsumerLagGroups      []string           // names or regular expressions
	OffsetBasis            string             // COMMITTED or CURRENT_POSITION
	FieldHalt              string             // a path
	HaltValues             []string           // of FieldHalt, that mean a halt
	Calendar               *calendar.Calendar // nil: markets are always open

	ReportInterval       time.Duration
	CheckpointInterval   time.Duration
	ProcessingGuarantee  string // exactly_once_v2 or at_least_once
	FindingsMaxPerReport int

	InstanceID    string // "" means the host name and the first free slot on it
	StateDir      string // "" means the user's cache folder
	RestListeners string // "" means no HTTP

	RestUnprotected            string // "true": beyond loopback without authentication or TLS
	RestUsername, RestPassword string // "" means everybody
	RestKeystore               string // PEM file of certificate chain and key of https listeners
	RestTruststore             string // PEM file of clients' authorities; "" means the system's
	RestClientAuth             string // none, requested or required

	MetricsLagNames []string // names besides the product's own: kafka_exporter, kminion

	Alert Alert

	// Overrides of client settings by Kafka's names, without the prefix.
	Consumer, Producer, Admin map[string]string

	// Notes are things that were accepted and that the user should know.
	Notes []string

	given map[string]setting // what was given, for Settings
}

// ExactlyOnce says whether a checkpoint is one transaction.
func (c *Config) ExactlyOnce() bool { return c.ProcessingGuarantee == ExactlyOnceV2 }

// The two processing guarantees.
const (
	ExactlyOnceV2 = "exactly_once_v2"
	AtLeastOnce   = "at_least_once"
)

// Default returns the configuration that no file, variable or flag has
// touched. It audits nothing, since topics have no default.
func Default() *Config {
	c := &Config{Consumer: map[string]string{}, Producer: map[string]string{}, Admin: map[string]string{}}
	for _, key := range Keys {
		if key.Default == "" {
			continue
		}
		if err := key.set(c, key.Default); err != nil {
			panic("BUG: default of " + key.Name + ": " + err.Error())
		}
	}
	return c
}

// Given returns the keys that were given, with their values as they were
// given, in a flat map: references are not resolved, a secret that is written
// out is hidden.
func (c *Config) Given() map[string]string {
	given := make(map[string]string, len(c.given))
	for name, s := range c.given {
		given[name] = s.shown()
	}
	return given
}

// Settings returns every key with the value in force, as text, in a flat map.
// A secret is shown as the reference that it was given by, or hidden.
func (c *Config) Settings() map[string]string {
	all := make(map[string]string, len(Keys))
	for _, key := range Keys {
		all[key.Name] = key.Default
	}
	all["audit.topic"] = c.AuditTopic
	shown := make(map[string]string, len(c.given))
	for name, s := range c.given {
		shown[name] = s.shown()
	}
	maps.Copy(all, shown)
	return all
}
