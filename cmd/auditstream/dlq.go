package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/config"
	"github.com/auditstream/auditstream/internal/dlq"
	"github.com/auditstream/auditstream/internal/kafka"
	"github.com/auditstream/auditstream/internal/replay"
	"github.com/auditstream/auditstream/internal/view"
)

func (a *app) dlqCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "dlq",
		Short: "Look at dead letters, and put them back",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.dlqListCommand(), a.dlqReplayCommand())
	return cmd
}

// dlqFlags are what list and replay have in common.
type dlqFlags struct {
	config    configFlags
	topic     string
	partition int32
	reason    string
	from, to  string
	limit     int
	json      bool
	given     func(flag string) bool
}

func (f *dlqFlags) register(cmd *cobra.Command) {
	f.config.register(cmd)
	flags := cmd.Flags()
	f.given = flags.Changed
	flags.StringVar(&f.topic, "topic", "", "only records of this `TOPIC`")
	flags.Int32Var(&f.partition, "partition", -1, "only records of this partition of their topic")
	flags.StringVar(&f.reason, "reason", "", "only records with this error, such as truncated")
	flags.StringVar(&f.from, "from", "", "only from this record time, or this offset of the dead-letter topic, on")
	flags.StringVar(&f.to, "to", "", "only before this record time or offset")
	flags.IntVar(&f.limit, "limit", 0, "at most so many letters, 0: all")
	flags.BoolVar(&f.json, "json", false, "one JSON object a line")
}

// options are what the flags select of the configured dead-letter topic.
func (f *dlqFlags) options(c *config.Config) (dlq.Options, error) {
	o := dlq.Options{Topic: c.DeadLetterTopic, Limit: f.limit, Filter: dlq.Filter{Topic: f.topic, Partition: f.partition, Error: f.reason}}
	if o.Topic == "" {
		return o, withTry(usagef("no dead-letter topic is configured"), "set the key errors.deadletterqueue.topic.name")
	}
	if f.given("partition") && f.partition < 0 || f.limit < 0 {
		return o, usagef("--partition and --limit take no negative numbers")
	}
	var err error
	if o.Filter.From, err = replay.ParseBound("--from", f.from); err != nil {
		return o, usageError{err}
	}
	if o.Filter.To, err = replay.ParseBound("--to", f.to); err != nil {
		return o, usageError{err}
	}
	if replay.Reversed(o.Filter.From, o.Filter.To) {
		return o, usagef("--from %s lies behind --to %s: no letter can be in that range", f.from, f.to)
	}
	o.Client, err = kafka.ReaderOptions(c)
	return o, err
}

func (a *app) dlqListCommand() *cobra.Command {
	flags := new(dlqFlags)
	cmd := &cobra.Command{
		Use:   "list -c FILE",
		Short: "Show the letters in the dead-letter topic",
		Long: "list reads the dead-letter topic, read committed and without a group, up to its\n" +
			"end, and shows where each record was read and what is wrong with it.",
		Args: cobra.NoArgs,
	}
	flags.register(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := a.load(flags.config, config.TopicsOptional())
		if err != nil {
			return err
		}
		return unlessStopped(cmd.Context(), a.dlqList(cmd.Context(), c, flags))
	}
	return cmd
}

func (a *app) dlqList(ctx context.Context, c *config.Config, flags *dlqFlags) error {
	out := letterOutput{w: a.out, json: flags.json}
	err := a.readLetters(ctx, c, flags, func(l *dlq.Letter) error { return out.show(l, "", "") })
	if err != nil || flags.json {
		return err
	}
	_, err = fmt.Fprintf(a.out, "%s in %s\n", counted(out.n, "letter"), c.DeadLetterTopic)
	return err
}

// readLetters reads what the flags select, once the cluster has answered.
func (a *app) readLetters(ctx context.Context, c *config.Config, flags *dlqFlags, tell func(*dlq.Letter) error) error {
	o, err := flags.options(c)
	if err != nil {
		return err
	}
	admin, err := kafka.Connect(ctx, c) // says by itself what keeps a cluster out of reach
	if err != nil {
		return err
	}
	admin.Close()
	err = dlq.Read(ctx, o, tell)
	if errors.Is(err, dlq.ErrNoTopic) {
		return withTry(usageError{err}, "auditstream run, which makes it, or check the key errors.deadletterqueue.topic.name")
	}
	return err
}

// letterOutput writes letters: JSON, or lines of at most 80 columns.
type letterOutput struct {
	w    io.Writer
	json bool
	n    int
}

// letterLine is a letter as JSON has it.
type letterLine struct {
	Partition int32         `json:"partition"` // of the dead-letter topic
	Offset    int64         `json:"offset"`
	Time      engine.Time   `json:"time"` // the record's
	Original  *engine.Place `json:"original"`
	Error     string        `json:"error"`
	Stage     string        `json:"stage"`
	Retries   int           `json:"retries"`
	Truncated bool          `json:"truncated"`
	Key       *string       `json:"key"` // escaped; null is a null key
	Bytes     int           `json:"value_bytes"`
	First     string        `json:"value_first"` // first bytes, escaped
	Replay    string        `json:"replay,omitempty"`
	Why       string        `json:"why,omitempty"`
}

// show writes a letter and what became of it: "" when it was only looked at.
func (o *letterOutput) show(l *dlq.Letter, became, why string) error {
	o.n++
	r := l.Record
	if !o.json {
		return o.line(l, became, why)
	}
	line := letterLine{
		Partition: r.Partition, Offset: r.Offset, Time: engine.NoTime, Original: l.Place, Error: engine.ShowBytes(l.Error),
		Stage: engine.ShowBytes(l.Stage), Retries: l.Retries, Truncated: l.Cut, Bytes: len(r.Value),
		First: engine.ShowBytes(string(r.Value[:min(len(r.Value), 64)])), Replay: became, Why: why,
	}
	if r.Timestamp.UnixMilli() != -1 {
		line.Time = engine.Time(r.Timestamp.UnixNano())
	}
	if r.Key != nil {
		key := engine.ShowBytes(string(r.Key[:min(len(r.Key), 256)]))
		line.Key = &key
	}
	b, err := json.Marshal(line)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(o.w, "%s\n", b)
	return err
}

const letterColumns = "%-*s  %-*s  %-19s  %-13s  %5s\n"

// A letter's own place stands in full: commands take it. Where it needs more
// room, the place that it was read at gives way.
const letterWidth, placeWidth = 10, 24

func (o *letterOutput) line(l *dlq.Letter, became, why string) error {
	if o.n == 1 {
		if _, err := fmt.Fprintf(o.w, letterColumns, letterWidth, "LETTER", placeWidth, "READ AT", "RECORD TIME (UTC)", "ERROR", "TRIES"); err != nil {
			return err
		}
	}
	at, when := "unknown", "none"
	if l.Place != nil {
		at = fmt.Sprintf("%s/%d@%d", engine.ShowBytes(l.Place.Topic), l.Place.Partition, l.Place.Offset)
	}
	if l.Record.Timestamp.UnixMilli() != -1 {
		when = l.Record.Timestamp.UTC().Format(time.DateTime)
	}
	letter := fmt.Sprintf("%d@%d", l.Record.Partition, l.Record.Offset)
	room := placeWidth - max(0, len(letter)-letterWidth)
	_, err := fmt.Fprintf(o.w, letterColumns, letterWidth, letter, room, lastOf(at, room), when, firstOf(engine.ShowBytes(l.Error), 13), fmt.Sprint(l.Retries+1))
	if err == nil && became != "" && why != "" {
		_, err = fmt.Fprintln(o.w, view.Wrap(became+": "+why, strings.Repeat(" ", letterWidth+2), 80))
	}
	return err
}

// firstOf and lastOf cut a text to n bytes of its beginning or its end.
func firstOf(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n-2], "") + ".."
}

func lastOf(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return ".." + strings.ToValidUTF8(text[len(text)-n+2:], "")
}

func counted(n int, thing string) string { return engine.Plural(int64(n), thing) }
