// Package topology is the shape of a running audit as one value: the groups,
// what each reads, keeps and writes, and what every topic must be like. The
// names of groups and internal topics are derived here and nowhere else.
//
// [Topology.Validate] returns every fault at once and [Topology.Describe]
// prints the value; docs/topology.md is that print. There is no behaviour
// here: processors build from the value, internal/kafka makes its topics.
package topology
