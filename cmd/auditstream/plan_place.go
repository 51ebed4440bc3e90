package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/auditstream/auditstream/engine"
)

// defaultPartitioner is the hash that the most clients can be set to.
const defaultPartitioner = "murmur2"

const keysHelp = `

Keys are taken byte for byte; "" is the empty key, and keys that begin with a
dash stand behind --.`

// placementLine is plan partition's line of JSON.
type placementLine struct {
	Key         string `json:"key"` // bytes that are not UTF-8 are replaced; KeyHex is exact
	KeyHex      string `json:"key_hex"`
	Partitioner string `json:"partitioner"`
	Partitions  int32  `json:"partitions"`
	Partition   *int32 `json:"partition"` // null: the key does not decide
	Reason      string `json:"reason,omitempty"`
}

func (a *app) planPartitionCommand() *cobra.Command {
	var keys planKeys
	var partitions int32
	var partitioner string
	var list, asJSON bool
	cmd := &cobra.Command{
		Use:   "partition KEY... --partitions N [--partitioner P]",
		Short: "Tell the partition of every key",
		Long:  "Tell the partition of every key under a hash, a client's default or a client's\nown choice; --list shows them all." + keysHelp,
		RunE: func(cmd *cobra.Command, args []string) error {
			if list {
				return a.listPartitioners(asJSON)
			}
			if err := partitionsFlag(cmd, "partitions", partitions); err != nil {
				return err
			}
			p, err := partitionerFlag("partitioner", partitioner)
			if err != nil {
				return err
			}
			read, err := keys.read(a, args)
			if err != nil {
				return err
			}
			placements, err := engine.PlanPartition(p, read, partitions)
			if err != nil {
				return err
			}
			return writePlacements(newPlanOutput(a.out, asJSON), p, partitions, placements)
		},
	}
	keys.register(cmd)
	flags := cmd.Flags()
	flags.Int32Var(&partitions, "partitions", 0, "partitions of the topic")
	flags.StringVar(&partitioner, "partitioner", defaultPartitioner, "a hash, a client, or client:choice")
	flags.BoolVar(&list, "list", false, "list every partitioner and what it does without a key")
	flags.BoolVar(&asJSON, "json", false, "one line of JSON a key")
	return cmd
}

func writePlacements(o *planOutput, p engine.Partitioner, n int32, placements []engine.Placement) error {
	if err := o.heading("KEY", "PARTITION"); err != nil {
		return err
	}
	for _, placed := range placements {
		line := placementLine{
			Key: string(placed.Key), KeyHex: hex.EncodeToString(placed.Key),
			Partitioner: p.Name, Partitions: n, Reason: placed.Reason,
		}
		cell := "- (" + placed.Reason + ")"
		if placed.Reason == "" {
			line.Partition = &placed.Partition
			cell = number(placed.Partition)
		}
		if err := o.row(line, shown(placed.Key), cell); err != nil {
			return err
		}
	}
	return o.flush()
}

func (a *app) listPartitioners(asJSON bool) error {
	type line struct {
		Name     string `json:"name"`
		Hash     string `json:"hash"`
		Client   string `json:"client"`
		Library  string `json:"library"`
		NullKey  string `json:"null_key"`
		EmptyKey string `json:"empty_key"`
	}
	o := newPlanOutput(a.out, asJSON)
	if err := o.heading("NAME", "HASH", "NULL KEY", "EMPTY KEY"); err != nil {
		return err
	}
	under := ""
	for _, p := range engine.Partitioners() {
		l := line{p.Name, p.Hash.String(), p.Client, p.Library, p.NullKey.String(), p.EmptyKey.String()}
		if l.Library != under {
			under = l.Library
			if err := o.heading(l.Library + ":"); err != nil {
				return err
			}
		}
		if err := o.row(l, l.Name, l.Hash, l.NullKey, l.EmptyKey); err != nil {
			return err
		}
	}
	return o.flush()
}

// clientPartitions is a JSON object from client to partition, in the order in
// which the clients were named; null where the key does not decide.
type clientPartitions struct {
	clients    []string
	partitions []int32
}

func (c clientPartitions) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for i, client := range c.clients {
		name, err := json.Marshal(client)
		if err != nil {
			return nil, err
		}
		partition := "null"
		if c.partitions[i] >= 0 {
			partition = number(c.partitions[i])
		}
		fmt.Fprintf(&b, ",%s:%s", name, partition)
	}
	return append(append([]byte{'{'}, bytes.TrimPrefix(b.Bytes(), []byte(","))...), '}'), nil
}

type divergenceLine struct {
	Symbol     string           `json:"symbol"`
	SymbolHex  string           `json:"symbol_hex,omitempty"` // only for a symbol that is not UTF-8
	Partitions clientPartitions `json:"partitions"`
}

func (a *app) planDivergenceCommand() *cobra.Command {
	var keys planKeys
	var partitions int32
	var clients []string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "divergence SYMBOL... --clients A,B --partitions N",
		Short: "Tell the symbols that clients write to different partitions",
		Long:  "Tell the symbols that the named clients do not all write to the same partition.\nA symbol that a client spreads whatever its key is told as - (JSON: null)." + keysHelp,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := partitionsFlag(cmd, "partitions", partitions); err != nil {
				return err
			}
			named, err := clientsFlag(clients)
			if err != nil {
				return err
			}
			symbols, err := keys.read(a, args)
			if err != nil {
				return err
			}
			differing, err := engine.PlanDivergence(named, symbols, partitions)
			if err != nil {
				return err
			}
			return writeDivergence(newPlanOutput(a.out, asJSON), clients, partitions, differing)
		},
	}
	keys.register(cmd)
	cmd.Flags().Int32Var(&partitions, "partitions", 0, "partitions of the topic")
	cmd.Flags().StringSliceVar(&clients, "clients", nil, "two or more of plan partition --list, with commas between")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one line of JSON a symbol that differs")
	return cmd
}

func clientsFlag(names []string) ([]engine.Partitioner, error) {
	if len(names) < 2 {
		return nil, usagef("--clients needs two names or more, with commas between")
	}
	var named []engine.Partitioner
	for i := range names {
		names[i] = strings.TrimSpace(names[i]) // "java, librdkafka"
		name := names[i]
		if slices.Contains(names[:i], name) {
			return nil, usagef("--clients names %s twice", name)
		}
		p, err := partitionerFlag("clients", name)
		if err != nil {
			return nil, err
		}
		named = append(named, p)
	}
	return named, nil
}

func writeDivergence(o *planOutput, clients []string, n int32, differing []engine.Divergence) error {
	heads, legend := clientHeads(clients, o.table.Width)
	if err := o.heading(append([]string{"SYMBOL"}, heads...)...); err != nil {
		return err
	}
	for _, d := range differing {
		cells := []string{shown(d.Symbol)}
		for _, partition := range d.Partitions {
			cells = append(cells, number(partition))
		}
		line := divergenceLine{string(d.Symbol), unreadableHex(d.Symbol), clientPartitions{clients, d.Partitions}}
		if err := o.row(line, cells...); err != nil {
			return err
		}
	}
	for _, line := range legend {
		if err := o.say("%s", line); err != nil {
			return err
		}
	}
	if err := o.say("%s between %s over %s.", countedAs(len(differing), "symbol differs", "symbols differ"), strings.Join(clients, ", "), engine.Plural(int64(n), "partition")); err != nil {
		return err
	}
	return o.flush()
}

// clientHeads are the columns of clients: their names, or where those would not
// leave a symbol room, numbers that a legend explains.
func clientHeads(clients []string, width int) (heads, legend []string) {
	const symbolRoom = 16
	if len(strings.Join(clients, "  "))+symbolRoom <= width {
		return clients, nil
	}
	for i, client := range clients {
		head := "#" + strconv.Itoa(i+1)
		heads, legend = append(heads, head), append(legend, head+" "+client)
	}
	return heads, legend
}

// unreadableHex is the symbol in hexadecimal when JSON cannot carry it.
func unreadableHex(symbol []byte) string {
	if utf8.Valid(symbol) {
		return ""
	}
	return hex.EncodeToString(symbol)
}
