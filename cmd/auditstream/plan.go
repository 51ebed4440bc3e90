package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/view"
)

func (a *app) planCommand() *cobra.Command {
	plan := &cobra.Command{
		Use:   "plan",
		Short: "Answer what keys, clients and topics will do; no broker needed",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	plan.AddCommand(
		a.planPartitionCommand(),
		a.planDivergenceCommand(),
		a.planGrowthCommand(),
		a.planProducerCommand(),
		a.planTopicCommand(),
		a.planCapacityCommand(),
	)
	return plan
}

// planOutput writes one plan: JSON, a line a row, or a table for people that
// fits the terminal, or 80 columns. Rows are buffered, so the caller ends with
// flush.
type planOutput struct {
	json  bool
	buf   *bufio.Writer
	enc   *json.Encoder
	table view.Table
}

func newPlanOutput(w io.Writer, asJSON bool) *planOutput {
	buf := bufio.NewWriter(w)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	return &planOutput{json: asJSON, buf: buf, enc: enc, table: view.Table{Width: terminalWidth(w)}}
}

// row writes value as a line of JSON, or cells as a line of the table.
func (o *planOutput) row(value any, cells ...string) error {
	if o.json {
		return o.enc.Encode(value)
	}
	o.table.Row(cells...)
	return nil
}

// heading names the table's columns; JSON has none.
func (o *planOutput) heading(cells ...string) error {
	if o.json {
		return nil
	}
	return o.row(nil, cells...)
}

// say writes a sentence below the table; JSON has none.
func (o *planOutput) say(format string, args ...any) error {
	if o.json {
		return nil
	}
	if err := o.table.Write(o.buf); err != nil {
		return err
	}
	for line := range strings.SplitSeq(fmt.Sprintf(format, args...), "\n") {
		if _, err := fmt.Fprintln(o.buf, view.Wrap(line, "", o.table.Width)); err != nil {
			return err
		}
	}
	return nil
}

func (o *planOutput) flush() error {
	if err := o.table.Write(o.buf); err != nil {
		return err
	}
	return o.buf.Flush()
}

// partitionerFlag finds the partitioner that a flag names.
func partitionerFlag(flag, name string) (engine.Partitioner, error) {
	p, err := engine.PartitionerByName(name)
	if err != nil {
		return p, withTry(usageError{fmt.Errorf("--%s: %w", flag, err)}, "auditstream plan partition --list")
	}
	return p, nil
}

// partitionsFlag refuses a partition count that no topic has, also when the
// flag was not given.
func partitionsFlag(cmd *cobra.Command, flag string, n int32) error {
	if !cmd.Flags().Changed(flag) {
		return usagef("--%s is missing", flag)
	}
	if n <= 0 {
		return usagef("--%s %d: a topic has at least 1 partition", flag, n)
	}
	return nil
}

// countedAs is a count with what it counts: one of them, or several.
func countedAs(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + several
}

// shown is a key as a table shows it: as it is when it is plain, otherwise
// quoted with everything invisible escaped.
func shown(key []byte) string {
	s := string(key)
	if s == "" || strings.ContainsFunc(s, func(r rune) bool { return r == ' ' || r == '"' || r == utf8.RuneError || !strconv.IsPrint(r) }) {
		return strconv.QuoteToASCII(s)
	}
	return s
}

func number(n int32) string {
	if n < 0 {
		return "-"
	}
	return strconv.Itoa(int(n))
}
