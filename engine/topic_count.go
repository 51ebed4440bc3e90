package engine

import "maps"

// countWatch is what is known of the topic's partition count apart from what
// its partitions tell, and what waits for more of that.
type countWatch struct {
	on       bool // the brokers are asked now and then
	count    int32
	answered int64
	waits    map[string]int64 // by subject: the questions that had been put when it was seen to wait, -1: not yet
	symbols  map[string]bool  // those of which something waits
}

// HasPartitions tells that the brokers, asked for it, have said how many
// partitions the topic has. Questions are numbered from 1: asked is the last
// that was put, answered the one that this is the answer to, 0 when there was
// none so far.
//
// Producers may know of new partitions before the audit does, and put keys on
// others of the old ones by them. So from the first call on a symbol that is
// split, a mixture of functions, a mismatch, disorder across a growth and the
// growth itself, which others may follow at once, are opened only when the brokers have been asked after they were seen, and have
// said that the topic has no more partitions than its keys are judged by. In a topic that has grown they
// wait until its statistics say so too, and what the growth explains is
// dropped. A [Topic.Final] waits for nothing.
func (t *Topic) HasPartitions(count int32, asked, answered int64) {
	c := &t.counted
	c.on, c.count, c.answered = true, count, answered
	due := false
	for subject, seen := range c.waits {
		if seen < 0 {
			c.waits[subject] = asked
		} else {
			due = due || answered > seen
		}
	}
	if due && count <= t.state.Partitions {
		maps.Copy(t.placing.touched, c.symbols)
		clear(c.symbols)
		t.judgePlaces()
	}
}

// countHolds reports whether the partition count is known to have been today's
// when the subject was seen to be told; otherwise that waits.
func (t *Topic) countHolds(subject string) bool {
	c := &t.counted
	if !c.on || t.ending {
		return true
	}
	seen, waits := c.waits[subject]
	if waits && seen >= 0 && c.answered > seen && c.count <= t.state.Partitions {
		delete(c.waits, subject)
		return true
	}
	if !waits {
		if c.waits == nil {
			c.waits, c.symbols = map[string]int64{}, map[string]bool{}
		}
		c.waits[subject] = -1
	}
	return false
}

// forgetWaiting drops what waits: the topic has grown, or is another.
func (t *Topic) forgetWaiting() {
	clear(t.counted.waits)
	clear(t.counted.symbols)
}
