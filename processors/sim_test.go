//go:build !race

package processors

// The simulation, sim_*_test.go and gate_test.go, runs without the race
// detector: its goroutines take turns in synctest's time, and the detector
// does not know that an instant lies behind the one before.

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/rs/zerolog"
)

var (
	simSeeds = flag.Uint64("sim.seeds", 60, "seeds that the simulation runs")
	simFirst = flag.Uint64("sim.first", 1, "the first seed that the simulation runs")
	simSays  = flag.Bool("sim.log", false, "tell what the processes of the simulation log")
	simUntil = flag.Bool("sim.until.failure", false, "end the simulation at the first seed that fails")
	simSeed  = flag.Uint64("sim.seed", 0, "the only seed that the simulation runs")
)

// The program under faults comes out as the program without them, whatever the
// seed. All of it runs but goka and the clients: engine, codecs, units, claims,
// guard, checkpoints, sinks, recovery and sessions, on a cluster in memory and
// in fake time. A seed makes ticks, kills, standstills, failures, lost and slow
// answers, rebalances, repeats, open transactions, growth and re-creation. What
// is left for a committed reader is compared: totals, rows, reports, findings
// and dead letters; under exactly_once_v2 nothing may be there twice.
func TestSimulation(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // a world is small and made of garbage
	happened := &simTally{counts: map[string]int{}}
	if *simSeed > 0 {
		simulateAll(t, happened, *simSeed, *simSeed, 1)
		return
	}
	shards := uint64(runtime.GOMAXPROCS(0))
	t.Run("seeds", func(t *testing.T) {
		for shard := range shards {
			t.Run(fmt.Sprintf("shard=%d", shard), func(t *testing.T) {
				t.Parallel()
				simulateAll(t, happened, *simFirst+shard, *simFirst+*simSeeds-1, shards)
			})
		}
	})
	for _, what := range simEvents {
		t.Logf("%6d %s", happened.counts[what], what)
		if happened.counts[what] == 0 && *simSeeds >= 60 && !t.Failed() {
			t.Errorf("%s: never in %d seeds", what, *simSeeds)
		}
	}
}

// simEvents are what must happen for the simulation to be one.
var simEvents = []string{
	"exactly once", "at least once", "tick", "finding", "split", "dead letter", "session", "kill", "kill behind an operation", "failure", "lost answer", "slow answer",
	"standstill", "a step of a member that was removed", "rebalance", "transaction timed out", "the same again", "growth", "re-creation",
}

// simTally counts what happened over all seeds.
type simTally struct {
	mu     sync.Mutex
	counts map[string]int
}

func (h *simTally) add(counts map[string]int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for what, n := range counts {
		h.counts[what] += n
	}
}

func simulateAll(t *testing.T, happened *simTally, first, last, step uint64) {
	most, failed := 5, 0
	if *simUntil {
		most = 1
	}
	for seed := first; seed <= last && failed < most; seed += step {
		found := simulate(t, seed, nil, happened)
		if found != "" {
			failed++
			t.Errorf("seed %d: %s\nreplay: go test ./processors -run 'TestSimulation$' -sim.seed %d", seed, found, seed)
		}
	}
}

// simulate runs a seed and returns what is wrong with it, "" for nothing.
func simulate(t *testing.T, seed uint64, wrong func(*sim), happened *simTally) (found string) {
	log := zerolog.Nop()
	if *simSays {
		log = zerolog.New(os.Stderr).With().Timestamp().Logger()
	}
	return simulateLogged(t, seed, wrong, happened, log)
}

func simulateLogged(t *testing.T, seed uint64, wrong func(*sim), happened *simTally, log zerolog.Logger) (found string) {
	synctest.Test(t, func(*testing.T) {
		s := newSim(seed, log)
		if wrong != nil {
			wrong(s)
		}
		s.clocked = s.byClock
		s.live()
		if happened != nil {
			happened.add(s.happened)
		}
		if !s.finish() {
			found = "it does not come to its end"
			return
		}
		truth := newSim(seed, zerolog.Nop())
		truth.exactlyOnce = s.exactlyOnce
		truth.kafka.ids[simTicks], truth.kafka.counts[simTicks] = s.kafka.ids[simTicks], s.kafka.counts[simTicks]
		for at, l := range s.kafka.logs {
			if at.topic == simTicks {
				truth.kafka.logs[at] = l
			}
		}
		if !truth.toTheEnd() {
			found = "without faults it does not come to its end"
			return
		}
		got, err := s.outcome()
		if err != nil {
			found = err.Error()
			return
		}
		want, err := truth.outcome()
		if err != nil {
			found = err.Error()
			return
		}
		if happened != nil {
			happened.add(want.happened())
		}
		if d := s.differences(got, want); len(d) > 0 {
			found = fmt.Sprintf("exactly once %v, clock %v, grown %v, made anew %v: %d differences\n%s", s.exactlyOnce, s.clocked, s.grown, s.recreated, len(d), strings.Join(d[:min(6, len(d))], "\n"))
		}
	})
	return found
}

// A seed that failed must fail again when it is run again.
func TestSimulationReplays(t *testing.T) {
	for seed := uint64(1); seed <= 20; seed++ {
		logs := [2]bytes.Buffer{}
		for i := range logs {
			simulateLogged(t, seed, nil, nil, zerolog.New(&logs[i]).With().Timestamp().Logger())
		}
		if !bytes.Equal(logs[0].Bytes(), logs[1].Bytes()) {
			t.Errorf("seed %d went one way and then another", seed)
		}
	}
}
