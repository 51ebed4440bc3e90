package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/capture"
	"github.com/auditstream/auditstream/internal/config"
	"github.com/auditstream/auditstream/internal/converter"
	"github.com/auditstream/auditstream/internal/replay"
)

// replayFlags are the flags of replay as they were given.
type replayFlags struct {
	config         configFlags
	input, out     string
	from, to       string
	now            string
	consumed       string
	partitions     int32
	onlyPartitions []int32
	onlySymbols    []string
	maxRate        string
	html, resume   string
	publish        bool

	form func(context.Context) (codecs.ReportForm, error) // of what is published
}

func (a *app) replayCommand() *cobra.Command {
	var f replayFlags
	cmd := &cobra.Command{
		Use:   "replay -c FILE",
		Short: "Audit history: a range of the topics, or a capture file",
		Long: "replay audits what the topics hold, from --from up to --to, and writes reports as\n" +
			"NDJSON. The last line is the FINAL report of the topic. Nothing written meanwhile\n" +
			"is read, no group is joined and nothing committed: the rights to describe and to\n" +
			"read the topics suffice. Two runs give the same bytes.\n\n" +
			"With --input it audits a file instead: the lines of kcat -J, or bare NDJSON of\n" +
			"ticks, plain, gzip or zstd.\n\n" +
			"A time is RFC 3339 or a number of 13 (ms), 16 (µs) or 19 (ns) digits; a smaller\n" +
			"number is an offset of every partition.",
		Args: cobra.NoArgs,
	}
	f.config.register(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.input, "input", "", "capture `FILE` to audit, - for stdin")
	flags.StringVar(&f.from, "from", "", "first record by `TIME|OFFSET`")
	flags.StringVar(&f.to, "to", "", "end of the range by `TIME|OFFSET`, not part of it")
	flags.Int32SliceVar(&f.onlyPartitions, "only-partitions", nil, "`PARTITIONS` to look at, such as 0,3")
	flags.StringSliceVar(&f.onlySymbols, "only-symbols", nil, "`SYMBOLS` to look at, such as AAPL,MSFT")
	flags.StringVar(&f.maxRate, "max-rate", "", "`BYTES` a second that are fetched at most, such as 20M")
	flags.Int32Var(&f.partitions, "partitions", 0, "partition `COUNT` of a file's topic (default what it shows, else 16)")
	flags.StringVar(&f.now, "now", "", "clock for age and skew, a `TIME` (default each tick's record time)")
	flags.StringVar(&f.consumed, "consumed", "", "JSON `FILE` of consumed offsets, {\"0\":1200,\"3\":88}, to judge against the ends")
	flags.StringVar(&f.out, "out", "-", "`FILE` for reports, - for stdout")
	flags.StringVar(&f.html, "html", "", "`FILE` for a page of the reports, complete in itself")
	flags.BoolVar(&f.publish, "publish", false, "write reports to the audit topic too, with mode REPLAY")
	flags.StringVar(&f.resume, "resume", "", "`FILE` to save progress in, and to go on from after a kill")
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
func (a *app) replay(cmd *cobra.Command, f *replayFlags, fails *failOn) error {
	c, err := a.load(f.config)
	if err != nil {
		return err
	}
	options, err := f.options(cmd, c)
	if err != nil {
		return asUsage(err)
	}
	values, err := converter.Open(c, a.logger())
	if err != nil {
		return err
	}
	defer values.Close()
	// A worker that waits for a schema hears of the end by the registry's.
	defer context.AfterFunc(cmd.Context(), values.Close)()
	options.Decoder = values.Decoder
	if c.SymbolNormalize != "none" {
		options.Symbols = values.Exact
	}
	f.form = func(ctx context.Context) (codecs.ReportForm, error) {
		return reportForm(ctx, c, values.Schemas(), a.logger())
	}
	if f.input == "" {
		return values.Explain(a.replayTopics(cmd.Context(), c, f, options, fails))
	}
	return values.Explain(a.replayFile(cmd.Context(), c, f, options, fails))
}

// replayFile audits a capture file.
func (a *app) replayFile(ctx context.Context, c *config.Config, f *replayFlags, options replay.Options, fails *failOn) (err error) {
	in, err := capture.Open(f.input, a.in)
	if err != nil {
		return asInput(err)
	}
	defer in.Close()
	out, err := a.reportsTo(f, fails, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.close(err == nil)) }()
	if f.publish {
		if out.audit, err = publisherTo(ctx, c); err != nil {
			return err
		}
		if out.audit.form, err = f.form(ctx); err != nil {
			return err
		}
	}
	progress := a.newProgress(in)
	defer progress.end()
	options.Progress, options.Note, options.Report = progress.at, progress.note, progress.noting(out.report)
	return asUsage(tolerance(replay.Run(ctx, in, options)))
}

// asInput makes an input that is not there, may not be read or is no file an
// error of usage: exit 2.
func asInput(err error) error {
	for _, wrong := range []error{fs.ErrNotExist, fs.ErrPermission, syscall.EISDIR} {
		if errors.Is(err, wrong) {
			return usageError{err}
		}
	}
	return err
}

// tolerance says what to do about a record that is not tolerated.
func tolerance(err error) error {
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

// check refuses flags that do not go together.
func (f *replayFlags) check(cmd *cobra.Command) error {
	for _, id := range f.onlyPartitions {
		if id < 0 {
			return usagef("--only-partitions: %d is no partition", id)
		}
	}
	switch {
	case cmd.Flags().Changed("partitions") && f.partitions < 1:
		return usagef("--partitions %d: a topic has at least one", f.partitions)
	case f.input == "" && f.partitions > 0:
		return usagef("--partitions is of capture files: a topic's count is what the cluster says; to look at some of them, --only-partitions")
	case f.input != "" && f.maxRate != "":
		return usagef("--max-rate is of replays from Kafka, and --input reads a file")
	case f.input != "" && f.resume != "":
		return usagef("--resume is of replays from Kafka, and --input reads a file")
	}
	return nil
}

// options turns flags and configuration into those of the replay.
func (f *replayFlags) options(cmd *cobra.Command, c *config.Config) (o replay.Options, err error) {
	o = replay.Options{Topics: c.Topics, Limits: limitsOf(c), Partitions: f.partitions, StopOnBad: c.ErrorsTolerance == "none"}
	if err := f.check(cmd); err != nil {
		return o, err
	}
	o.OnlyPartitions = f.onlyPartitions
	for _, symbol := range f.onlySymbols {
		if o.OnlySymbols == nil {
			o.OnlySymbols = map[string]bool{}
		}
		o.OnlySymbols[symbol] = true
	}
	if o.MaxRate, err = parseRate(f.maxRate); err != nil {
		return o, err
	}
	if o.From, err = replay.ParseBound("--from", f.from); err != nil {
		return o, err
	}
	if o.To, err = replay.ParseBound("--to", f.to); err != nil {
		return o, err
	}
	if replay.Reversed(o.From, o.To) {
		return o, usagef("--from %s lies behind --to %s: no record can be in that range", f.from, f.to)
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
	if f.input != "" {
		// A file cannot show what a reader would have been given of aborted
		// transactions: it holds what was read.
		o.Limits.UncommittedReads = false
	}
	o.Hash = engine.HashMurmur2
	if c.Partitioner != "auto" {
		p, err := engine.PartitionerByName(c.Partitioner)
		if err != nil {
			return o, usageError{err}
		}
		o.Hash = p.Hash
	}
	return o, nil
}
