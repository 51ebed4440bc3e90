package topology

import "slices"

// Access says whether an audit of this topology reads a topic and whether it
// writes to it, as the edges of its groups tell. Tables are read and written.
func (t Topology) Access(topic string) (reads, writes bool) {
	for _, g := range t.Groups {
		reads = reads || g.Table == topic || slices.Contains(g.Inputs, topic)
		writes = writes || g.Table == topic || slices.Contains(g.Outputs, topic)
	}
	return reads, writes
}

// TransactionalIDs is what the transactional ids of an audit begin with.
func (t Topology) TransactionalIDs() string { return NamesOf(t.Name).Group + "-" }
