package faults

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/auditstream/auditstream/engine"
)

// envSoak is how long TestSoak goes on, in minutes.
const envSoak = "AUDITSTREAM_TEST_SOAK_MINUTES"

// Faults of all kinds for as long as is asked for, hours of them in minutes. An
// instance that is never killed must not grow meanwhile: neither its heap nor
// its goroutines nor its file handles.
func TestSoak(t *testing.T) {
	minutes := 1.0
	if text := os.Getenv(envSoak); text != "" {
		var err error
		if minutes, err = strconv.ParseFloat(text, 64); err != nil {
			t.Fatalf("%s: %v", envSoak, err)
		}
	}
	a := newAudit(t, one.get(t), 4)
	random := rand.New(rand.NewPCG(1, 7))
	f := a.feed(10).run()
	steady := launch(t, plain, a.file("steady"), []string{"GOGC=50"}) // the heap is close to what lives
	steady.awaitReady()
	other := a.file("other")
	p := a.start(other)
	a.members(2)
	a.moving(500)
	first := measure(steady)
	faults := 0
	for until := time.Now().Add(time.Duration(minutes * float64(time.Minute))); time.Now().Before(until); faults++ {
		switch random.IntN(5) {
		case 0, 1:
			p.kill()
		case 2:
			p.signal(syscall.SIGTERM)
			p.wait()
		case 3:
			p.signal(syscall.SIGSTOP)
			a.members(1)
			a.moving(100)
			p.signal(syscall.SIGCONT)
		case 4:
			a.resetInTransaction(1)
		}
		if p.ended() {
			p = a.start(other)
		}
		a.members(2)
		p.awaitReady()
		a.moving(200)
	}
	last := measure(steady)
	t.Logf("%d faults; at first %s, at last %s", faults, first, last)
	if last.goroutines > first.goroutines+20 || last.files > first.files+20 || last.heap > first.heap+64<<20 {
		t.Errorf("it has grown: at first %s, at last %s", first, last)
	}
	p.kill()
	steady.stopWithin(5 * time.Second)
	f.end()
	a.finish(a.file("last"))
	a.check(f.expected(), false, engine.AuditorBehind, engine.RebalanceStorm)
}

// size is what a process holds.
type size struct {
	heap              int64
	goroutines, files int
}

func (s size) String() string {
	return fmt.Sprintf("%d MiB live, %d goroutines, %d file handles", s.heap>>20, s.goroutines, s.files)
}

// measure takes the least of some looks: what is fetched comes and goes.
func measure(p *program) size {
	least := size{heap: 1 << 40, goroutines: 1 << 20, files: 1 << 20}
	tick := time.NewTicker(300 * time.Millisecond)
	defer tick.Stop()
	for range 10 {
		<-tick.C
		least.heap = min(least.heap, int64(p.metric("go_memstats_heap_alloc_bytes")))
		least.goroutines = min(least.goroutines, int(p.metric("go_goroutines")))
		least.files = min(least.files, p.openFiles())
	}
	return least
}
