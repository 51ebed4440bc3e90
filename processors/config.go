package processors

import (
	"context"
	"io"
	"time"

	"github.com/IBM/sarama"
	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/topology"
)

// Prepared is what a run needs to know of its topics.
type Prepared struct {
	Partitions map[string]int32  // partition count of every topic of the topology
	TopicIDs   map[string]string // Kafka's ids of the tick topics
	MaxBytes   map[string]int    // max.message.bytes of the topics that are written to, where known
}

// Config is what [Run] needs.
type Config struct {
	Topology topology.Topology
	// Prepare is preflight: it makes sure that the groups are free and that
	// every topic exists and answers. It is called before anything is joined,
	// and again after a tick topic has grown.
	Prepare func(context.Context) (Prepared, error)

	prepared   Prepared
	most       int                                                                // bytes that a message may have, 0: not known yet
	dial       func(*sarama.Config) (io.Closer, sarama.AsyncProducer, error)      // default: sarama
	table      func(table string, from map[int32]kgo.Offset) (tableReader, error) // default: franz-go
	anyTopicID bool                                                               // a topic is the same by its name; for tests, in which no log can be truncated

	Brokers         []string
	ConsumerOptions []kgo.Opt                          // members of the groups: connection, fetching, session
	ClientOptions   []kgo.Opt                          // everything else: connection only
	Sarama          func() (*sarama.Config, error)     // a new one for each call
	Decoder         func() (codecs.TickDecoder, error) // a new one for each partition
	Schemas         Schemas                            // what decoding may have to wait for; nil: nothing
	Reports         codecs.ReportForm                  // how reports are written
	Converter       string                             // value.converter, for dead letters; default json
	Limits          engine.Limits

	ExactlyOnce        bool          // a checkpoint is one transaction
	CheckpointInterval time.Duration // state, reports and offsets are made durable so often
	SessionTimeout     time.Duration // of the group members, as in ConsumerOptions
	HeartbeatInterval  time.Duration
	RetryFor           time.Duration // what fails this long ends the run; default 150 s

	// Settings reads the settings of the tick topics by name; nil: they are not judged.
	Settings func(context.Context) (map[string]engine.TopicSettings, error)
	settings *settingsWatch

	StopOnBadRecord bool     // errors.tolerance=none
	LagGroups       []string // consumer.lag.groups: names or regular expressions
	StopAtEnd       bool     // end at the ends that the partitions had at the start

	InstanceID string // "": host name and the first free slot on it
	StateDir   string // slot locks

	Logger  zerolog.Logger
	Status  *Status  // nil: nobody looks
	Control *Control // nil: nobody pauses or stops the audit
	// OnReport is told each report when it has become durable, from one goroutine
	// a group. With StopAtEnd that is every topic's FINAL report where this
	// instance has the statistics, though an earlier run may have written it.
	OnReport func(*engine.Report)
}

// The times that are no configuration.
const (
	stopFor     = 3 * time.Second        // a session's end may take so long at a stop
	leaveFor    = time.Second            // leaving both groups may take so long
	holdAfter   = 2 * time.Second        // a checkpoint that takes longer holds the input
	urgentAfter = 100 * time.Millisecond // longest time that a finding waits after a checkpoint
	loopEvery   = 50 * time.Millisecond  // resolution of the checkpoint loop
	sweepEvery  = time.Second
	fetchFor    = 5 * time.Second  // within this much a client has what is readable
	quietFor    = 30 * time.Second // a log that gives nothing for so long has nothing more to give; a stall is shorter
)

func (c *Config) setDefaults() {
	if c.CheckpointInterval <= 0 {
		c.CheckpointInterval = time.Second
	}
	if c.SessionTimeout <= 0 {
		c.SessionTimeout = 45 * time.Second
	}
	if c.HeartbeatInterval <= 0 {
		c.HeartbeatInterval = 3 * time.Second
	}
	if c.RetryFor <= 0 {
		c.RetryFor = 150 * time.Second
	}
	if c.dial == nil {
		c.dial = func(config *sarama.Config) (io.Closer, sarama.AsyncProducer, error) {
			return dialSarama(c.Brokers, config)
		}
	}
	if c.table == nil {
		c.table = c.openTable
	}
	c.settings = &settingsWatch{read: c.Settings}
	if c.Converter == "" {
		c.Converter = "json"
	}
	if c.Status == nil {
		c.Status = NewStatus()
	}
	if c.OnReport == nil {
		c.OnReport = func(*engine.Report) {}
	}
}

func (c *Config) names() topology.Names { return topology.NamesOf(c.Topology.Name) }

// topic returns the only topic of that role, or "".
func (c *Config) topic(role topology.Role) string {
	for _, name := range c.Topology.OfRole(role) {
		return name
	}
	return ""
}

func (c *Config) tickTopics() []string { return c.Topology.OfRole(topology.RoleTicks) }
