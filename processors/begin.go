package processors

import "github.com/twmb/franz-go/pkg/kgo"

// begin is told the group's committed offset, and says where reading begins:
// there, but never beyond what the restored rows rest on. Rows and offsets are
// durable together or rows first, so they agree unless somebody has set the
// offsets, or lost rows; then reading again is harmless and a gap is not.
func (c *claim) begin(offset kgo.Offset) kgo.Offset {
	c.mu.Lock()
	defer c.mu.Unlock()
	from, next := c.unit.rests()
	at := offset.EpochOffset().Offset
	committed := at >= 0
	end := max(c.end, c.high)
	// Rows that rest on the very end of the log were cut back to it.
	gone := c.fromStart || at > end && next != end
	known := at // what was read up to before
	if next >= 0 {
		at = min(at, next)
	}
	if next > 0 {
		known = next
	}
	switch {
	case gone: // about a log that is gone
		at, committed, known = c.start, false, -1
	case committed:
	case at == kgo.NewOffset().AtEnd().EpochOffset().Offset && !c.oldest:
		// Offsets expire, rows do not: what they rest on was begun long ago.
		if at = c.end; from >= 0 {
			at = min(at, from)
		}
	default:
		at = c.start
	}
	if committed && offset.EpochOffset().Offset <= end {
		c.committed = offset.EpochOffset().Offset
	}
	c.next = max(at, c.start)
	if offset.EpochOffset().Offset > c.next {
		c.rewind = c.next
	}
	c.gate.assign(c)
	if known >= 0 && known < c.start {
		c.unit.lost(known, c.start)
	}
	switch {
	case c.next == c.start && !committed:
		// The log's start may move on before it is read.
		return kgo.NewOffset().AtStart()
	case committed && c.next == c.committed:
		return offset // with its leader epoch
	}
	return kgo.NewOffset().At(c.next)
}
