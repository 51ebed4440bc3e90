package engine

import "time"

const (
	// stormRebalances within stormWindow are a REBALANCE_STORM.
	stormRebalances = 3
	stormWindow     = 60 * time.Second
)

// RebalanceKind is what happened to a member's partitions.
type RebalanceKind uint8

// The kinds.
const (
	PartitionsAssigned RebalanceKind = iota
	PartitionsRevoked
	PartitionsLost
)

// RebalanceEvent is one step of a rebalance as a member sees it. At is on a
// monotonic clock, from any fixed start.
type RebalanceEvent struct {
	At   time.Duration
	Kind RebalanceKind
}

// Rebalances counts events, in the order in which they happened, as
// rebalances and returns the time of each. A revoke, or a loss, and the
// assignment after it are one, at the time of the revoke. An assignment with
// no revoke before it is one of its own (a cooperative group gives more
// partitions without taking any), except for the very first, by which the
// member joins.
func Rebalances(events []RebalanceEvent) []time.Duration {
	var times []time.Duration
	revoked := false
	for i, e := range events {
		joins := i == 0 && e.Kind == PartitionsAssigned
		follows := revoked && e.Kind == PartitionsAssigned
		revoked = e.Kind != PartitionsAssigned
		if !joins && !follows {
			times = append(times, e.At)
		}
	}
	return times
}

// Storm is an episode of rebalances that follow each other too closely.
type Storm struct {
	First    time.Duration // its first rebalance
	Last     time.Duration // its last one so far
	Opened   time.Duration // the rebalance that made it a storm
	Count    int           // rebalances in it
	Resolved bool          // 60 s have passed since Last
}

// Storms judges the times of rebalances, ascending on a monotonic clock, as
// they stand at now, and returns the storms among them in order. A storm opens
// with the third rebalance in 60 s, the 60th second included. It goes on while
// rebalances come less than 60 s apart, which is a lower bar than the one that
// opened it, and is resolved 60 s after its last. Times after now are not
// looked at. The rebalances of resolved storms, and those more than 60 s before
// now that belong to no open one, can be dropped from times without a change
// to what comes.
func Storms(times []time.Duration, now time.Duration) []Storm {
	var storms []Storm
	open, quiet := false, 0 // quiet: index of the first rebalance after the last storm
	for i, t := range times {
		if t > now {
			break
		}
		if open {
			storm := &storms[len(storms)-1]
			if t-storm.Last < stormWindow {
				storm.Last = t
				storm.Count++
				continue
			}
			storm.Resolved = true
			open, quiet = false, i
		}
		if first := i - stormRebalances + 1; first >= quiet && t-times[first] <= stormWindow {
			storms = append(storms, Storm{First: times[first], Last: t, Opened: t, Count: stormRebalances})
			open = true
		}
	}
	if open {
		storm := &storms[len(storms)-1]
		storm.Resolved = now-storm.Last >= stormWindow
	}
	return storms
}
