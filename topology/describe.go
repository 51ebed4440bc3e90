package topology

import (
	"fmt"
	"strings"
)

// Describe prints the topology as Markdown: a diagram of the flow, the groups
// with their edges, and the topics with what is required of them.
func (t Topology) Describe() string {
	var b strings.Builder
	b.WriteString("```\n")
	b.WriteString(t.diagram())
	b.WriteString("```\n\n## Groups\n\n| group | reads | keeps | writes | what it does |\n|---|---|---|---|---|\n")
	for _, g := range t.Groups {
		fmt.Fprintf(&b, "| `%s` | %s | `%s` | %s | %s |\n", g.Name, codes(g.Inputs), g.Table, codes(g.Outputs), g.Does)
	}
	b.WriteString("\n## Topics\n\n| topic | role | partitions | `cleanup.policy` | replication | when missing |\n|---|---|---|---|---|---|\n")
	for _, topic := range t.Topics {
		policy, replication, missing := "any", "as it is", "an error"
		if topic.CleanupPolicy != "" {
			policy = "`" + topic.CleanupPolicy + "`"
		}
		if topic.Create {
			missing = "made"
			replication = fmt.Sprintf("cluster default; with %d brokers at least %d, min ISR %d",
				brokersForReplication, replicasAtLeast, minISRAtLeast)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", topic.Name, topic.Role, topic.Partitions, policy, replication, missing)
	}
	return b.String()
}

// diagram draws one block a group: inputs on the left, outputs on the right,
// the table below.
func (t Topology) diagram() string {
	left := 0
	for _, g := range t.Groups {
		for _, input := range g.Inputs {
			left = max(left, len(input))
		}
	}
	var b strings.Builder
	for i, g := range t.Groups {
		if i > 0 {
			b.WriteByte('\n')
		}
		box := len(g.Name) + 2
		for row := range max(len(g.Inputs), len(g.Outputs)) {
			name, arrow := "", "     "
			if row < len(g.Inputs) {
				name, arrow = g.Inputs[row], " ──> "
			}
			middle := strings.Repeat(" ", box)
			if row == 0 {
				middle = "[" + g.Name + "]"
			}
			fmt.Fprintf(&b, "%-*s%s%s", left, name, arrow, middle)
			if row < len(g.Outputs) {
				fmt.Fprintf(&b, " ──> %s", g.Outputs[row])
			}
			b.WriteByte('\n')
		}
		indent := strings.Repeat(" ", left+6)
		fmt.Fprintf(&b, "%s│\n%s└── %s\n", indent, indent, g.Table)
	}
	return b.String()
}

// String tells the rule in a table cell.
func (r PartitionRule) String() string {
	switch {
	case r.Exactly > 0:
		return fmt.Sprintf("exactly %d", r.Exactly)
	case len(r.LargestOf) == 1:
		return "as many as " + codes(r.LargestOf)
	case len(r.LargestOf) > 1:
		return "the largest count of " + codes(r.LargestOf)
	case r.New > 0:
		return fmt.Sprintf("any; a new one has %d", r.New)
	}
	return "any"
}

func codes(names []string) string {
	if len(names) == 0 {
		return "–"
	}
	return "`" + strings.Join(names, "`, `") + "`"
}
