package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/auditstream/auditstream/engine"
)

type moveLine struct {
	Symbol    string `json:"symbol"`
	SymbolHex string `json:"symbol_hex,omitempty"` // only for a symbol that is not UTF-8
	From      int32  `json:"from"`
	To        int32  `json:"to"`
}

func (a *app) planGrowthCommand() *cobra.Command {
	var keys planKeys
	var from, to int32
	var partitioner string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "growth SYMBOL... --from N --to M [--partitioner P]",
		Short: "Tell the symbols that move when a topic gets more partitions",
		Long:  "Tell the symbols that move when a topic gets more partitions, and where their\nhistory stays." + keysHelp,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := partitionsFlag(cmd, "from", from); err != nil {
				return err
			}
			if err := partitionsFlag(cmd, "to", to); err != nil {
				return err
			}
			p, err := partitionerFlag("partitioner", partitioner)
			if err != nil {
				return err
			}
			symbols, err := keys.read(a, args)
			if err != nil {
				return err
			}
			growth, err := engine.PlanGrowth(p, symbols, from, to)
			if err != nil {
				return usageError{err}
			}
			return writeGrowth(newPlanOutput(a.out, asJSON), p, growth)
		},
	}
	keys.register(cmd)
	cmd.Flags().Int32Var(&from, "from", 0, "partitions that the topic has")
	cmd.Flags().Int32Var(&to, "to", 0, "partitions that it will have")
	cmd.Flags().StringVar(&partitioner, "partitioner", defaultPartitioner, "a hash, a client, or client:choice")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one line of JSON a symbol that moves")
	return cmd
}

func writeGrowth(o *planOutput, p engine.Partitioner, growth engine.Growth) error {
	if err := o.heading("SYMBOL", "FROM", "TO"); err != nil {
		return err
	}
	for _, m := range growth.Moves {
		line := moveLine{string(m.Symbol), unreadableHex(m.Symbol), m.From, m.To}
		if err := o.row(line, shown(m.Symbol), number(m.From), number(m.To)); err != nil {
			return err
		}
	}
	if err := o.say("%s", growthSummary(p, growth)); err != nil {
		return err
	}
	return o.flush()
}

// growthSummary tells how many move and where their history is stranded.
func growthSummary(p engine.Partitioner, growth engine.Growth) string {
	text := fmt.Sprintf("%d of %s to another partition when the topic grows from %d to %s, if producers place keys by %s.",
		len(growth.Moves), countedAs(growth.Symbols, "symbol moves", "symbols move"), growth.From, engine.Plural(int64(growth.To), "partition"), p.Name)
	if growth.Spread > 0 {
		text += fmt.Sprintf("\n%s on no one partition, before and after: %s does not place such keys by hash.", countedAs(growth.Spread, "symbol is", "symbols are"), p.Name)
	}
	if len(growth.Stranded) == 0 {
		return text
	}
	var left []string
	for _, s := range growth.Stranded {
		left = append(left, fmt.Sprintf("%s on partition %d", engine.Plural(int64(s.Symbols), "symbol"), s.Partition))
	}
	return text + "\nTicks written before stay where they are until retention removes them: those of " + strings.Join(left, ", ") +
		".\nWhoever reads such a symbol's history needs both partitions, and its order across the two is not kept."
}
