package processors_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/kafkatest"
	"github.com/auditstream/auditstream/processors"
	"github.com/auditstream/auditstream/topology"
)

// market produces a known stream: every step of every symbol, and each 50th
// step of a symbol backwards. It returns the number of ticks a partition has
// and the places of the backward steps.
func (r *rig) market(partitions, symbols, steps int) (each int64, late map[string]bool) {
	late = map[string]bool{}
	var records []*kgo.Record
	for i := range steps {
		for p := range int32(partitions) {
			for s := range symbols {
				after := time.Duration(i) * 20 * time.Second
				if i > 0 && i%50 == s%50 {
					after -= 30 * time.Second
				}
				tick := r.tick(p, fmt.Sprintf("Q%d-%d", p, s), after)
				// Record times go forward: it is the event times that step back.
				tick.Timestamp = time.Unix(0, t0).Add(time.Duration(i) * 20 * time.Second)
				records = append(records, tick)
			}
		}
	}
	// Small batches, so that a small fetch is a small part of the stream.
	cl := r.cluster.Client(r.t, kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerBatchMaxBytes(2000))
	if err := cl.ProduceSync(context.Background(), records...).FirstErr(); err != nil {
		r.t.Fatal(err)
	}
	for _, record := range records {
		var symbol string
		var at int64
		if _, err := fmt.Sscanf(string(record.Value), `{"symbol":%q,"ts":%d}`, &symbol, &at); err != nil {
			r.t.Fatal(err)
		}
		if at < record.Timestamp.UnixNano() {
			late[fmt.Sprintf("%d@%d", record.Partition, record.Offset)] = true
		}
	}
	return int64(symbols * steps), late
}

// wantDisorder holds that exactly the late ticks were found; repeats say that
// the same finding may have been reported twice.
func (r *rig) wantDisorder(late map[string]bool, repeats bool) {
	r.t.Helper()
	found, ids := r.opened()
	got := map[string]bool{}
	for _, f := range found[engine.UpstreamDisorder] {
		place := fmt.Sprintf("%d@%d", *f.Partition, f.FirstOffset)
		got[place] = true
		if !late[place] {
			r.t.Errorf("finding at %s, where nothing is late", place)
		}
	}
	for place := range late {
		if !got[place] {
			r.t.Errorf("no finding at %s", place)
		}
	}
	for id, n := range ids {
		if n > 1 && !repeats {
			r.t.Errorf("finding %s opened %d times", id, n)
		}
	}
}

// kill -9 in mid-stream, again and again, each time with local state gone:
// totals and findings come out as if nothing had happened.
func TestKillMidStream(t *testing.T) {
	t.Parallel()
	for name, guarantee := range map[string]option{"exactly_once": func(*rig) {}, "at_least_once": atLeastOnce} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, kafkatest.Real(t), 4)
			fast := func(r *rig) { r.cfg.CheckpointInterval = 5 * time.Millisecond }
			each, late := r.market(4, 20, 600)
			random := rand.New(rand.NewPCG(1, 2))
			r.fetchBytes = 2000
			cut := 0
			for range 6 {
				before := r.committed(r.topic(), 0)
				c := r.spawn("one", guarantee, fast)
				kafkatest.Eventually(t, "a checkpoint", func() bool { return r.committed(r.topic(), 0) > before })
				<-time.After(time.Duration(random.IntN(30)) * time.Millisecond) // any point of a checkpoint will do
				c.kill()
				if r.committed(r.topic(), 0) < each {
					cut++
				} else {
					break
				}
			}
			if cut < 2 {
				t.Fatalf("the stream was cut %d times: too fast to be a test", cut)
			}
			c := r.spawn("one", guarantee, fast, stopAtEnd)
			c.wait()
			wantTicks(t, r.final(r.topic()), map[string]int64{"0": each, "1": each, "2": each, "3": each})
			r.wantDisorder(late, name == "at_least_once")
		})
	}
}

// A member that is killed while others go on: its partitions move, and all
// that it had not made durable is done by the next owner.
func TestKilledMembersPartitionsMove(t *testing.T) {
	t.Parallel()
	r := newRig(t, kafkatest.Real(t), 4)
	each, late := r.market(4, 10, 200)
	one, two := r.spawn("one"), r.spawn("two")
	one.awaitReady()
	two.awaitReady()
	one.kill()
	for p := range int32(4) {
		r.awaitCommitted(p, each)
	}
	_ = two.cmd.Process.Signal(sigterm)
	two.wait()
	r.audit(instance("three"))
	wantTicks(t, r.final(r.topic()), map[string]int64{"0": each, "1": each, "2": each, "3": each})
	r.wantDisorder(late, false)
}

// A process that stood still past its session and wakes up writes nothing
// over what the new owner has written.
func TestZombieWritesNothing(t *testing.T) {
	t.Parallel()
	for name, guarantee := range map[string]option{"exactly_once": func(*rig) {}, "at_least_once": atLeastOnce} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, kafkatest.Real(t), 2)
			one := r.spawn("one", guarantee)
			one.awaitReady()
			each, late := r.market(2, 10, 100)
			r.awaitCommitted(0, 1)
			_ = one.cmd.Process.Signal(sigstop)
			two := r.start(guarantee, instance("two"))
			more, lateMore := r.market(2, 10, 100)
			for p := range int32(2) {
				r.awaitCommitted(p, each+more)
			}
			_ = one.cmd.Process.Signal(sigcont)
			kafkatest.Eventually(t, "the woken process to be a member again", func() bool {
				groups, err := r.admin.DescribeGroups(context.Background(), topology.NamesOf(r.topo.Name).Group)
				d := groups[topology.NamesOf(r.topo.Name).Group]
				return err == nil && len(d.Members) == 2 && d.State == "Stable"
			})
			_ = one.cmd.Process.Signal(sigterm)
			one.wait()
			two.stop()
			r.audit(guarantee, instance("three"))
			wantTicks(t, r.final(r.topic()), map[string]int64{"0": each + more, "1": each + more})
			for place := range lateMore {
				late[place] = true
			}
			_ = late // the second market begins anew in time, which is late as a whole
		})
	}
}

// Two instances with one instance.id: the second on the machine says so, and
// one from elsewhere ends one of the two with the reason.
func TestTwoInstancesWithOneID(t *testing.T) {
	t.Parallel()
	r := newRig(t, kafkatest.Fake(t), 1)
	dir := t.TempDir()
	sameDir := func(r *rig) { r.cfg.StateDir = dir }
	a := r.start(sameDir)
	kafkatest.Eventually(t, "the first instance to be ready", func() bool { return a.Status.Stats().Ready })
	var taken *processors.InstanceError
	if err := r.start(sameDir).wait(); !errors.As(err, &taken) {
		t.Errorf("second instance ended with %v", err)
	}
	if !a.Status.Stats().Ready {
		t.Error("the first instance is not ready any more")
	}
}

func TestReplacedInstanceEndsWithTheReason(t *testing.T) {
	t.Parallel()
	for name, guarantee := range map[string]option{"exactly_once": func(*rig) {}, "at_least_once": atLeastOnce} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, kafkatest.Real(t), 1)
			a := r.spawn("one", guarantee)
			a.awaitReady()
			b := r.start(guarantee) // another state folder: another machine
			if output := a.failure(); !strings.Contains(output, `another instance with instance.id "one" is running`) {
				t.Errorf("the replaced instance ended with %s", output)
			}
			kafkatest.Eventually(t, "the second instance to be ready", func() bool { return b.Status.Stats().Ready })
			b.stop()
		})
	}
}
