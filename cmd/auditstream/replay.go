package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/capture"
	"github.com/auditstream/auditstream/internal/config"
	"github.com/auditstream/auditstream/internal/replay"
)

// replayFlags are the flags of replay as they were given.
type replayFlags struct {
	config     configFlags
	input, out string
	from, to   string
	now        string
	consumed   string
	partitions int32
}

func (a *app) replayCommand() *cobra.Command {
	var f replayFlags
	cmd := &cobra.Command{
		Use:   "replay -c FILE --input FILE",
		Short: "Audit a capture file as history",
		Long: "replay reads the lines of kcat -J, or bare NDJSON of ticks, plain, gzip or zstd,\n" +
			"and writes reports as NDJSON. The last line is the FINAL report of the topic.\n" +
			"Two runs give the same bytes. A time is RFC 3339 or a number of 13 (ms), 16 (µs)\n" +
			"or 19 (ns) digits; a smaller number is an offset of every partition.",
		Args: cobra.NoArgs,
	}
	f.config.register(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.input, "input", "", "capture `FILE` to audit, - for stdin")
	flags.StringVar(&f.from, "from", "", "first record by `TIME|OFFSET`")
	flags.StringVar(&f.to, "to", "", "end of the range by `TIME|OFFSET`, not part of it")
	flags.Int32Var(&f.partitions, "partitions", 0, "partition `COUNT` of the topic (default what the file shows, else 16)")
	flags.StringVar(&f.now, "now", "", "clock for age and skew, a `TIME` (default each tick's record time)")
	flags.StringVar(&f.consumed, "consumed", "", "JSON `FILE` of consumed offsets, {\"0\":1200,\"3\":88}, to judge against the file's ends")
	flags.StringVar(&f.out, "out", "-", "`FILE` for reports, - for stdout")
	fails := registerFailOn(cmd, "WARNING")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := a.replay(cmd, &f, fails); err != nil {
			return err
		}
		return fails.err()
	}
	return cmd
}

// replay runs the command; findings are no error of it.
func (a *app) replay(cmd *cobra.Command, f *replayFlags, fails *failOn) (err error) {
	if f.input == "" {
		return withTry(usagef("replay needs --input: reading a range of the topic itself is not built yet"),
			"kcat -J -C -b BROKERS -t TOPIC -e | auditstream replay -c FILE --input -")
	}
	c, err := a.load(f.config)
	if err != nil {
		return err
	}
	options, err := f.options(cmd, c)
	if err != nil {
		return asUsage(err)
	}
	in, err := capture.Open(f.input, a.in)
	if errors.Is(err, os.ErrNotExist) {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	defer in.Close()
	out, closeOut, err := a.reportsTo(f)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeOut()) }()
	progress := a.newProgress(in)
	options.Progress = progress.at
	options.Note = func(format string, args ...any) { progress.say("note: "+format, args...) }
	options.Report = func(r *engine.Report) error {
		fails.report(r)
		line, err := codecs.EncodeReport(r)
		if err != nil {
			return err
		}
		_, err = out.Write(append(line, '\n'))
		return err
	}
	defer progress.end()
	return asUsage(runReplay(cmd.Context(), in, options))
}

// runReplay says what to do about a record that is not tolerated.
func runReplay(ctx context.Context, in *capture.Input, o replay.Options) error {
	err := replay.Run(ctx, in, o)
	var bad *replay.BadRecord
	if errors.As(err, &bad) {
		return withTry(fmt.Errorf("errors.tolerance=none: %w", err), "--set errors.tolerance=all to count such records and go on")
	}
	return err
}

// asUsage makes what was asked for wrongly an error of usage: exit 2.
func asUsage(err error) error {
	var invalid replay.Invalid
	if errors.As(err, &invalid) {
		return usageError{err}
	}
	return err
}

// options turns flags and configuration into those of the replay.
func (f *replayFlags) options(cmd *cobra.Command, c *config.Config) (o replay.Options, err error) {
	o = replay.Options{Topics: c.Topics, Limits: limitsOf(c), Partitions: f.partitions, StopOnBad: c.ErrorsTolerance == "none"}
	if cmd.Flags().Changed("partitions") && f.partitions < 1 {
		return o, usagef("--partitions %d: a topic has at least one", f.partitions)
	}
	if o.From, err = replay.ParseBound("--from", f.from); err != nil {
		return o, err
	}
	if o.To, err = replay.ParseBound("--to", f.to); err != nil {
		return o, err
	}
	if f.now != "" {
		if o.Limits.Now, err = replay.ParseTime("--now", f.now); err != nil {
			return o, err
		}
	}
	if f.consumed != "" {
		b, err := os.ReadFile(f.consumed)
		if err != nil {
			return o, usageError{fmt.Errorf("--consumed: %w", err)}
		}
		if o.Consumed, err = replay.ParseConsumed(b); err != nil {
			return o, err
		}
	}
	// A file cannot show what a reader would have been given of aborted
	// transactions: it holds what was read.
	o.Limits.UncommittedReads = false
	o.Hash = engine.HashMurmur2
	if c.Partitioner != "auto" {
		p, err := engine.PartitionerByName(c.Partitioner)
		if err != nil {
			return o, usageError{err}
		}
		o.Hash = p.Hash
	}
	o.Decoder = func() (codecs.TickDecoder, error) { return tickDecoder(c) }
	if c.SymbolNormalize != "none" {
		exact := *c
		exact.SymbolNormalize = "none"
		o.Symbols = func() (codecs.TickDecoder, error) { return tickDecoder(&exact) }
	}
	return o, nil
}

// reportsTo opens where reports go. The input is never written over.
func (a *app) reportsTo(f *replayFlags) (io.Writer, func() error, error) {
	if f.out == "-" {
		out := bufio.NewWriter(a.out)
		return out, out.Flush, nil
	}
	if input, err := os.Stat(f.input); err == nil {
		if old, err := os.Stat(f.out); err == nil && os.SameFile(input, old) {
			return nil, nil, usagef("--out %s is the input itself", f.out)
		}
	}
	file, err := os.Create(f.out)
	if err != nil {
		return nil, nil, fmt.Errorf("--out: %w", err)
	}
	out := bufio.NewWriter(file)
	return out, func() error { return errors.Join(out.Flush(), file.Close()) }, nil
}
