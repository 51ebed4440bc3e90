package topology

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Validate returns every fault of the topology, joined, or nil.
func (t Topology) Validate() error {
	var faults []error
	faults = append(faults, t.checkNames()...)
	faults = append(faults, t.checkRoles()...)
	faults = append(faults, t.checkEdges()...)
	return errors.Join(faults...)
}

func (t Topology) checkNames() []error {
	var faults []error
	metricNames := map[string]string{}
	for _, topic := range t.Topics {
		if err := CheckName(topic.Name); err != nil {
			faults = append(faults, err)
			continue
		}
		// Kafka refuses a topic whose name differs from another's only in '.' and '_',
		// because their metric names would be the same.
		metric := strings.ReplaceAll(topic.Name, ".", "_")
		if other, taken := metricNames[metric]; taken && other != topic.Name {
			faults = append(faults, fmt.Errorf("topics %q and %q differ only in '.' and '_': Kafka refuses the second", other, topic.Name))
		}
		metricNames[metric] = topic.Name
	}
	return faults
}

// checkRoles finds topics that are listed twice: above all an audit,
// dead-letter or internal topic among the audited ones, which would make the
// audit read what it writes.
func (t Topology) checkRoles() []error {
	var faults []error
	roles := map[string]Role{}
	ticks := 0
	for _, topic := range t.Topics {
		if topic.Role == RoleTicks {
			ticks++
			if isOwn(topic.Name) && !t.makes(topic.Name) {
				faults = append(faults, fmt.Errorf("topic %q is a table or statistics topic of another audit", topic.Name))
			}
		}
		first, listed := roles[topic.Name]
		switch {
		case !listed:
			roles[topic.Name] = topic.Role
		case first == topic.Role:
			faults = append(faults, fmt.Errorf("topic %q is listed twice", topic.Name))
		default:
			faults = append(faults, fmt.Errorf("topic %q cannot be both %s and %s topic", topic.Name, first, topic.Role))
		}
	}
	if ticks == 0 {
		faults = append(faults, errors.New("no topic to audit"))
	}
	return faults
}

// makes reports whether a topic of that name is one of the audit's own.
func (t Topology) makes(name string) bool {
	return slices.ContainsFunc(t.Topics, func(o Topic) bool { return o.Name == name && o.Create })
}

func (t Topology) checkEdges() []error {
	var faults []error
	known := map[string]Topic{}
	for _, topic := range t.Topics {
		known[topic.Name] = topic
	}
	groups, tables := map[string]bool{}, map[string]string{}
	for _, g := range t.Groups {
		if groups[g.Name] {
			faults = append(faults, fmt.Errorf("group %q is listed twice", g.Name))
		}
		groups[g.Name] = true
		if other, taken := tables[g.Table]; taken {
			faults = append(faults, fmt.Errorf("groups %q and %q share the table %q", other, g.Name, g.Table))
		}
		tables[g.Table] = g.Name
		for _, edge := range append(append([]string{g.Table}, g.Inputs...), g.Outputs...) {
			if _, ok := known[edge]; !ok {
				faults = append(faults, fmt.Errorf("group %q: topic %q is not part of the topology", g.Name, edge))
			}
		}
		for _, output := range g.Outputs {
			if !known[output].Create && known[output].Name != "" {
				faults = append(faults, fmt.Errorf("group %q writes to %q, which is only read", g.Name, output))
			}
		}
		if known[g.Table].Name != "" && known[g.Table].CleanupPolicy != "compact" {
			faults = append(faults, fmt.Errorf("group %q: table %q must be compacted", g.Name, g.Table))
		}
	}
	return faults
}
