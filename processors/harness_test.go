package processors_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"testing"
	"time"

	"github.com/IBM/sarama"
	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/kafka"
	"github.com/auditstream/auditstream/internal/kafkatest"
	"github.com/auditstream/auditstream/processors"
	"github.com/auditstream/auditstream/topology"
)

// t0 is the event time of the first tick of a scenario.
const t0 = int64(1_735_831_800_000_000_000)

// rig is one audit of fresh topics on one broker.
type rig struct {
	t       *testing.T
	cluster *kafkatest.Cluster
	admin   *kadm.Client
	topo    topology.Topology
	counts  map[string]int32
	cfg     processors.Config

	fetchBytes int32 // of children; few make a stream last
}

type option func(*rig)

func atLeastOnce(r *rig)        { r.cfg.ExactlyOnce = false }
func stopAtEnd(r *rig)          { r.cfg.StopAtEnd = true }
func stopOnBad(r *rig)          { r.cfg.StopOnBadRecord = true }
func instance(id string) option { return func(r *rig) { r.cfg.InstanceID = id } }

// newRig makes tick topics with the given partition counts and everything
// that an audit of them needs.
func newRig(t *testing.T, c *kafkatest.Cluster, partitions ...int) *rig {
	r := &rig{t: t, cluster: c, admin: c.Admin(t), counts: map[string]int32{}}
	name := kafkatest.Name(t)
	var topics []string
	widest := 0
	for i, n := range partitions {
		topic := fmt.Sprintf("%s-ticks-%d", name, i)
		c.CreateTopic(t, topic, n)
		topics = append(topics, topic)
		r.counts[topic] = int32(n)
		widest = max(widest, n)
	}
	r.topo = topology.New(topology.Options{Name: name, Topics: topics, DeadLetterTopic: name + "-dead"})
	for _, topic := range r.topo.Topics {
		switch {
		case topic.Role == topology.RoleTicks:
			continue
		case topic.Role == topology.RoleTable && topic.Partitions.Exactly == 0:
			r.counts[topic.Name] = int32(widest)
		default:
			r.counts[topic.Name] = 1
		}
		c.CreateTopic(t, topic.Name, int(r.counts[topic.Name]), "cleanup.policy="+topic.CleanupPolicy)
	}
	r.cfg = auditConfig(t, r.cluster.Brokers, r.topo)
	return r
}

// auditConfig is an audit with short intervals and sessions.
func auditConfig(t testing.TB, brokers []string, topo topology.Topology) processors.Config {
	client := []kgo.Opt{kgo.SeedBrokers(brokers...), kgo.MetadataMinAge(100 * time.Millisecond)}
	var log zerolog.Logger
	switch {
	case os.Getenv("AUDITSTREAM_TEST_LOG") != "":
		log = zerolog.New(os.Stderr).Level(zerolog.DebugLevel).With().Int("pid", os.Getpid()).Timestamp().Logger()
	case t != nil:
		log = zerolog.New(zerolog.NewTestWriter(t)).Level(zerolog.WarnLevel)
	}
	return processors.Config{
		Topology: topo,
		Prepare: func(ctx context.Context) (processors.Prepared, error) {
			p := processors.Prepared{Partitions: map[string]int32{}, TopicIDs: map[string]string{}}
			cl, err := kgo.NewClient(client...)
			if err != nil {
				return p, err
			}
			defer cl.Close()
			listed, err := kadm.NewClient(cl).ListTopics(ctx)
			for name, detail := range listed {
				p.Partitions[name] = int32(len(detail.Partitions))
				p.TopicIDs[name] = detail.ID.String()
			}
			return p, err
		},
		Brokers:       brokers,
		ClientOptions: client,
		ConsumerOptions: append(append([]kgo.Opt(nil), client...),
			kgo.SessionTimeout(sessionTimeout), kgo.HeartbeatInterval(heartbeatInterval), kgo.FetchMaxWait(100*time.Millisecond),
			kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.FetchIsolationLevel(kgo.ReadCommitted()),
			kgo.DisableAutoCommit(), kgo.WithPools(new(kafka.RecordPool)), kgo.WithDecompressor(kafka.NewDecompressor())),
		Sarama: func() (*sarama.Config, error) {
			c := sarama.NewConfig()
			c.Version = sarama.MaxVersion
			c.Net.MaxOpenRequests = 1
			c.Producer.RequiredAcks = sarama.WaitForAll
			c.Producer.Idempotent = true
			c.Producer.Partitioner = sarama.NewManualPartitioner
			c.Producer.Return.Successes, c.Producer.Return.Errors = true, true
			c.Producer.Transaction.Timeout = 10 * time.Second
			return c, nil
		},
		Decoder: func() (codecs.TickDecoder, error) {
			return codecs.NewJSON(codecs.Fields{Symbol: "symbol", Timestamp: "ts"})
		},
		Limits:             engine.DefaultLimits(),
		ExactlyOnce:        true,
		CheckpointInterval: 200 * time.Millisecond,
		SessionTimeout:     sessionTimeout,
		HeartbeatInterval:  heartbeatInterval,
		InstanceID:         "one",
		Logger:             log,
		Status:             processors.NewStatus(),
	}
}

const (
	sessionTimeout    = 6 * time.Second
	heartbeatInterval = 500 * time.Millisecond
)

// running is one process's audit under way.
type running struct {
	r      *rig
	cancel context.CancelFunc
	done   chan error
	Status *processors.Status
}

// start runs an audit in this process.
func (r *rig) start(opts ...option) *running {
	was := r.cfg
	defer func() { r.cfg = was }()
	r.cfg.Status, r.cfg.StateDir = processors.NewStatus(), r.t.TempDir()
	for _, o := range opts {
		o(r)
	}
	ctx, cancel := context.WithCancel(context.Background())
	a := &running{r: r, cancel: cancel, done: make(chan error, 1), Status: r.cfg.Status}
	cfg := r.cfg
	go func() { a.done <- processors.Run(ctx, cfg) }()
	r.t.Cleanup(func() { cancel(); _ = <-a.done })
	return a
}

// wait waits until the audit has ended by itself.
func (a *running) wait() error {
	a.r.t.Helper()
	select {
	case err := <-a.done:
		close(a.done)
		return err
	case <-time.After(kafkatest.AwaitTimeout):
		a.r.t.Fatalf("the audit does not end; %+v", a.Status.Stats())
		return nil
	}
}

// stop ends the audit in order.
func (a *running) stop() {
	a.r.t.Helper()
	a.cancel()
	if err := a.wait(); err != nil {
		a.r.t.Fatalf("stop: %v", err)
	}
}

// audit runs an audit to the end of the topics.
func (r *rig) audit(opts ...option) {
	r.t.Helper()
	if err := r.start(append(opts, stopAtEnd)...).wait(); err != nil {
		r.t.Fatalf("run to the end: %v", err)
	}
}

func (r *rig) topic() string { return r.topo.OfRole(topology.RoleTicks)[0] }

// tick is a good record of a symbol, its event time so long after t0.
func (r *rig) tick(partition int32, symbol string, after time.Duration) *kgo.Record {
	value := fmt.Sprintf(`{"symbol":%q,"ts":%d}`, symbol, t0+int64(after))
	return &kgo.Record{Topic: r.topic(), Partition: partition, Key: []byte(symbol), Value: []byte(value), Timestamp: time.Unix(0, t0+int64(after))}
}

func (r *rig) produce(records ...*kgo.Record) { r.cluster.Produce(r.t, records...) }

// committed is the next offset that the audit has committed, -1: none.
func (r *rig) committed(topic string, partition int32) int64 {
	offsets, err := r.admin.FetchOffsets(context.Background(), topology.NamesOf(r.topo.Name).Group)
	if err != nil {
		return -1
	}
	if o, ok := offsets.Lookup(topic, partition); ok {
		return o.At
	}
	return -1
}

func (r *rig) awaitCommitted(partition int32, offset int64) {
	r.t.Helper()
	kafkatest.Eventually(r.t, fmt.Sprintf("a committed offset of %d on partition %d", offset, partition), func() bool {
		return r.committed(r.topic(), partition) >= offset
	})
}

// reports reads the audit topic as a subscriber does. A killed process may have
// left a transaction open, behind which a subscriber sees nothing until its
// timeout: that is waited for.
func (r *rig) reports() []engine.Report {
	r.t.Helper()
	var reports []engine.Report
	audit := r.topo.OfRole(topology.RoleAudit)[0]
	r.cluster.AwaitStable(r.t, audit)
	for _, record := range r.cluster.ReadAll(r.t, audit, true) {
		var report engine.Report
		if err := json.Unmarshal(record.Value, &report); err != nil {
			r.t.Fatalf("report at offset %d: %v", record.Offset, err)
		}
		reports = append(reports, report)
	}
	return reports
}

// final is the last FINAL report of a topic.
func (r *rig) final(topic string) engine.Report {
	r.t.Helper()
	reports := r.reports()
	for i := len(reports) - 1; i >= 0; i-- {
		if p := reports[i]; p.Trigger == engine.TriggerFinal && p.Scope == engine.ScopeTopic && p.Topic == topic {
			return p
		}
	}
	r.t.Fatalf("no FINAL report of %s among %d", topic, len(reports))
	return engine.Report{}
}

// opened are the findings that were opened, by code, and how often each id was.
func (r *rig) opened() (byCode map[engine.Code][]engine.Finding, byID map[string]int) {
	r.t.Helper()
	byCode, byID = map[engine.Code][]engine.Finding{}, map[string]int{}
	for _, report := range r.reports() {
		if report.Trigger != engine.TriggerFinding {
			continue
		}
		for _, f := range report.Findings {
			if f.State == engine.Opened {
				byCode[f.Code] = append(byCode[f.Code], f)
				byID[f.ID]++
			}
		}
	}
	return byCode, byID
}

func wantTicks(t *testing.T, report engine.Report, want map[string]int64) {
	t.Helper()
	total := int64(0)
	for _, n := range want {
		total += n
	}
	if report.TotalTicks != total || !maps.Equal(report.PartitionTicks, want) {
		t.Errorf("%d ticks %v, want %d %v", report.TotalTicks, report.PartitionTicks, total, want)
	}
}
