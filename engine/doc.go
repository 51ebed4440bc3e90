// Package engine is the product: it judges ticks and says what is wrong with
// a tick topic. It is pure. State and input go in, state and reports come
// out; it knows no Kafka, clock, logger, random source or I/O, and imports
// the standard library only.
//
// A Partition owns the state of one partition of one tick topic: feed it with
// Observe, tell it the time with Sweep, make its state durable with Snapshot
// and bring it back with Restore. A Topic folds the statistics of all
// partitions of one tick topic into skew, splits, lag and topic reports.
// Neither has a lock: the caller owns the goroutine or the mutex.
//
// Every detector is one file, detect_<code>.go, and one line in the list in
// detectors.go. Every finding code is one row of the table in code.go.
//
// All times are int64 nanoseconds since the Unix epoch, UTC; NoTime stands
// for "unset". All durations are time.Duration.
package engine
