// Package demo plays a small market into an embedded broker, injects faults by
// name one after another, and holds what the audit finds against them.
//
// The market and the faults are values: the same seed gives the same ticks.
// Only the feed, which plays them, and the run know a clock and Kafka. The
// audit is handed in by the caller, so that it is the very one that `run`
// starts; its findings are read from its audit topic like any subscriber's.
package demo
