package main

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/auditstream/auditstream/internal/config"
	"github.com/auditstream/auditstream/internal/kafka"
	"github.com/auditstream/auditstream/internal/replay"
	"github.com/auditstream/auditstream/topology"
)

// replayTopics audits what the cluster holds of the topics.
func (a *app) replayTopics(ctx context.Context, c *config.Config, f *replayFlags, options replay.Options, fails *failOn) (err error) {
	defer collectRarely()()
	admin, err := kafka.Connect(ctx, c)
	if err != nil {
		return err
	}
	defer admin.Close()
	if err := existing(ctx, admin, c); err != nil {
		return err
	}
	if options.Limits.TimestampType, err = timestampType(ctx, admin, c); err != nil {
		return err
	}
	cluster := replay.Cluster{Admin: admin.Client, Uncommitted: kafka.ReadsUncommitted(c)}
	if cluster.Options, err = kafka.ReaderOptions(c); err != nil {
		return err
	}
	out, err := a.reportsTo(f, fails)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.close()) }()
	progress := a.newProgress(nil)
	defer progress.end()
	options.Progress, options.Note, options.Report = progress.at, progress.note, out.report
	return asUsage(tolerance(replay.RunHistory(ctx, cluster, options)))
}

// existing makes sure that the tick topics exist; it makes nothing.
func existing(ctx context.Context, admin *kafka.Admin, c *config.Config) error {
	t := topology.Topology{Name: c.Name}
	for _, topic := range c.Topics {
		t.Topics = append(t.Topics, topology.Topic{Name: topic, Role: topology.RoleTicks})
	}
	_, err := admin.EnsureTopics(ctx, t)
	return err
}

// parseRate reads bytes a second: a number, with k, M or G for powers of 1000,
// such as 20M or 20MB/s. The empty text is no limit.
func parseRate(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	digits, scale := strings.TrimSuffix(strings.TrimSuffix(text, "/s"), "B"), 1.0
	for suffix, n := range map[string]float64{"k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9} {
		if rest, ok := strings.CutSuffix(digits, suffix); ok {
			digits, scale = rest, n
			break
		}
	}
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil || !(n*scale >= 1 && n*scale <= 1e15) {
		return 0, usagef("--max-rate %q is no number of bytes a second, such as 500k, 20M or 1.5G", text)
	}
	return int64(n * scale), nil
}
