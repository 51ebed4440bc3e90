package processors

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/topology"
)

// Run audits until the context ends, or with StopAtEnd until the ends that the
// partitions had at the start. It returns nil after an orderly end: everything
// judged is durable, and the groups are left.
//
// It fails with [*BadRecordError] under StopOnBadRecord, with [*InstanceError]
// when another process has the same instance id, with Prepare's error, or with
// what Kafka has answered for longer than a checkpoint may fail.
func Run(ctx context.Context, cfg Config) error {
	cfg.setDefaults()
	cfg.Status.obeys(cfg.Control)
	beside, done := context.WithCancel(ctx)
	var summary sync.WaitGroup
	summary.Go(func() { cfg.summarize(beside) })
	err := run(ctx, &cfg)
	done()
	summary.Wait()
	if err != nil {
		cfg.Status.update(func(s *Stats) { s.Fatal = err })
	}
	return err
}

func run(ctx context.Context, cfg *Config) error {
	slot, err := takeSlot(cfg.StateDir, cfg.Topology.Name, cfg.InstanceID)
	if err != nil {
		return err
	}
	defer slot.release()
	cfg.Status.update(func(s *Stats) { s.Instance = slot.id })
	if cfg.prepared, err = cfg.Prepare(ctx); err != nil {
		return unlessStopped(ctx, err)
	}
	for {
		if err := cfg.setRoom(); err != nil {
			return err
		}
		a, err := newAudit(cfg, slot.id)
		if err != nil {
			return err
		}
		life, over := cfg.Control.begin(ctx)
		ended := a.run(life)
		switch asked := over(); {
		case asked && ctx.Err() == nil:
			cfg.prepared, err = a.again(ctx, ended)
		case ended == nil || ctx.Err() != nil:
			a.client.Close()
			return ended
		default:
			cfg.prepared, err = a.anew(ctx, ended)
		}
		a.client.Close()
		if err != nil || ctx.Err() != nil {
			return unlessStopped(ctx, err)
		}
	}
}

// unlessStopped makes nothing of an error that came of the stop itself.
func unlessStopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// audit is one life of both groups.
type audit struct {
	cfg          *Config
	instance     string
	client       *kgo.Client
	admin        *kadm.Client
	symbols      *group
	distribution *group
	lags         *lagWatch
	ends         map[place]int64
	names        topology.Names
	looks        *looks
}

func newAudit(cfg *Config, instance string) (*audit, error) {
	if _, err := cfg.Decoder(); err != nil {
		return nil, err
	}
	client, err := kgo.NewClient(cfg.ClientOptions...)
	if err != nil {
		return nil, err
	}
	a := &audit{cfg: cfg, instance: instance, client: client, admin: kadm.NewClient(client), names: cfg.names(), looks: &looks{}}
	if a.lags, err = newLagWatch(a.client, cfg, cfg.tickTopics()); err != nil {
		client.Close()
		return nil, err
	}
	a.makeGroups()
	return a, nil
}

func (a *audit) makeGroups() {
	cfg := a.cfg
	a.symbols = a.newGroup(a.names.Group, a.names.Table, newLayout(a.names.Group+"-ticks", cfg.tickTopics(), cfg.prepared.Partitions))
	a.symbols.newUnit = func(p place) unit {
		decoder, err := cfg.Decoder()
		if err != nil {
			panic("BUG: a decoder that could be made cannot be made again: " + err.Error())
		}
		return newSymbols(cfg, p, a.names.Table, decoder, a.symbols.log)
	}
	a.symbols.control, a.symbols.schemas = cfg.Control, cfg.Schemas
	cfg.Status.waitFor(cfg.Schemas)
	cfg.Status.show(a.symbols)
	a.symbols.onSetup = func(int) { cfg.Status.dropPartitions() }
	a.symbols.onRebalance = func() { cfg.Status.update(func(s *Stats) { s.Rebalances++ }) }
	a.distribution = a.newGroup(a.names.DistributionGroup, a.names.DistributionTable,
		newLayout("", []string{a.names.DistributionTopic}, cfg.prepared.Partitions))
	a.distribution.oldest = true // its topic is the audit's own
	a.distribution.onSetup = func(claims int) {
		if claims == 0 {
			cfg.Status.dropTopics()
		}
	}
	a.distribution.newUnit = func(p place) unit {
		u := newDistribution(cfg, p, a.names.DistributionTable, a.clocks, a.distribution.log)
		u.recall = a.lags.recall
		u.looks = a.looks
		return u
	}
}

func (a *audit) clocks() (lagSample, []int64) { return a.lags.last(), a.symbols.rebalances() }

func (a *audit) newGroup(name, table string, l layout) *group {
	p := producer{dial: func() (io.Closer, sarama.AsyncProducer, error) {
		config, err := a.cfg.Sarama()
		if err != nil {
			return nil, nil, fatal{err}
		}
		config.Producer.MaxMessageBytes = min(config.Producer.MaxMessageBytes, a.cfg.room()) // bounds batches too
		if a.cfg.ExactlyOnce {
			config.Producer.Transaction.ID = name + "-" + a.instance
		}
		return a.cfg.dial(config)
	}}
	g := &group{
		cfg: a.cfg, name: name, table: table, layout: l, instance: a.instance, offsets: a.admin,
		log: a.cfg.Logger.With().Str("group", name).Logger(), budget: newBudget(), errs: make(chan error, 1),
		sink: &inOrder{p},
	}
	if a.cfg.ExactlyOnce {
		g.sink = &oneTransaction{producer: p}
	}
	return g
}

func (a *audit) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if a.cfg.StopAtEnd {
		ends, err := a.currentEnds(ctx)
		if err != nil {
			return err
		}
		a.ends, a.symbols.ends = ends, ends
	}
	groups := []*group{a.symbols, a.distribution}
	var beside, both sync.WaitGroup
	beside.Go(func() { a.lags.run(ctx) })
	beside.Go(func() { a.cfg.settings.run(ctx) })
	beside.Go(func() { a.watchTopics(ctx) })
	if a.cfg.StopAtEnd {
		beside.Go(func() { a.finish(ctx, cancel) })
	}
	failed := make([]error, len(groups))
	for i, g := range groups {
		both.Go(func() {
			failed[i] = g.run(ctx)
			if failed[i] != nil {
				cancel()
			}
		})
	}
	both.Wait()
	cancel()
	beside.Wait()
	err := first(failed)
	a.leave(err)
	return err
}

// first picks the error that explains the others: a plain one before those
// that came of the stop.
func first(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// run takes part in the group until the context ends.
func (g *group) run(ctx context.Context) error {
	if err := g.sink.open(); err != nil {
		return err
	}
	defer g.sink.close()
	p, err := g.processor()
	if err != nil {
		return fmt.Errorf("group %s: %w", g.name, err)
	}
	err = p.Run(ctx)
	if cause := g.cause(); cause != nil {
		if f, ok := cause.(fatal); ok { //nolint:errorlint // only the outermost is taken off
			cause = f.error
		}
		return cause
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// leave leaves the groups, so that others take the partitions over at once. A
// static member that only closes keeps them until its session times out.
func (a *audit) leave(cause error) {
	var other *InstanceError
	if errors.As(cause, &other) {
		return // the id is somebody else's: leaving would throw that one out
	}
	ctx, cancel := context.WithTimeout(context.Background(), leaveFor)
	defer cancel()
	for _, group := range []string{a.names.Group, a.names.DistributionGroup} {
		_, err := a.admin.LeaveGroup(ctx, kadm.LeaveGroup(group).InstanceIDs(a.instance).Reason("the audit ends"))
		if err != nil {
			a.cfg.Logger.Debug().Err(err).Str("group", group).Msg("not left")
		}
	}
}
