package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"github.com/auditstream/auditstream/internal/config"
	"github.com/auditstream/auditstream/internal/demo"
	"github.com/auditstream/auditstream/internal/view"
)

func (a *app) demoCommand() *cobra.Command {
	var options demo.Options
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Watch the audit find faults in a small market, no Kafka needed",
		Long: "demo starts a Kafka broker inside the process, on loopback, plays a market of\n" +
			"200 symbols into it, runs the audit on it and switches faults on one by one. It\n" +
			"tells what the audit finds, ends after about a minute or on Ctrl-C, and fails when\n" +
			"a fault was not found, or something was found that was not injected. Any Kafka\n" +
			"client may connect to the broker meanwhile. Nothing is left behind. With --format\n" +
			"the market speaks a feed, CSV, or Avro or Protobuf by a schema registry that runs\n" +
			"in the process too.",
		Args: cobra.NoArgs,
	}
	cmd.Flags().Uint64Var(&options.Seed, "seed", 1, "of the market: the same seed gives the same quotes")
	cmd.Flags().IntVar(&options.Port, "port", 0, "`PORT` of the broker on 127.0.0.1; 0: any free one")
	var faults []string
	var listFaults bool
	var format string
	cmd.Flags().StringVar(&format, "format", "json", "`FORMAT` of the market's messages: "+formatNames())
	cmd.Flags().StringSliceVar(&faults, "faults", nil, "`NAMES` of the faults to switch on, in their order, in place of the usual ones")
	cmd.Flags().BoolVar(&listFaults, "list-faults", false, "list the faults that there are, and what they do")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if options.Port < 0 || options.Port > 65535 {
			return usagef("--port %d is no port", options.Port)
		}
		spoken, err := demo.FormatNamed(format)
		if err != nil {
			return usagef("--format: %v", err)
		}
		if listFaults {
			return a.listFaults(spoken)
		}
		options.Format, options.Schedule = spoken, demo.Minute(spoken)
		if len(faults) > 0 {
			picked, err := demo.Pick(spoken, faults)
			if err != nil {
				return usagef("--faults: %v; see --list-faults", err)
			}
			options.Schedule = picked
		}
		return a.demo(cmd.Context(), options)
	}
	return cmd
}

// formatNames are the formats that the market speaks, in words.
func formatNames() string {
	var names []string
	for _, f := range demo.Formats() {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}

// listFaults writes the faults that can be asked for, one a line.
func (a *app) listFaults(format *demo.Format) error {
	for _, f := range demo.Faults(format) {
		if _, err := fmt.Fprintf(a.out, "%-16s %s\n", f.ID(), f.Does); err != nil {
			return err
		}
	}
	return nil
}

// demoPatience is how long a demo waits for a finding that is due.
const demoPatience = 30 * time.Second

// demo runs a demo on the program's output.
func (a *app) demo(ctx context.Context, options demo.Options) error {
	options.Out, options.Style = a.out, view.Style{Colour: a.colour(a.out)}
	options.Audit, options.Patience = a.demoAudit, demoPatience
	summary, err := demo.Run(ctx, options)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "\n%s", summary.Table(options.Style))
	return summary.Err()
}

// demoAudit is the audit of `run` under the demo's settings. The environment
// does not reach it: what is set there is meant for a real cluster.
func (a *app) demoAudit(ctx context.Context, settings []string, announce func(name, value string)) error {
	state, remove, err := demoState()
	if err != nil {
		return err
	}
	defer remove()
	c, err := config.Load("", nil, append(settings, "state.dir="+state, "rest.listeners=http://127.0.0.1:0"))
	if err != nil {
		return err
	}
	log := a.logger()
	if a.logLevel == zerolog.InfoLevel.String() {
		log = log.Level(zerolog.ErrorLevel) // the demo tells by itself what happens
	}
	return audit(ctx, c, auditOptions{log: log, listening: func(addresses []string) {
		announce("page", strings.Join(addresses, ", ")+" (in a browser; also /metrics, /readyz and Connect's REST)")
	}})
}
