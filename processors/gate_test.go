//go:build !race

package processors

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/IBM/sarama"
	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kgo"
)

// gated is a member that owns two partitions of ticks, in the simulated
// cluster and without faults.
type gated struct {
	*simMember
	kafka  *simKafka
	logged *strings.Builder
}

// atGate runs a test on a member of either guarantee, with ten ticks on each
// partition, of which it has judged the first five and committed nothing.
func atGate(t *testing.T, test func(t *testing.T, g *gated)) {
	for _, exactlyOnce := range []bool{true, false} {
		t.Run(fmt.Sprintf("exactly_once=%v", exactlyOnce), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				logged := &strings.Builder{}
				s := newSim(1, zerolog.New(logged))
				s.exactlyOnce, s.byClock, s.random = exactlyOnce, false, rand.New(rand.NewPCG(1, 1))
				s.kafka.create(simTicks, "two", 2)
				for i := range 20 {
					value := fmt.Appendf(nil, `{"symbol":"Q%d","ts":%d}`, i%2, time.Now().UnixNano())
					s.kafka.logs[place{simTicks, int32(i % 2)}].append(&kgo.Record{Key: fmt.Appendf(nil, "Q%d", i%2), Value: value}, nil)
				}
				p := newSimProc(s, "one")
				defer p.kill()
				s.procs = []*simProc{p}
				m := p.members[0]
				for m.state != simRunning {
					s.pass()
					m.next()
				}
				g := &gated{m, s.kafka, logged}
				for _, c := range m.session.ordered {
					g.deliver(t, c, 0, 5)
				}
				test(t, g)
			})
		})
	}
}

// deliver hands a claim a frame of the records from one offset up to another,
// as a fetch and goka do.
func (g *gated) deliver(t *testing.T, c *claim, from, to int64) {
	t.Helper()
	records, _ := g.kafka.logs[c.place].read(from, int(to-from))
	c.queue.push(records, logBounds{0, 10, 10}, fetching{})
	if err := c.consume(); err != nil {
		t.Fatal(err)
	}
}

// end ends the session as a rebalance does, and what it writes with it.
func (g *gated) end(cause error) (written int) {
	before := g.records()
	for g.start(func() { g.member.fail(g.member.end(cause)) }); g.busy; {
		simWait(time.Second)
	}
	g.kafka.flush()
	return g.records() - before
}

func (g *gated) records() (n int) {
	for at, l := range g.kafka.logs {
		if at.topic != simTicks {
			n += len(l.records)
		}
	}
	return n
}

func (g *gated) committed(partition int32) int64 {
	if at, ok := g.coordinator.offsets[place{simTicks, partition}]; ok {
		return at
	}
	return -1
}

// A record is refused when its partition is fenced or of another generation,
// and when its offset is at or below the last.
func TestGateRefuses(t *testing.T) {
	atGate(t, func(t *testing.T, g *gated) {
		c := g.session.ordered[0]
		next := func(what string, want int64) {
			t.Helper()
			if got := c.unit.(*symbols).judge.Counts().Records; c.next != want || got != want {
				t.Errorf("%s: %d records judged, next is %d; want %d", what, got, c.next, want)
			}
		}
		g.deliver(t, c, 2, 5)
		next("the same again", 5)
		g.deliver(t, c, 3, 7)
		next("some of it again", 7)
		c.generation--
		g.deliver(t, c, 7, 8)
		next("of another generation", 7)
		c.generation++
		g.deliver(t, c, 7, 8)
		next("of this generation", 8)
		c.gate.revoke(g.session.ordered)
		g.deliver(t, c, 8, 9)
		next("while it is revoked", 8)
	})
}

// watchedCleanup calls back in goka's cleanup.
type watchedCleanup struct {
	simHandler
	called func()
}

func (w watchedCleanup) Cleanup(sarama.ConsumerGroupSession) error {
	w.called()
	return nil
}

// All partitions are fenced before anything of them is drained; then the next
// offset of each is committed.
func TestGateFencesThenCommitsTheNextOffset(t *testing.T) {
	atGate(t, func(t *testing.T, g *gated) {
		cleaned := false
		g.member.handler = watchedCleanup{called: func() {
			cleaned = true
			for _, c := range g.session.ordered {
				g.deliver(t, c, 5, 10)
				if c.next != 5 {
					t.Errorf("%s took records after it was revoked", c.place)
				}
			}
		}}
		if g.end(nil) == 0 || !cleaned {
			t.Error("the last checkpoint wrote nothing")
		}
		for p := range int32(2) {
			if got := g.committed(p); got != 5 {
				t.Errorf("partition %d: offset %d is committed, want 5", p, got)
			}
		}
	})
}

// A partition that has failed withholds its own offset and no other's, and
// all that is withheld is told together.
func TestGateWithholdsWhatFailed(t *testing.T) {
	atGate(t, func(t *testing.T, g *gated) {
		g.session.ordered[0].failed = true
		g.end(nil)
		if g.committed(0) != -1 || g.committed(1) != 5 {
			t.Errorf("offsets %d and %d are committed, want none and 5", g.committed(0), g.committed(1))
		}
		if rows := g.kafka.logs[place{g.group.table, 0}].rows(); len(rows) > 0 {
			t.Errorf("the partition that failed has left %d rows", len(rows))
		}
		if !strings.Contains(g.logged.String(), "partition 0 is not committed: its processing has failed") {
			t.Errorf("not told: %s", g.logged)
		}
	})
	atGate(t, func(t *testing.T, g *gated) {
		g.proc.faults.fail = 10_000
		g.end(nil)
		for p := range int32(2) {
			if want := fmt.Sprintf("partition %d is not committed: offsets 0 to 4 are not durable", p); !strings.Contains(g.logged.String(), want) || g.committed(p) != -1 {
				t.Errorf("offset %d, and no word of %q: %s", g.committed(p), want, g.logged)
			}
		}
	})
}

// Partitions that are lost are discarded: nothing is written, no offset is
// committed, and the next session begins at what was durable.
func TestGateDiscardsWhatIsLost(t *testing.T) {
	atGate(t, func(t *testing.T, g *gated) {
		c := g.session.ordered[0]
		if n := g.end(errLost); n > 0 || g.committed(0) != -1 || g.committed(1) != -1 {
			t.Errorf("%d records written, offsets %d and %d committed after the loss", n, g.committed(0), g.committed(1))
		}
		g.deliver(t, c, 5, 6)
		if c.next != 5 {
			t.Error("a lost partition took records")
		}
	})
}
