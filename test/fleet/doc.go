// Package fleet runs the program against what a fleet of producers does to a
// topic: client libraries of several languages on one topic, and a partition
// count that grows under load. It holds tests only.
package fleet
