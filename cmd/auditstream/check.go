package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/check"
	"github.com/auditstream/auditstream/internal/converter"
	"github.com/auditstream/auditstream/internal/view"
)

// checkRegistry is how long a check waits for a schema registry.
const checkRegistry = 5 * time.Second

func (a *app) checkCommand() *cobra.Command {
	var flags configFlags
	var needs check.Needs
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check -c FILE",
		Short: "Look whether an audit could start, and whether its topics fit ticks",
		Long: "check looks whether the cluster is in reach and the rights are there, whether the\n" +
			"topics are as the audit needs them and as ticks need them, what the last records\n" +
			"show (partitioner, formats, times), whether the audit's groups are free and how\n" +
			"the watched groups stand. It changes nothing. A failed check counts as CRITICAL\n" +
			"for --fail-on, one that warns or could not be measured as WARNING; a cluster that\n" +
			"is not in reach is exit 1.",
		Args: cobra.NoArgs,
	}
	flags.register(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "write one JSON object")
	cmd.Flags().Float64Var(&needs.TicksPerSecond, "rate", 0, "judge partitions and retention for this many ticks a second at the peak")
	cmd.Flags().Float64Var(&needs.BytesPerTick, "size", 0, "bytes of a tick as stored, with --rate")
	cmd.Flags().Int32Var(&needs.Consumers, "consumers", 1, "members of the largest consumer group, with --rate")
	cmd.Flags().DurationVar(&needs.Keep, "keep", 24*time.Hour, "history that must stay readable")
	fails := registerFailOn(cmd, engine.Warning.String())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := checkNeeds(cmd, needs); err != nil {
			return err
		}
		c, err := a.load(flags)
		if err != nil {
			return err
		}
		values, err := converter.Open(c, zerolog.Nop())
		if err != nil {
			return err
		}
		defer values.Close()
		if schemas := values.Schemas(); schemas != nil {
			schemas.GiveUpAfter(checkRegistry)
		}
		decoder, err := values.Decoder()
		if err != nil {
			return err
		}
		defer context.AfterFunc(cmd.Context(), values.Close)()
		checks := check.Run(cmd.Context(), c, needs, decoder)
		if err := cmd.Context().Err(); err != nil {
			return errors.New("interrupted")
		}
		for _, result := range checks {
			if severity, counts := severityOf(result.Status); counts {
				fails.finding(severity)
			}
		}
		if err := a.writeChecks(checks, asJSON); err != nil {
			return err
		}
		if why := check.Unreachable(checks); why != "" {
			return withTry(errors.New(oneLine(why)), "what the check reach tells to do")
		}
		return withTry(fails.err(), "what the checks tell to do")
	}
	return cmd
}

// checkNeeds refuses a load that is told by halves.
func checkNeeds(cmd *cobra.Command, needs check.Needs) error {
	rate, size := cmd.Flags().Changed("rate"), cmd.Flags().Changed("size")
	switch {
	case rate != size:
		return usagef("--rate and --size go together")
	case !rate && cmd.Flags().Changed("consumers"):
		return usagef("--consumers is for --rate and --size")
	case needs.Keep <= 0:
		return usagef("--keep %s: not a positive time", needs.Keep)
	case !rate:
		return nil
	}
	if _, err := engine.PlanTopic(engine.TopicNeeds(needs)); err != nil {
		return usageError{err}
	}
	return nil
}

func severityOf(s check.Status) (severity engine.Severity, counts bool) {
	switch s {
	case check.OK:
		return 0, false
	case check.Fail:
		return engine.Critical, true
	}
	return engine.Warning, true
}

func (a *app) writeChecks(checks []check.Check, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(a.out).Encode(struct {
			Checks []check.Check `json:"checks"`
		}{checks})
	}
	return checkTable(a.out, view.Style{Colour: a.colour(a.out)}, terminalWidth(a.out), checks)
}

// marks are the statuses as a table shows them.
var marks = map[check.Status]string{check.OK: "✓", check.Warn: "!", check.Fail: "✗", check.Unknown: "?"}

// nameMost is the widest that the column of names gets: what was observed of a
// check with a longer one begins in the next line.
const nameMost = 28

// checkTable writes a row a check, and below one that is not well what was
// expected and what to do about it, in lines of that width.
func checkTable(w io.Writer, style view.Style, columns int, checks []check.Check) error {
	width := 0
	for _, c := range checks {
		if n := utf8.RuneCountInString(c.Name); n <= nameMost {
			width = max(width, n)
		}
	}
	margin := strings.Repeat(" ", 1+2+width+2)
	for _, c := range checks {
		var b strings.Builder
		b.WriteString(dressed(style, c.Status))
		observed := view.Wrap(oneLine(c.Observed), margin, columns)
		switch {
		case utf8.RuneCountInString(c.Name) <= width:
			row := fmt.Sprintf("  %-*s  %s", width, c.Name, strings.TrimPrefix(observed, margin))
			b.WriteString(strings.TrimRight(row, " ") + "\n")
		case strings.TrimSpace(observed) == "":
			fmt.Fprintf(&b, "  %s\n", c.Name)
		default:
			fmt.Fprintf(&b, "  %s\n%s\n", strings.TrimPrefix(view.Wrap(c.Name, "   ", columns), "   "), observed)
		}
		if c.Status != check.OK && c.Expected != "" {
			fmt.Fprintf(&b, "%s\n", labelled("expected: ", c.Expected, columns))
		}
		if c.Action != "" {
			fmt.Fprintf(&b, "%s\n", labelled("next: ", oneLine(c.Action), columns))
		}
		if _, err := io.WriteString(w, b.String()); err != nil {
			return err
		}
	}
	return nil
}

// labelled is a text behind its label; its lines after the first are indented
// further.
func labelled(label, text string, columns int) string {
	return "   " + strings.TrimPrefix(view.WrapSteps(label+text, "     ", columns), "     ")
}

func dressed(style view.Style, s check.Status) string {
	if severity, counts := severityOf(s); counts {
		return style.Severity(severity, marks[s])
	}
	return style.Good(marks[s])
}

// oneLine joins the lines of an error that has several.
func oneLine(text string) string { return strings.ReplaceAll(text, "\n", "; ") }
