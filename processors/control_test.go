package processors_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/internal/kafkatest"
	"github.com/auditstream/auditstream/processors"
	"github.com/auditstream/auditstream/topology"
)

// What is paused, stopped, restarted and resumed judges every record once, and
// reads none meanwhile.
func TestPauseStopAndRestartLoseNothing(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *kafkatest.Cluster, guarantee option) {
		r := newRig(t, c, 2)
		written := 0
		produce := func() {
			var ticks []*kgo.Record
			for i := range 300 {
				ticks = append(ticks, r.tick(0, fmt.Sprintf("QA%d", i%5), time.Duration(written+i)*time.Millisecond),
					r.tick(1, fmt.Sprintf("QB%d", i%5), time.Duration(written+i)*time.Millisecond))
			}
			r.produce(ticks...)
			written += 300
		}
		control := processors.NewControl(zerolog.Nop())
		if s := control.State(); s != processors.Running {
			t.Errorf("%s before the groups are begun first", s)
		}
		a := r.start(guarantee, func(r *rig) { r.cfg.Control = control })
		await := func(want processors.State) {
			t.Helper()
			kafkatest.Eventually(t, fmt.Sprintf("state %d", want), func() bool { return control.State() == want })
		}
		judged := func(n int) {
			t.Helper()
			r.awaitCommitted(0, int64(n))
			r.awaitCommitted(1, int64(n))
		}
		produce()
		judged(written)
		named := func(name string) bool { return name == "QA1" || name == "QB1" }
		if found, more := a.Status.Symbols(named, 9); more || len(found) != 2 || found[0].Ticks != 60 || found[1].Partition != 1 {
			t.Errorf("found %+v", found)
		}
		if _, more := a.Status.Symbols(named, 1); !more {
			t.Error("one of two is said to be all")
		}
		if loads := a.Status.Busiest(2); len(loads) != 2 || len(loads[0].Busiest) != 2 {
			t.Errorf("busiest %+v", loads)
		}

		control.Pause("a test")
		await(processors.Paused)
		before := written
		produce()
		if stats := a.Status.Stats(); len(stats.Partitions) != 2 || !stats.Ready {
			t.Errorf("paused: %d partitions, not ready for %q", len(stats.Partitions), stats.NotReady)
		}
		control.Stop("a test")
		await(processors.Stopped)
		for p := range int32(2) {
			if got := r.committed(r.topic(), p); got != int64(before) {
				t.Errorf("partition %d is committed up to %d, paused at %d", p, got, before)
			}
		}
		if stats := a.Status.Stats(); len(stats.Partitions) != 0 || stats.Ready {
			t.Errorf("stopped: %d partitions, ready %v", len(stats.Partitions), stats.Ready)
		}
		if found, _ := a.Status.Symbols(named, 9); len(found) != 0 {
			t.Errorf("stopped: found %+v", found)
		}
		group := topology.NamesOf(r.topo.Name).Group
		described, err := r.admin.DescribeGroups(context.Background(), group)
		if err != nil || described[group].State != "Empty" {
			t.Errorf("stopped: group is %q, %v", described[group].State, err)
		}
		control.Restart("a test") // of what is stopped there is nothing to restart
		if s := control.State(); s != processors.Stopped {
			t.Errorf("state %d after a restart of what is stopped", s)
		}

		control.Resume("a test")
		judged(written)
		produce()
		control.Restart("a test")
		produce()
		judged(written)
		control.Pause("a test")
		produce()
		control.Restart("a test")
		await(processors.Paused) // still
		control.Resume("a test")
		judged(written)
		a.stop()

		r.audit(guarantee)
		wantTicks(t, r.final(r.topic()), map[string]int64{"0": int64(written), "1": int64(written)})
		if opened, _ := r.opened(); len(opened) != 0 {
			t.Errorf("findings about a sound topic: %v", opened)
		}
	})
}
