package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/config"
	"github.com/auditstream/auditstream/internal/kafka"
	"github.com/auditstream/auditstream/processors"
)

// usageError is a command line that cannot be obeyed: exit 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

// findingsError says that the audit itself went well and that count findings
// are at or above the severity given by --fail-on: exit 3.
type findingsError struct {
	count    int
	severity string
}

func (e findingsError) Error() string {
	return fmt.Sprintf("%s at or above %s", engine.Plural(int64(e.count), "finding"), e.severity)
}

// tryError adds the next step to an error.
type tryError struct {
	error
	next string
}

func (e tryError) Unwrap() error { return e.error }
func (e tryError) Try() string   { return e.next }

// withTry adds to err what the user should try next; report prints it last.
func withTry(err error, next string) error {
	if err == nil {
		return nil
	}
	return tryError{err, next}
}

// exitCode maps what a subcommand returned to the program's exit code.
func exitCode(err error) int {
	var usage usageError
	var findings findingsError
	var invalid *config.Error
	var cluster *kafka.Error
	var size *processors.SizeError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &findings):
		return exitFindings
	case errors.As(err, &usage), errors.As(err, &invalid), errors.As(err, &size), errors.As(err, &cluster) && cluster.Configuration:
		return exitUsage
	}
	return exitFailed
}

// whatToTry is the next step that err carries, or the help of the command
// when its usage was wrong.
func whatToTry(cmd *cobra.Command, err error) string {
	var tells interface{ Try() string }
	if errors.As(err, &tells) && tells.Try() != "" {
		return tells.Try()
	}
	var usage usageError
	if errors.As(err, &usage) {
		return cmd.CommandPath() + " --help"
	}
	var findings findingsError
	if errors.As(err, &findings) {
		return "auditstream explain CODE"
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		return "see whether " + path.Path + " is there, may be used, and has room"
	}
	// What else ends a command that has a configuration comes from its cluster.
	if config := cmd.Flags().Lookup("config"); config != nil && cmd.Name() != "check" {
		return "auditstream check -c " + cmp.Or(config.Value.String(), "FILE")
	}
	return cmd.CommandPath() + " --help"
}

// plainFlag says of a flag's value what it lacks, in place of the name of the
// function that could not read it.
func plainFlag(err error) error {
	var invalid *pflag.InvalidValueError
	var number *strconv.NumError
	if !errors.As(err, &invalid) || !errors.As(err, &number) {
		return err
	}
	flag, what := invalid.GetFlag(), "not a number"
	if strings.Contains(flag.Value.Type(), "int") {
		what = "not a whole number"
	}
	if errors.Is(number, strconv.ErrRange) {
		what = "a number beyond what it can be"
	}
	return fmt.Errorf("--%s %s: %s", flag.Name, invalid.GetValue(), what)
}
