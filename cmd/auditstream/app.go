package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/auditstream/auditstream/internal/view"
)

// app carries the process's surroundings, so that a test runs a command with
// buffers and an environment of its own.
type app struct {
	in       io.Reader
	out, err io.Writer
	env      []string

	started  bool   // a subcommand's own code was reached: an error is no longer one of usage
	quiet    bool   // --quiet: no progress
	logLevel string // --log-level
}

func newApp(in io.Reader, out, err io.Writer, env []string) *app {
	return &app{in: in, out: out, err: err, env: env}
}

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "auditstream",
		Short:         "Audit Kafka topics of market-data ticks",
		Long:          "auditstream reads topics of ticks beside their consumers and tells, now and\nafterwards, whether every symbol is on one partition and in order, and whether\nanything is stale, skewed, mis-keyed, lost or behind.",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cmd.Help()
		},
		PersistentPreRunE: func(*cobra.Command, []string) error {
			if _, err := zerolog.ParseLevel(a.logLevel); err != nil {
				return usagef("--log-level %q is none of debug, info, warn, error", a.logLevel)
			}
			a.started = true
			return nil
		},
	}
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	flags := root.PersistentFlags()
	flags.BoolVar(&a.quiet, "quiet", false, "no progress on stderr")
	flags.StringVar(&a.logLevel, "log-level", "info", "debug, info, warn or error")
	root.AddCommand(a.commands()...)
	showExamples(root)
	offerCompletions(root)
	return root
}

// getenv is os.Getenv on the environment that the program was given.
func (a *app) getenv(name string) string {
	for i := len(a.env) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(a.env[i], name+"="); ok {
			return value
		}
	}
	return ""
}

// isTerminal says whether w is a terminal that a person looks at.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// terminalWidth is the columns of a terminal, 80 where that is not known.
func terminalWidth(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return 80
}

// colour says whether escape codes may be written to w: only to a terminal,
// and not when NO_COLOR is set (https://no-color.org) or the terminal is dumb.
func (a *app) colour(w io.Writer) bool {
	return isTerminal(w) && a.getenv("NO_COLOR") == "" && a.getenv("TERM") != "dumb"
}

// logger writes to stderr: JSON lines for a collector, a readable console
// form on a terminal.
func (a *app) logger() zerolog.Logger {
	level, err := zerolog.ParseLevel(a.logLevel)
	if err != nil {
		level = zerolog.InfoLevel
	}
	w := zerolog.SyncWriter(a.err)
	if isTerminal(a.err) {
		w = zerolog.ConsoleWriter{Out: a.err, NoColor: !a.colour(a.err), TimeFormat: time.TimeOnly}
	}
	return zerolog.New(w).Level(level).With().Timestamp().Logger()
}

// report tells the one error that ended the program, and what to try.
func (a *app) report(cmd *cobra.Command, failure error) {
	message := safeLines("auditstream: " + failure.Error())
	if next := whatToTry(cmd, failure); next != "" {
		message += "\ntry: " + safeLines(next)
	}
	if a.colour(a.err) {
		message = "\x1b[31m" + message + "\x1b[0m"
	}
	fmt.Fprintln(a.err, message)
}

// safeLines is text that cannot steer a terminal, whatever of it comes from
// files, arguments, topics or servers. Its line breaks stay.
func safeLines(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = view.Safe(lines[i])
	}
	return strings.Join(lines, "\n")
}
