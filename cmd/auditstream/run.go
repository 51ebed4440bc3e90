package main

import (
	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/view"
	"github.com/auditstream/auditstream/processors"
)

func (a *app) runCommand() *cobra.Command {
	var flags configFlags
	var stopAtEnd bool
	cmd := &cobra.Command{
		Use:   "run -c FILE",
		Short: "Audit live topics until interrupted",
		Long: "run reads the topics of ticks in a group of its own and writes reports to the\n" +
			"audit topic. SIGINT or SIGTERM ends it in order: what is judged is made durable\n" +
			"first. A second one ends it at once.\n\n" +
			"With --stop-at-end it ends by itself and tells on stderr, as it does all else, how\n" +
			"it went: records, ticks and open findings of each topic; log lines where stderr is\n" +
			"no terminal. The audit topic has the FINAL report of each topic by then.",
		Args: cobra.NoArgs,
	}
	flags.register(cmd)
	cmd.Flags().BoolVar(&stopAtEnd, "stop-at-end", false, "end at the ends that the partitions had at the start")
	fails := registerFailOn(cmd, "never")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := a.load(flags)
		if err != nil {
			return err
		}
		log := a.logger()
		summary := &runSummary{topics: c.Topics, reports: c.AuditTopic}
		options := auditOptions{stopAtEnd: stopAtEnd, log: log, status: processors.NewStatus(), onReport: func(r *engine.Report) {
			fails.report(r)
			summary.report(r)
			logFindings(log, r)
		}}
		if err := audit(cmd.Context(), c, options); err != nil {
			return withRights(cmd.Context(), c, c.Topology(), c.ExactlyOnce(), err)
		}
		if stopAtEnd {
			summary.judged, summary.stopped = options.status.Stats().Judged.Records, cmd.Context().Err() != nil
			a.tellEnd(summary, log)
		}
		return fails.err()
	}
	return cmd
}

// tellEnd tells how a run up to the end has ended.
func (a *app) tellEnd(s *runSummary, log zerolog.Logger) {
	if isTerminal(a.err) && !a.quiet && log.GetLevel() <= zerolog.InfoLevel {
		s.write(a.err, view.Style{Colour: a.colour(a.err)})
		return
	}
	s.log(log)
}

// logFindings tells each finding when it opens and when it resolves, never one
// line a record.
func logFindings(log zerolog.Logger, r *engine.Report) {
	if r.Trigger != engine.TriggerFinding {
		return
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.State == engine.Updated {
			continue
		}
		event := log.Warn()
		if f.State == engine.Resolved || f.Severity == engine.Info {
			event = log.Info()
		}
		event = event.Stringer("code", f.Code).Stringer("state", f.State).Stringer("severity", f.Severity).Str("topic", f.Topic)
		if f.Partition != nil {
			event = event.Int32("partition", *f.Partition)
		}
		if f.Symbol != "" {
			event = event.Str("symbol", f.Symbol)
		}
		if f.Group != "" {
			event = event.Str("group", f.Group)
		}
		event.Int64("count", f.Count).Str("finding_id", f.ID).Str("cause", f.Cause).Str("action", f.Action).Msg("finding")
	}
}
