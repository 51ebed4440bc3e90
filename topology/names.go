package topology

import (
	"fmt"
	"regexp"
)

// Names are the group and topic names that follow from the configured name.
// goka calls a group's table "<group>-table", and so do these.
type Names struct {
	Group             string // audits the ticks
	Table             string // its state
	DistributionGroup string // audits the partitions' statistics
	DistributionTopic string // those statistics; same name as the group
	DistributionTable string // the distribution group's state
	AlertGroup        string // carries findings from the audit topic to people
	AlertTable        string // what it has told
}

// NamesOf derives the names from the configured name.
func NamesOf(name string) Names {
	group := "auditstream-" + name
	distribution := group + "-distribution"
	return Names{
		Group:             group,
		Table:             group + "-table",
		DistributionGroup: distribution,
		DistributionTopic: distribution,
		DistributionTable: distribution + "-table",
		AlertGroup:        group + "-alert",
		AlertTable:        group + "-alert-table",
	}
}

var ownName = regexp.MustCompile(`^auditstream-.+-(table|distribution)$`)

// isOwn reports whether a topic is named as audits name their own.
func isOwn(name string) bool { return ownName.MatchString(name) }

// AuditTopic is the audit topic when none is configured.
func AuditTopic(firstTopic string) string { return firstTopic + ".audit" }

var legalName = regexp.MustCompile(`^[a-zA-Z0-9._-]+$`)

// maxNameLen is Kafka's limit: the name and a suffix are a folder on disk
// (org.apache.kafka.common.internals.Topic.MAX_NAME_LENGTH).
const maxNameLen = 249

// CheckName says why Kafka would refuse a topic name.
func CheckName(name string) error {
	switch {
	case name == "":
		return fmt.Errorf("a topic has no name")
	case name == "." || name == "..":
		return fmt.Errorf("topic %q: the name is reserved", name)
	case len(name) > maxNameLen:
		return fmt.Errorf("topic %.20q…: the name has %d characters, at most %d are allowed", name, len(name), maxNameLen)
	case !legalName.MatchString(name):
		return fmt.Errorf("topic %q: only letters, digits, '.', '_' and '-' are allowed", name)
	}
	return nil
}
