package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/check"
	"github.com/auditstream/auditstream/internal/view"
)

func (a *app) checkCommand() *cobra.Command {
	var flags configFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check -c FILE",
		Short: "Look whether an audit could start: reach, topics, group",
		Long: "check looks whether the cluster is in reach, whether the topics are as the audit\n" +
			"needs them and whether its groups are free. It changes nothing. A failed check\n" +
			"counts as CRITICAL for --fail-on, one that warns or could not be measured as\n" +
			"WARNING.",
		Args: cobra.NoArgs,
	}
	flags.register(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "write one JSON object")
	fails := registerFailOn(cmd, engine.Warning.String())
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := a.load(flags)
		if err != nil {
			return err
		}
		checks := check.Run(cmd.Context(), c)
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
		return withTry(fails.err(), "what the checks tell to do")
	}
	return cmd
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
	return checkTable(a.out, view.Style{Colour: a.colour(a.out)}, checks)
}

// checkTable writes a row a check, and below it what to do about it.
func checkTable(w io.Writer, style view.Style, checks []check.Check) error {
	// Escape codes would count as width, so the status is dressed afterwards.
	var plain strings.Builder
	table := tabwriter.NewWriter(&plain, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "status\tcheck\tobserved\texpected")
	for _, c := range checks {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", c.Status, c.Name, oneLine(c.Observed), c.Expected)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for i, line := range strings.Split(strings.TrimSuffix(plain.String(), "\n"), "\n") {
		if i == 0 {
			fmt.Fprintln(w, style.Bold(strings.TrimRight(line, " ")))
			continue
		}
		c := checks[i-1]
		if _, err := fmt.Fprintln(w, dressed(style, c.Status)+strings.TrimRight(line[len(c.Status):], " ")); err != nil {
			return err
		}
		if c.Action != "" {
			fmt.Fprintf(w, "        next: %s\n", oneLine(c.Action))
		}
	}
	return nil
}

func dressed(style view.Style, s check.Status) string {
	if severity, counts := severityOf(s); counts {
		return style.Severity(severity, string(s))
	}
	return style.Good(string(s))
}

// oneLine joins the lines of an error that has several.
func oneLine(text string) string { return strings.ReplaceAll(text, "\n", "; ") }
