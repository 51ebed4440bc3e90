package topology

// Topology lists the groups and topics of one audit.
type Topology struct {
	Name   string // the configuration's name
	Groups []Group
	Topics []Topic
}

// Group is one consumer group with its edges. Edges are topic names.
type Group struct {
	Name    string
	Does    string // one clause, for Describe
	Inputs  []string
	Table   string // compacted topic that holds the group's state
	Outputs []string
}

// Role is what a topic is to the audit.
type Role string

const (
	RoleTicks        Role = "ticks"        // audited, only read
	RoleTable        Role = "table"        // a group's state
	RoleDistribution Role = "distribution" // partition statistics between the groups
	RoleAudit        Role = "audit"        // reports
	RoleDeadLetter   Role = "dead letter"  // unreadable records
)

// Topic is one topic and what the audit requires of it.
type Topic struct {
	Name          string
	Role          Role
	Partitions    PartitionRule
	CleanupPolicy string // "compact", "delete", or "" when any will do
	Create        bool   // made when missing; otherwise it must exist
}

// PartitionRule says how many partitions a topic must have.
type PartitionRule struct {
	LargestOf []string // as many as the largest of these topics has
	Exactly   int      // this many; 0 when LargestOf rules or any count will do
	New       int      // what a new topic gets when any count will do
}

// Required returns the partition count that the rule demands, given the counts
// of existing topics, and false when any count will do.
func (r PartitionRule) Required(counts map[string]int) (int, bool) {
	if r.Exactly > 0 {
		return r.Exactly, true
	}
	largest := 0
	for _, topic := range r.LargestOf {
		largest = max(largest, counts[topic])
	}
	return largest, len(r.LargestOf) > 0
}

// Options are the configured names that a topology is made from.
type Options struct {
	Name            string
	Topics          []string // tick topics
	AuditTopic      string   // "" means [AuditTopic] of the first tick topic
	DeadLetterTopic string   // "" means none
}

// New lays out the audit of the given topics. The result is not yet validated.
func New(o Options) Topology {
	names := NamesOf(o.Name)
	if o.AuditTopic == "" && len(o.Topics) > 0 {
		o.AuditTopic = AuditTopic(o.Topics[0])
	}
	symbols := Group{
		Name:    names.Group,
		Does:    "judges every tick, one goroutine a partition",
		Inputs:  o.Topics,
		Table:   names.Table,
		Outputs: []string{o.AuditTopic, names.DistributionTopic},
	}
	distribution := Group{
		Name:    names.DistributionGroup,
		Does:    "folds partition statistics into skew, splits, lag and topic reports",
		Inputs:  []string{names.DistributionTopic},
		Table:   names.DistributionTable,
		Outputs: []string{o.AuditTopic},
	}
	var topics []Topic
	for _, name := range o.Topics {
		topics = append(topics, Topic{Name: name, Role: RoleTicks})
	}
	one, any := PartitionRule{Exactly: 1}, PartitionRule{New: 1}
	topics = append(topics,
		Topic{names.Table, RoleTable, PartitionRule{LargestOf: o.Topics}, "compact", true},
		Topic{names.DistributionTopic, RoleDistribution, one, "delete", true},
		Topic{names.DistributionTable, RoleTable, one, "compact", true},
		Topic{o.AuditTopic, RoleAudit, any, "delete", true},
	)
	if o.DeadLetterTopic != "" {
		symbols.Outputs = append(symbols.Outputs, o.DeadLetterTopic)
		topics = append(topics, Topic{o.DeadLetterTopic, RoleDeadLetter, any, "delete", true})
	}
	return Topology{Name: o.Name, Groups: []Group{symbols, distribution}, Topics: topics}
}

// Topic returns the topic of that name.
func (t Topology) Topic(name string) (Topic, bool) {
	for _, topic := range t.Topics {
		if topic.Name == name {
			return topic, true
		}
	}
	return Topic{}, false
}

// OfRole returns the names of the topics with that role, in order.
func (t Topology) OfRole(role Role) []string {
	var names []string
	for _, topic := range t.Topics {
		if topic.Role == role {
			names = append(names, topic.Name)
		}
	}
	return names
}
