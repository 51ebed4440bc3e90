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
	progress := a.newProgress(nil)
	defer progress.end()
	options.Progress, options.Note = progress.at, progress.note
	of, err := f.of(c, &options)
	if err != nil {
		return err
	}
	var earlier *outputState
	if f.resume != "" {
		if options.State, earlier, err = f.earlier(of, progress.note); err != nil {
			return err
		}
	}
	admin, err := kafka.Connect(ctx, c)
	if err != nil {
		return err
	}
	defer admin.Close()
	found, err := topicsOf(ctx, admin, c, topology.RoleTicks, f.publish)
	if err != nil {
		return err
	}
	if options.Limits.TimestampType, err = timestampType(ctx, admin, c); err != nil {
		return err
	}
	cluster := replay.Cluster{Admin: admin.Client, Uncommitted: kafka.ReadsUncommitted(c), FetchBytes: kafka.FetchBytes(c)}
	if cluster.Options, err = kafka.ReaderOptions(c); err != nil {
		return err
	}
	out, err := a.reportsTo(f, fails, earlier)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.close(err == nil)) }()
	if f.publish {
		if out.audit, err = newPublisher(c, int32(found.Partitions()[c.AuditTopic])); err != nil {
			return err
		}
		if out.audit.form, err = f.form(ctx); err != nil {
			return err
		}
	}
	options.Report = progress.noting(out.report)
	if f.resume != "" {
		options.Resume = &replay.Resume{Path: f.resume, Every: c.CheckpointInterval, Of: of, Output: out.checkpoint}
	}
	return stopped(asUsage(tolerance(replay.RunHistory(ctx, cluster, options))), f)
}

// stopped says how a replay that was interrupted can go on.
func stopped(err error, f *replayFlags) error {
	switch {
	case !errors.Is(err, context.Canceled):
		return err
	case f.resume != "":
		return withTry(err, "the same command, to go on from there")
	}
	return withTry(err, "--resume FILE, for a replay that can go on")
}

// topicsOf makes sure that the topics of a role exist. With publish the audit
// topic is made when it is missing; nothing else is ever made.
func topicsOf(ctx context.Context, admin *kafka.Admin, c *config.Config, role topology.Role, publish bool) (kafka.Prepared, error) {
	all := c.Topology()
	t := topology.Topology{Name: c.Name}
	for _, topic := range all.Topics {
		if topic.Role == role || publish && topic.Role == topology.RoleAudit {
			t.Topics = append(t.Topics, topic)
		}
	}
	return admin.EnsureTopics(ctx, t)
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
