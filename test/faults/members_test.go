package faults

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/kafkatest"
)

// members waits until the audit's group is stable with so many members.
func (a *audit) members(n int) {
	a.t.Helper()
	for _, group := range []string{a.names.Group, a.names.DistributionGroup} {
		kafkatest.Eventually(a.t, fmt.Sprintf("%d members of %s", n, group), func() bool {
			groups, err := a.adm.DescribeGroups(context.Background(), group)
			return err == nil && len(groups[group].Members) == n && groups[group].State == "Stable"
		})
	}
}

// A process that is stopped past its session, and woken when its partitions
// have long been somebody else's, changes nothing.
func TestFrozenPastItsSession(t *testing.T) {
	t.Parallel()
	for _, g := range guarantees {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			a := newAudit(t, one.get(t), 4, "processing.guarantee="+g.name)
			f := a.feed(25).run()
			first := a.start(a.file("one"))
			second := a.start(a.file("two"))
			a.members(2)
			a.moving(1)
			for _, frozen := range []*program{first, second} {
				frozen.signal(syscall.SIGSTOP)
				a.members(1)
				a.moving(2000)
				frozen.signal(syscall.SIGCONT)
				a.members(2)
				a.moving(2000)
			}
			first.stop()
			second.stop()
			f.end()
			a.finish(a.file("three"))
			// Whoever reads for two is behind for a moment.
			a.check(f.expected(), g.repeats, engine.AuditorBehind, engine.RebalanceStorm)
		})
	}
}

// Instances come and go, in order and not, and one of them is killed and
// started again. The pauses are told, not judged.
func TestInstancesJoinAndLeave(t *testing.T) {
	t.Parallel()
	a := newAudit(t, one.get(t), 6, "checkpoint.interval.ms=50")
	f := a.feed(20).run()
	var running []*program
	var files []string
	gaps := a.watchGaps()
	for i := range 5 {
		files = append(files, a.file(fmt.Sprintf("i%d", i)))
		running = append(running, a.start(files[i]))
		a.members(i + 1)
		running[i].awaitReady()
		if i > 0 {
			gaps.mark(t, fmt.Sprintf("instance %d joins", i+1))
		} else {
			gaps.mark(t, "")
		}
	}
	for _, i := range []int{1, 3} {
		running[i].stop()
		a.moving(500)
		gaps.mark(t, "an instance leaves")
	}
	a.members(3)
	a.moving(500)
	gaps.mark(t, "")
	running[0].kill()
	running[0] = a.start(files[0])
	running[0].awaitReady()
	a.members(3)
	gaps.mark(t, "an instance is killed and started again")
	running[2].kill() // and nobody starts it: its session has to end
	a.members(2)
	a.moving(3000)
	gaps.mark(t, "an instance is killed")
	for _, i := range []int{0, 4} {
		running[i].stop()
	}
	f.end()
	a.finish(a.file("last"))
	a.check(f.expected(), false, engine.AuditorBehind, engine.RebalanceStorm)
}

// gapWatch follows the committed offsets of every partition.
type gapWatch struct {
	mu    sync.Mutex
	moved map[int32]time.Time
	at    map[int32]int64
	worst map[int32]time.Duration
}

func (a *audit) watchGaps() *gapWatch {
	g := &gapWatch{moved: map[int32]time.Time{}, at: map[int32]int64{}, worst: map[int32]time.Duration{}}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			offsets, err := a.adm.FetchOffsets(ctx, a.names.Group)
			if err != nil {
				continue
			}
			now := time.Now()
			g.mu.Lock()
			for p, o := range offsets[a.topic] {
				if o.At <= g.at[p] {
					if since, ok := g.moved[p]; ok {
						g.worst[p] = max(g.worst[p], now.Sub(since))
					}
					continue
				}
				g.at[p], g.moved[p] = o.At, now
			}
			g.mu.Unlock()
		}
	}()
	a.t.Cleanup(func() { cancel(); <-done })
	return g
}

// mark tells the largest gap of any partition since the last mark, and of the
// partition that was disturbed least.
func (g *gapWatch) mark(t *testing.T, what string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	var most time.Duration
	var each []string
	for p := range int32(len(g.worst)) {
		most = max(most, g.worst[p])
		each = append(each, g.worst[p].Round(10*time.Millisecond).String())
	}
	clear(g.worst)
	if what != "" {
		t.Logf("largest gap of a partition when %s: %s (all: %s)", what, most.Round(10*time.Millisecond), strings.Join(each, " "))
	}
}

// A second process with the instance id of one that runs elsewhere ends with
// the reason; the first goes on.
func TestSecondInstanceWithOneID(t *testing.T) {
	t.Parallel()
	for _, g := range guarantees {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			a := newAudit(t, one.get(t), 2, "processing.guarantee="+g.name)
			f := a.feed(5).run()
			first := a.start(a.file("one"))
			first.awaitReady()
			<-time.After(sessionTimeout + time.Second) // it is no newcomer then
			second := a.start(a.file("one"))           // another state folder: another machine
			kafkatest.Eventually(t, "one of the two to end", func() bool { return first.ended() || second.ended() })
			if first.ended() {
				t.Fatalf("the first ended: %s", first.complaint())
			}
			if code := second.wait(); code != 1 {
				t.Errorf("exit code %d of the second, want 1", code)
			}
			if said := second.complaint(); !strings.Contains(said, `another instance with instance.id "one" is running`) {
				t.Errorf("the second ended with %s", said)
			}
			a.moving(200)
			if first.ended() {
				t.Fatalf("the first ended, too: %s", first.complaint())
			}
			first.awaitReady() // its producers were fenced by the second, too
			first.stop()
			f.end()
			a.finish(a.file("two"))
			a.check(f.expected(), g.repeats, engine.AuditorBehind, engine.RebalanceStorm)
		})
	}
}
