package processors_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/kafkatest"
	"github.com/auditstream/auditstream/processors"
)

// deleteTo moves a partition's log start, as retention does.
func (r *rig) deleteTo(partition int32, offset int64) {
	r.t.Helper()
	offsets := kadm.Offsets{}
	offsets.Add(kadm.Offset{Topic: r.topic(), Partition: partition, At: offset})
	responses, err := r.admin.DeleteRecords(context.Background(), offsets)
	if err == nil {
		err = responses.Error()
	}
	if err != nil {
		r.t.Fatalf("delete records up to %d: %v", offset, err)
	}
}

func (r *rig) produceTicks(partition int32, n int) {
	r.t.Helper()
	for i := range n {
		r.produce(r.tick(partition, "QXA", time.Duration(i)*time.Millisecond))
	}
}

// latest makes groups that know no offset begin at the end.
func latest(r *rig) {
	r.cfg.ConsumerOptions = append(r.cfg.ConsumerOptions[:len(r.cfg.ConsumerOptions):len(r.cfg.ConsumerOptions)],
		kgo.ConsumeResetOffset(kgo.NewOffset().AtEnd()))
}

// Retention that has overtaken the audit is one finding with the number of
// offsets, reading goes on at the log's start whatever auto.offset.reset says,
// and other partitions are not touched.
func TestG13RetentionOvertookTheReader(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *kafkatest.Cluster, guarantee option) {
		r := newRig(t, c, 2)
		r.produceTicks(0, 3)
		r.produceTicks(1, 2)
		r.audit(guarantee)
		r.produceTicks(0, 9)
		r.deleteTo(0, 10)
		r.audit(guarantee, latest)
		wantTicks(t, r.final(r.topic()), map[string]int64{"0": 5, "1": 2})
		r.wantLost(3, 9, 7)

		r.audit(guarantee) // told once
		r.wantLost(3, 9, 7)
	})
}

func (r *rig) wantLost(first, last, count int64) {
	r.t.Helper()
	found, byID := r.opened()
	lost := found[engine.RecordsLost]
	if len(lost) != 1 || lost[0].FirstOffset != first || lost[0].LastOffset != last || lost[0].Count != count || *lost[0].Partition != 0 {
		r.t.Fatalf("lost %+v, want %d from %d to %d on partition 0, once", lost, count, first, last)
	}
	if n := byID[lost[0].ID]; n != 1 {
		r.t.Errorf("opened %d times", n)
	}
}

// A log that has nothing left says by itself neither that records were lost nor
// that its end is reached.
func TestEverythingLost(t *testing.T) {
	t.Parallel()
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		r := newRig(t, c, 1)
		r.produceTicks(0, 3)
		r.audit()
		r.produceTicks(0, 4)
		r.deleteTo(0, 7)
		r.audit()
		wantTicks(t, r.final(r.topic()), map[string]int64{"0": 3})
		r.wantLost(3, 6, 4)
	})
}

// fetches are those of a kfake cluster, whose connections can be cut.
type fetches struct {
	held    atomic.Bool
	refused atomic.Int64
}

func fetchesOf(c *kafkatest.Cluster) *fetches {
	f := new(fetches)
	c.Kfake.ControlKey(int16(kmsg.Fetch), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.Kfake.KeepControl()
		if f.held.Load() {
			f.refused.Add(1)
			return nil, errors.New("no fetches for now"), true
		}
		return nil, nil, false
	})
	return f
}

// hold refuses fetches from now on. When it returns none of before is under
// way any more: that takes no longer than a fetch may wait.
func (f *fetches) hold(t *testing.T) {
	t.Helper()
	f.held.Store(true)
	kafkatest.Eventually(t, "fetches to be refused", func() bool { return f.refused.Load() >= 8 })
}

func (f *fetches) goOn() { f.held.Store(false) }

// Records that go while the audit cannot fetch are told when it can.
func TestLostWhileRunning(t *testing.T) {
	t.Parallel()
	c := kafkatest.Fake(t)
	fetches := fetchesOf(c)
	r := newRig(t, c, 1)
	r.produceTicks(0, 3)
	a := r.start()
	r.awaitCommitted(0, 3)
	fetches.hold(t)
	r.produceTicks(0, 5)
	r.deleteTo(0, 6)
	fetches.goOn()
	r.awaitCommitted(0, 8)
	a.stop()
	r.audit()
	wantTicks(t, r.final(r.topic()), map[string]int64{"0": 5})
	r.wantLost(3, 5, 3)
}

// A partition that gives nothing although records are unread makes the audit
// not ready and is told, however few the records are.
func TestAStandingPartitionIsTold(t *testing.T) {
	t.Parallel()
	c := kafkatest.Fake(t)
	fetches := fetchesOf(c)
	r := newRig(t, c, 2)
	r.produceTicks(0, 3)
	a := r.start()
	r.awaitCommitted(0, 3)
	kafkatest.Eventually(t, "the audit to be ready", func() bool { return a.Status.Stats().Ready })
	fetches.hold(t)
	r.produceTicks(0, 2)
	kafkatest.Eventually(t, "the partition to be told as standing", func() bool {
		s := a.Status.Stats()
		return !s.Ready && s.Partitions[0].Stalled && s.Partitions[0].Lag == 2 && !s.Partitions[1].Stalled &&
			strings.Contains(strings.Join(s.NotReady, "\n"), r.topic()+"/0: stands still, 2 records before its end")
	})
	fetches.goOn()
	r.awaitCommitted(0, 5)
	kafkatest.Eventually(t, "the audit to be ready again", func() bool { return a.Status.Stats().Ready })
	a.stop()
	found, _ := r.opened()
	if behind := found[engine.AuditorBehind]; len(behind) != 1 || behind[0].Evidence["stalled"] != true || *behind[0].Partition != 0 {
		t.Errorf("told %+v", behind)
	}
}

// sameTopic lets a topic that was made again pass for the old one, so that its
// shorter log is a truncated one.
func sameTopic(r *rig) {
	r.cfg.TakeAnyTopicID()
	prepare := r.cfg.Prepare
	r.cfg.Prepare = func(ctx context.Context) (processors.Prepared, error) {
		p, err := prepare(ctx)
		for topic := range p.TopicIDs {
			p.TopicIDs[topic] = "the same"
		}
		return p, err
	}
}

// A log that has become shorter than what was read is told as truncated, and
// what comes in place of the lost records is judged; a topic with another id is
// told as re-created, and its totals start anew.
func TestG44TruncatedLog(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *kafkatest.Cluster, guarantee option) {
		for name, opt := range map[string]option{"TRUNCATED": sameTopic, "RECREATED": func(*rig) {}} {
			t.Run(name, func(t *testing.T) {
				r := newRig(t, c, 1)
				r.produceTicks(0, 12)
				r.audit(guarantee, opt)
				c.Remake(t, r.topic())
				r.produceTicks(0, 10)
				r.audit(guarantee, opt)
				r.produceTicks(0, 5)
				r.audit(guarantee, opt)
				want := map[string]int64{"0": 17}
				if name == "RECREATED" {
					want["0"] = 15
				}
				final := r.final(r.topic())
				wantTicks(t, final, want)
				found, byID := r.opened()
				moved := found[engine.OffsetInconsistency]
				if len(moved) != 1 || moved[0].Evidence["kind"] != name || byID[moved[0].ID] != 1 {
					t.Fatalf("findings %+v, want one of kind %s", moved, name)
				}
				exact := !strings.Contains(final.Notes, "not exact")
				if name == "TRUNCATED" && (exact || moved[0].FirstOffset != 10 || moved[0].LastOffset != 11) || name == "RECREATED" && !exact {
					t.Errorf("finding %+v, notes %q", moved[0], final.Notes)
				}
				if n := len(found[engine.RecordsLost]); n > 0 {
					t.Errorf("%d findings of records lost", n)
				}
			})
		}
	})
}
