//go:build !race

package processors

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
)

// simGroup is the coordinator of a group of static members: generations,
// assignments and offsets, those of open transactions included.
type simGroup struct {
	name       string
	topics     []string
	counts     func(topic string) int32
	generation int32
	slots      map[string]*simMember // by instance id
	assigned   map[string][]place    // by instance id, of this generation
	offsets    map[place]int64
	pending    map[place][]*simTxn
	preparing  time.Time // since when a rebalance waits for members; zero: stable
	joins      int
}

const simRebalanceTimeout = 8 * time.Second

func newSimGroup(k *simKafka, name string, topics ...string) *simGroup {
	g := &simGroup{
		name: name, topics: topics, counts: func(t string) int32 { return k.counts[t] }, slots: map[string]*simMember{},
		assigned: map[string][]place{}, offsets: map[place]int64{}, pending: map[place][]*simTxn{},
	}
	k.groups[name] = g
	return g
}

// check is Kafka's of a commit: by member id first, then by generation.
func (g *simGroup) check(instance, member string, generation int32) error {
	m := g.slots[instance]
	switch {
	case m == nil:
		return kerr.UnknownMemberID
	case m.id != member:
		return kerr.FencedInstanceID
	case generation != g.generation:
		return kerr.IllegalGeneration
	}
	return nil
}

func (g *simGroup) commit(instance, member string, generation int32, offsets map[place]int64) error {
	if err := g.check(instance, member, generation); err != nil {
		return err
	}
	maps.Copy(g.offsets, offsets)
	return nil
}

// settle ends a transaction's offsets.
func (g *simGroup) settle(txn *simTxn) {
	if !txn.aborted {
		maps.Copy(g.offsets, txn.offsets[g])
	}
	for p, txns := range g.pending {
		g.pending[p] = slices.DeleteFunc(txns, func(t *simTxn) bool { return t == txn })
	}
}

// join takes a member in. One whose instance id is known takes that one's
// place, and its assignment too while the group is stable.
func (g *simGroup) join(m *simMember) {
	g.joins++
	m.id, m.lost, m.heard = fmt.Sprintf("%s-%d", m.proc.instance, g.joins), false, time.Now()
	old, known := g.slots[m.proc.instance], false
	if old != nil && old != m {
		old.lost, known = true, true
	}
	g.slots[m.proc.instance] = m
	if known && g.preparing.IsZero() {
		m.assign(g.assigned[m.proc.instance], g.generation)
		return
	}
	m.state = simJoined
	g.rebalance()
}

func (g *simGroup) rebalance() {
	if g.preparing.IsZero() {
		g.preparing = time.Now()
	}
}

func (g *simGroup) remove(m *simMember) {
	if g.slots[m.proc.instance] == m {
		delete(g.slots, m.proc.instance)
		g.rebalance()
	}
	m.lost = true
}

func (g *simGroup) members() (members []*simMember) {
	for _, instance := range slices.Sorted(maps.Keys(g.slots)) {
		members = append(members, g.slots[instance])
	}
	return members
}

// progress removes members that are not heard of, and ends a rebalance once
// everybody has given up what it had.
func (g *simGroup) progress() {
	ready := true
	for _, m := range g.members() {
		if m.proc.beats() {
			m.heard = time.Now()
		}
		late := !g.preparing.IsZero() && m.state != simJoined && time.Since(g.preparing) > simRebalanceTimeout
		if time.Since(m.heard) > m.proc.cfg.SessionTimeout || late {
			g.remove(m)
			continue
		}
		ready = ready && m.state == simJoined
	}
	if g.preparing.IsZero() || !ready {
		return
	}
	g.preparing = time.Time{}
	g.generation++
	clear(g.assigned)
	members := g.members()
	for _, topic := range g.topics {
		for p := range g.counts(topic) {
			if len(members) > 0 {
				// Ranges, as the range assignor gives them.
				m := members[int(p)*len(members)/int(g.counts(topic))]
				g.assigned[m.proc.instance] = append(g.assigned[m.proc.instance], place{topic, p})
			}
		}
	}
	for _, m := range members {
		m.assign(g.assigned[m.proc.instance], g.generation)
	}
}

// unstable reports whether an offset is part of an open transaction.
func (g *simGroup) unstable(places []place) bool {
	for _, p := range places {
		if len(g.pending[p]) > 0 {
			return true
		}
	}
	return false
}
