package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/internal/config"
	"github.com/auditstream/auditstream/internal/kafka"
	"github.com/auditstream/auditstream/internal/subscribe"
	"github.com/auditstream/auditstream/internal/view"
)

// watchFlags are what watch shows.
type watchFlags struct {
	json          bool
	fromBeginning bool
}

func (a *app) watchCommand() *cobra.Command {
	var flags configFlags
	var show watchFlags
	cmd := &cobra.Command{
		Use:   "watch -c FILE",
		Short: "Show the audit topic's findings as they open and resolve",
		Long: "watch reads the audit topic, read committed and without a group, and writes one\n" +
			"line for each finding that opens, is updated or is resolved. On a terminal a line\n" +
			"a topic below them says how it stands; in a pipe there are plain lines alone. It\n" +
			"ends on Ctrl-C.",
		Args: cobra.NoArgs,
	}
	flags.register(cmd)
	cmd.Flags().BoolVar(&show.json, "json", false, "write every report as it is, one JSON object a line")
	cmd.Flags().BoolVar(&show.fromBeginning, "from-beginning", false, "start at the oldest report, not at the end")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := a.load(flags, config.TopicsOptional())
		if err != nil {
			return err
		}
		if c.AuditTopic == "" {
			return usagef("no audit topic: set audit.topic or topics")
		}
		return unlessStopped(cmd.Context(), a.watch(cmd.Context(), c, show))
	}
	return cmd
}

func (a *app) watch(ctx context.Context, c *config.Config, show watchFlags) error {
	admin, err := kafka.Connect(ctx, c) // says by itself what keeps a cluster out of reach
	if err != nil {
		return err
	}
	admin.Close()
	options, err := kafka.AdminOptions(c)
	if err != nil {
		return err
	}
	reports, closeReports, err := reportsOf(c, a.logger())
	if err != nil {
		return err
	}
	defer closeReports()
	defer context.AfterFunc(ctx, closeReports)()
	tell := a.tellFindings
	if show.json {
		tell = a.passReports
	}
	err = subscribe.Reports(ctx, subscribe.Options{
		Client: options, Topic: c.AuditTopic, FromBeginning: show.fromBeginning, Form: reports.Decode,
		Ready: func() {
			if isTerminal(a.err) && !a.quiet {
				fmt.Fprintf(a.err, "watching %s, Ctrl-C ends\n", c.AuditTopic)
			}
		},
	}, tell())
	if errors.Is(err, subscribe.ErrNoTopic) {
		return withTry(usageError{err}, "auditstream run, which makes it, or check the key audit.topic")
	}
	return err
}

// passReports writes reports as they are, those in Avro as JSON; what is no report is told on stderr.
func (a *app) passReports() func(subscribe.Report) error {
	return func(r subscribe.Report) error {
		if r.Err != nil {
			fmt.Fprintln(a.err, "note:", view.Safe(r.Err.Error()))
			return nil
		}
		text := r.Record.Value
		if _, _, framed := codecs.Frame(text); framed {
			var err error
			if text, err = codecs.EncodeReport(r.Report); err != nil {
				return err
			}
		}
		_, err := fmt.Fprintf(a.out, "%s\n", text)
		return err
	}
}

// tellFindings writes a line for each event of a finding.
func (a *app) tellFindings() func(subscribe.Report) error {
	style := view.Style{Colour: a.colour(a.out)}
	if isTerminal(a.out) && a.getenv("TERM") != "dumb" && !a.quiet {
		return a.tellLive(style)
	}
	var tracker view.Tracker
	return func(r subscribe.Report) error {
		if r.Err != nil {
			fmt.Fprintln(a.err, "note:", view.Safe(r.Err.Error()))
			return nil
		}
		events := tracker.Events(r.Report)
		for i := range events {
			if _, err := fmt.Fprintln(a.out, style.Line(r.Record.Timestamp, &events[i])); err != nil {
				return err
			}
		}
		return nil
	}
}

// tellLive does the same on a terminal, above a line for each topic that says
// how it stands.
func (a *app) tellLive(style view.Style) func(subscribe.Report) error {
	live := view.NewLive(a.out)
	var tracker view.Tracker
	var board view.Board
	return func(r subscribe.Report) error {
		var lines []string
		if r.Err != nil {
			lines = append(lines, "note: "+view.Safe(r.Err.Error()))
		} else {
			board.Report(r.Report, r.Record.Timestamp)
			events := tracker.Events(r.Report)
			for i := range events {
				lines = append(lines, style.Line(r.Record.Timestamp, &events[i]))
			}
		}
		return live.Show(lines, board.Lines(style, terminalWidth(a.out)-1)) // a full line would wrap
	}
}
