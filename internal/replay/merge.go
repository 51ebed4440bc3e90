package replay

import (
	"cmp"
	"slices"

	"github.com/auditstream/auditstream/engine"
)

// merge folds the chunks of all lanes into the topic in the order of their
// record times, those of equal times by partition. For that it needs the next
// chunk of every lane that has not ended.
type merge struct {
	topic  *engine.Topic
	flow   *flow
	heads  []*head // ascending by key and partition
	report func(*engine.Report) error
	saver  *saver // nil: nothing is saved
}

// head is a lane with its chunks that are next.
type head struct {
	lane   *lane
	chunks []*chunk
}

// run merges until every lane has ended; false when the flow is over before.
func (m *merge) run() (bool, error) {
	for len(m.heads) > 0 {
		h := m.heads[0]
		if len(h.chunks) == 0 {
			if h.chunks = m.flow.wait(h.lane); h.chunks == nil {
				return false, nil
			}
			m.settle()
			continue
		}
		c := h.chunks[0]
		h.chunks[0] = nil
		h.chunks = h.chunks[1:]
		if err := m.fold(h.lane, c); err != nil {
			return false, err
		}
		if c.last {
			m.heads = m.heads[1:]
			continue
		}
		m.settle()
	}
	return true, nil
}

// before orders lanes whose next chunk is not known before all others.
func before(a, b *head) int {
	known := func(h *head) int { return min(1, len(h.chunks)) }
	if c := cmp.Compare(known(a), known(b)); c != 0 {
		return c
	}
	if len(a.chunks) > 0 {
		if c := cmp.Compare(a.chunks[0].key, b.chunks[0].key); c != 0 {
			return c
		}
	}
	return cmp.Compare(a.lane.Partition, b.lane.Partition)
}

// settle moves the first head to where it belongs.
func (m *merge) settle() {
	h := m.heads[0]
	i, _ := slices.BinarySearchFunc(m.heads[1:], h, before)
	copy(m.heads, m.heads[1:1+i])
	m.heads[i] = h
}

// fold takes one chunk into the topic.
func (m *merge) fold(l *lane, c *chunk) error {
	if err := m.write(c.snap.Reports); err != nil {
		return err
	}
	m.topic.Fold(c.snap.Stats)
	made := m.topic.Snapshot()
	if err := m.write(made.Reports); err != nil || m.saver == nil {
		return err
	}
	return m.saver.take(l, c, made.Rows)
}

func (m *merge) write(reports []*engine.Report) error {
	for _, r := range reports {
		if err := m.report(r); err != nil {
			return err
		}
	}
	return nil
}
