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

// Records that go while the audit cannot fetch are told when it can.
func TestLostWhileRunning(t *testing.T) {
	t.Parallel()
	c := kafkatest.Fake(t)
	var held atomic.Bool
	c.Kfake.ControlKey(int16(kmsg.Fetch), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.Kfake.KeepControl()
		if held.Load() {
			return nil, errors.New("no fetches for now"), true
		}
		return nil, nil, false
	})
	r := newRig(t, c, 1)
	r.produceTicks(0, 3)
	a := r.start()
	r.awaitCommitted(0, 3)
	held.Store(true)
	// A fetch that waits at the log's end is answered by the first record.
	r.produceTicks(0, 1)
	r.awaitCommitted(0, 4)
	r.produceTicks(0, 5)
	r.deleteTo(0, 7)
	held.Store(false)
	r.awaitCommitted(0, 9)
	a.stop()
	r.audit()
	wantTicks(t, r.final(r.topic()), map[string]int64{"0": 6})
	r.wantLost(4, 6, 3)
}

// sameTopic lets a topic that was made again pass for the old one, so that its
// shorter log is a truncated one.
func sameTopic(r *rig) {
	prepare := r.cfg.Prepare
	r.cfg.Prepare = func(ctx context.Context) (processors.Prepared, error) {
		p, err := prepare(ctx)
		for topic := range p.TopicIDs {
			p.TopicIDs[topic] = "the same"
		}
		return p, err
	}
}

func (r *rig) remakeTopic() {
	r.t.Helper()
	ctx := context.Background()
	if _, err := r.admin.DeleteTopics(ctx, r.topic()); err != nil {
		r.t.Fatal(err)
	}
	kafkatest.Eventually(r.t, "the topic to be made again", func() bool {
		_, err := r.admin.CreateTopic(ctx, r.counts[r.topic()], 1, nil, r.topic())
		return err == nil || strings.Contains(err.Error(), "ALREADY_EXISTS") && r.ended(0)
	})
}

func (r *rig) ended(at int64) bool {
	ends, err := r.admin.ListEndOffsets(context.Background(), r.topic())
	o, ok := ends.Lookup(r.topic(), 0)
	return err == nil && ok && o.Err == nil && o.Offset == at
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
				r.remakeTopic()
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
