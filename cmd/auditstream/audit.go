package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/IBM/sarama"
	"github.com/rs/zerolog"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/config"
	"github.com/auditstream/auditstream/internal/converter"
	"github.com/auditstream/auditstream/internal/kafka"
	"github.com/auditstream/auditstream/internal/livepage"
	"github.com/auditstream/auditstream/processors"
)

// auditOptions are what a command wants of an audit beyond its configuration.
type auditOptions struct {
	stopAtEnd bool
	log       zerolog.Logger
	onReport  func(*engine.Report) // each report when it is durable; nil: nobody looks
	status    *processors.Status   // nil: one of its own
	control   *processors.Control  // of the audit under way
	board     *livepage.Board      // what its page shows
	listening func([]string)       // told the addresses of HTTP, may be nil
}

// audit runs the audit that a configuration describes until the context ends
// or the audit is over. It is `run`, and what the demo watches.
func audit(ctx context.Context, c *config.Config, o auditOptions) error {
	defer collectRarely()()
	admin, err := kafka.Connect(ctx, c)
	if err != nil {
		return unlessStopped(ctx, err)
	}
	defer admin.Close()
	if o.status == nil {
		o.status = processors.NewStatus()
	}
	values, err := converter.Open(c, o.log)
	if err != nil {
		return err
	}
	defer values.Close()
	o.control = processors.NewControl(o.log)
	o.board = pageBoard(c, o.status, o.control)
	o.onReport = both(o.board.Report, o.onReport)
	p, err := processorConfig(ctx, admin, c, o)
	if err != nil {
		return unlessStopped(ctx, err)
	}
	p.Decoder, p.Converter = values.Decoder, c.ValueConverter
	if schemas := values.Schemas(); schemas != nil {
		p.Schemas = schemas
	}
	// An address that is taken is told before any topic is made, faults of the
	// topics before anything answers.
	server, err := listen(ctx, admin, c, o)
	if err != nil {
		return unlessStopped(ctx, err)
	}
	defer server.Close()
	page, closePage := context.WithCancel(ctx)
	defer closePage()
	go o.board.Run(page)
	if p.Prepare, err = preparedOnce(ctx, p.Prepare); err != nil {
		return unlessStopped(ctx, err)
	}
	if p.Limits.TimestampType, err = timestampType(ctx, admin, c); err != nil {
		return unlessStopped(ctx, err)
	}
	server.Serve()
	if o.listening != nil {
		o.listening(server.Addresses())
	}
	o.log.Info().Str("name", c.Name).Strs("topics", c.Topics).Str("audit_topic", c.AuditTopic).Strs("http", server.Addresses()).Msg("audit starts")
	if c.Calendar != nil && !c.Calendar.Through().IsZero() && time.Now().After(c.Calendar.Through()) {
		o.log.Warn().Time("through", c.Calendar.Through()).Msg("holidays after the calendar's last day are not known: regular hours are taken to hold")
	}
	if kafka.ReadsUncommitted(c) {
		o.log.Warn().Msg("isolation.level is read_uncommitted: records of open and aborted transactions are audited too")
	}
	if p.Reports, err = reportForm(ctx, c, values.Schemas(), o.log); err != nil {
		return unlessStopped(ctx, err)
	}
	err = values.Explain(processors.Run(ctx, p))
	o.log.Info().Err(err).Msg("audit ends")
	return err
}

// unlessStopped makes nothing of an error that came of the user's own stop.
func unlessStopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func processorConfig(ctx context.Context, admin *kafka.Admin, c *config.Config, o auditOptions) (processors.Config, error) {
	consumer, err := kafka.ConsumerOptions(c)
	if err != nil {
		return processors.Config{}, err
	}
	requests, err := kafka.AdminOptions(c)
	if err != nil {
		return processors.Config{}, err
	}
	stateDir, err := stateFolder(c)
	if err != nil {
		return processors.Config{}, err
	}
	client := c.Client(config.Consumer)
	return processors.Config{
		Topology: c.Topology(),
		Prepare: func(ctx context.Context) (processors.Prepared, error) {
			return prepare(ctx, admin, c, o.log)
		},
		Brokers:            c.BootstrapServers,
		ConsumerOptions:    consumer,
		ClientOptions:      requests,
		Sarama:             func() (*sarama.Config, error) { return kafka.SaramaConfig(c) },
		Limits:             limitsOf(c),
		Settings:           func(ctx context.Context) (map[string]engine.TopicSettings, error) { return readSettings(ctx, admin, c) },
		ExactlyOnce:        c.ExactlyOnce(),
		CheckpointInterval: c.CheckpointInterval,
		SessionTimeout:     client.Millis("session.timeout.ms"),
		HeartbeatInterval:  client.Millis("heartbeat.interval.ms"),
		RetryFor:           c.Client(config.Producer).Millis("delivery.timeout.ms"),
		StopOnBadRecord:    c.ErrorsTolerance == "none",
		LagGroups:          c.ConsumerLagGroups,
		StopAtEnd:          o.stopAtEnd,
		InstanceID:         c.InstanceID,
		StateDir:           stateDir,
		Logger:             o.log,
		Status:             o.status,
		Control:            o.control,
		OnReport:           o.onReport,
	}, nil
}

// prepare is preflight in the processors' terms; it logs what it did.
func prepare(ctx context.Context, admin *kafka.Admin, c *config.Config, log zerolog.Logger) (processors.Prepared, error) {
	found, err := preflight(ctx, admin, c)
	if err != nil {
		return processors.Prepared{}, err
	}
	if len(found.Created) > 0 {
		log.Info().Strs("topics", found.Created).Msg("topics made")
	}
	if len(found.Widened) > 0 {
		log.Info().Strs("tables", found.Widened).Msg("tables made as wide as topics that have grown")
	}
	if c.ExactlyOnce() {
		admin.AwaitTransactions(ctx, c.Topology().Name)
	}
	for _, warning := range found.Warnings {
		log.Warn().Msg(warning)
	}
	p := processors.Prepared{Partitions: map[string]int32{}, TopicIDs: map[string]string{}, MaxBytes: found.MaxBytes}
	for name, detail := range found.Topics {
		p.Partitions[name] = int32(len(detail.Partitions))
		p.TopicIDs[name] = detail.ID.String()
	}
	return p, nil
}

// preparedOnce calls prepare now and lets the first later call have its result.
func preparedOnce(ctx context.Context, prepare func(context.Context) (processors.Prepared, error)) (func(context.Context) (processors.Prepared, error), error) {
	first, err := prepare(ctx)
	used := false
	return func(ctx context.Context) (processors.Prepared, error) {
		if used {
			return prepare(ctx)
		}
		used = true
		return first, nil
	}, err
}

// timestampType is the tick topics' message.timestamp.type, or "" when it is
// not known or not the same for all.
func timestampType(ctx context.Context, admin *kafka.Admin, c *config.Config) (string, error) {
	settings, err := admin.Settings(ctx, c.Topics...)
	if err != nil {
		return "", err
	}
	kind := settings[c.Topics[0]]["message.timestamp.type"]
	for _, topic := range c.Topics {
		if settings[topic]["message.timestamp.type"] != kind {
			return "", nil
		}
	}
	return kind, nil
}

// readSettings reads the settings of the tick topics, as they are judged.
func readSettings(ctx context.Context, admin *kafka.Admin, c *config.Config) (map[string]engine.TopicSettings, error) {
	details, err := admin.Describe(ctx, c.Topics...)
	if err != nil {
		return nil, err
	}
	settings, err := admin.Settings(ctx, c.Topics...)
	if err != nil {
		return nil, err
	}
	metadata, err := admin.BrokerMetadata(ctx)
	if err != nil {
		return nil, err
	}
	all := make(map[string]engine.TopicSettings, len(details))
	for name, detail := range details {
		if detail.Err == nil {
			all[name] = engine.TopicSettings{
				Topic: name, Bootstrap: c.BootstrapServers[0], Brokers: len(metadata.Brokers), Replicas: detail.Partitions.NumReplicas(),
				Values: settings[name], Keep: engine.KeepHistory,
			}
		}
	}
	return all, nil
}

// stateFolder is the key state.dir, or a folder in the user's cache.
func stateFolder(c *config.Config) (string, error) {
	if c.StateDir != "" {
		return c.StateDir, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", withTry(fmt.Errorf("state.dir: no cache folder: %w", err), "set the key state.dir")
	}
	return filepath.Join(cache, "auditstream"), nil
}
