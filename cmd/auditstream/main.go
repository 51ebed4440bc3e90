// Command auditstream audits Kafka topics of market-data ticks: is every
// symbol on one partition and in order, is anything stale, skewed, mis-keyed,
// lost or behind.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // field.timestamp.zone must not depend on the machine

	"github.com/spf13/cobra"
)

// The exit codes are part of the command's contract; scripts branch on them.
const (
	exitDone        = 0   // done, nothing at or above --fail-on
	exitFailed      = 1   // it failed
	exitUsage       = 2   // usage or configuration
	exitFindings    = 3   // findings at or above --fail-on
	exitInterrupted = 130 // a second Ctrl-C
)

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go obey(signals, cancel, os.Exit)
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ()))
}

// obey asks for an orderly stop at the first signal and ends the process at
// the second.
func obey(signals <-chan os.Signal, stop func(), exit func(code int)) {
	<-signals
	stop()
	<-signals
	exit(exitInterrupted)
}

// run is the whole program with its surroundings as arguments. It returns the
// exit code; data has gone to out and everything else to err.
func run(ctx context.Context, args []string, in io.Reader, out, err io.Writer, env []string) int {
	a := newApp(in, out, err, env)
	root := a.rootCommand()
	root.SetArgs(args)
	cmd, failure := root.ExecuteContextC(ctx)
	if failure == nil {
		return exitDone
	}
	if !a.started {
		failure = usageError{plainFlag(failure)}
	}
	a.report(cmd, failure)
	return exitCode(failure)
}

// commands lists the subcommands in the order in which help shows them: the
// daily ones first.
func (a *app) commands() []*cobra.Command {
	return []*cobra.Command{
		a.runCommand(),
		a.replayCommand(),
		a.planCommand(),
		a.checkCommand(),
		a.watchCommand(),
		a.alertCommand(),
		a.explainCommand(),
		a.dlqCommand(),
		a.demoCommand(),
		a.configCommand(),
		a.healthcheckCommand(),
		a.versionCommand(),
	}
}
