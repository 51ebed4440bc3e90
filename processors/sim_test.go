package processors

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/rs/zerolog"
)

var (
	simSeeds = flag.Uint64("sim.seeds", 60, "seeds that the simulation runs")
	simSays  = flag.Bool("sim.log", false, "tell what the processes of the simulation log")
	simSeed  = flag.Uint64("sim.seed", 0, "the only seed that the simulation runs")
)

// The program under faults comes out as the program without them, whatever the
// seed.
func TestSimulation(t *testing.T) {
	if *simSeed > 0 {
		simulateAll(t, *simSeed, *simSeed, 1)
		return
	}
	shards := uint64(runtime.GOMAXPROCS(0))
	for shard := range shards {
		t.Run(fmt.Sprintf("shard=%d", shard), func(t *testing.T) {
			t.Parallel()
			simulateAll(t, 1+shard, *simSeeds, shards)
		})
	}
}

func simulateAll(t *testing.T, first, last, step uint64) {
	failed := 0
	for seed := first; seed <= last && failed < 5; seed += step {
		if found := simulate(t, seed, nil); found != "" {
			failed++
			t.Errorf("seed %d: %s\nreplay: go test ./processors -run 'TestSimulation$' -sim.seed %d", seed, found, seed)
		}
	}
}

// simulate runs a seed and returns what is wrong with it, "" for nothing.
func simulate(t *testing.T, seed uint64, wrong func(*sim)) (found string) {
	synctest.Test(t, func(*testing.T) {
		log := zerolog.Nop()
		if *simSays {
			log = zerolog.New(os.Stderr).With().Timestamp().Logger()
		}
		s := newSim(seed, log)
		if wrong != nil {
			wrong(s)
		}
		s.live()
		if !s.finish() {
			found = "it does not come to its end"
			return
		}
		truth := newSim(seed, zerolog.Nop())
		truth.exactlyOnce = s.exactlyOnce
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
		if d := got.differences(want, s.exactlyOnce); len(d) > 0 {
			found = fmt.Sprintf("exactly once %v: %d differences\n%s", s.exactlyOnce, len(d), strings.Join(d[:min(6, len(d))], "\n"))
		}
	})
	return found
}
