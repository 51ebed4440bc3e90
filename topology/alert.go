package topology

// Alerting lays out the command alert, which reads the audit topic of an audit
// of that name: one group, and a table of what was told whose rows lie on the
// partition of the audit topic that they came from.
func Alerting(name, auditTopic string) Topology {
	names := NamesOf(name)
	return Topology{
		Name: name,
		Groups: []Group{{
			Name:   names.AlertGroup,
			Does:   "tells Alertmanager, PagerDuty or a webhook what opens and what is over",
			Inputs: []string{auditTopic},
			Table:  names.AlertTable,
		}},
		Topics: []Topic{
			{auditTopic, RoleAudit, PartitionRule{New: 1}, "delete", true},
			{names.AlertTable, RoleTable, PartitionRule{LargestOf: []string{auditTopic}}, "compact", true},
		},
	}
}
