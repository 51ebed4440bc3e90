package faults

import (
	"math/rand/v2"
	"syscall"
	"testing"
	"time"
)

// guarantees are both processing guarantees; repeats says that reports may
// come twice under it.
var guarantees = []struct {
	name    string
	repeats bool
}{
	{"exactly_once_v2", false},
	{"at_least_once", true},
}

// The program is killed at every step of a checkpoint, of both groups, while
// ticks go on coming: each life is cut short by the next point.
func TestKilledAtEachStep(t *testing.T) {
	t.Parallel()
	points := []string{
		"before reports*3", "after reports*3", "mid rows*3", "after rows*3", "after offsets*3", "after commit*3", "recovery",
	}
	last := []string{"before reports", "after reports", "mid rows", "after rows", "after offsets", "after commit"}
	for _, g := range guarantees {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			a := newAudit(t, one.get(t), 4, "processing.guarantee="+g.name)
			file := a.file("one")
			f := a.feed(25).run()
			for _, group := range []string{"symbols", "distribution"} {
				for _, point := range points {
					if point == "after offsets*3" && g.name == "at_least_once" {
						continue // offsets alone are its commit
					}
					began := time.Now()
					launch(t, mined, file, []string{"FAULTPOINT=" + group + "|" + point}).killed(group + ", " + point)
					t.Logf("%s, %s: lived %s", group, point, time.Since(began).Round(time.Millisecond))
				}
				for _, point := range last {
					if point == "after offsets" && g.name == "at_least_once" {
						continue
					}
					a.killedStopping(file, group, point)
				}
			}
			f.end()
			a.finish(file)
			a.check(f.expected(), g.repeats)
		})
	}
}

// killedStopping has the program killed at a step of the last checkpoint of a
// stop. One that has nothing left to write then has no such step, and is
// started again.
func (a *audit) killedStopping(file, group, point string) {
	a.t.Helper()
	for range 20 {
		p := launch(a.t, mined, file, []string{"FAULTPOINT=" + group + "|last checkpoint|" + point})
		p.awaitReady()
		a.moving(1)
		p.signal(syscall.SIGTERM)
		if p.wait() != 0 {
			p.killed(group + ", last checkpoint, " + point)
			return
		}
	}
	a.t.Errorf("never killed at %s, last checkpoint, %s", group, point)
}

// The program is killed at random, each time with its local state gone.
func TestKilledAtRandom(t *testing.T) {
	t.Parallel()
	for _, g := range guarantees {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			a := newAudit(t, one.get(t), 4, "processing.guarantee="+g.name)
			random := rand.New(rand.NewPCG(4, 2))
			f := a.feed(25).run()
			for range 6 {
				p := a.start(a.file("one"))
				a.moving(1)
				<-time.After(time.Duration(random.IntN(400)) * time.Millisecond)
				p.kill()
			}
			f.end()
			a.finish(a.file("one"))
			a.check(f.expected(), g.repeats)
		})
	}
}
