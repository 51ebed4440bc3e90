package processors_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/kafkatest"
	"github.com/auditstream/auditstream/processors"
	"github.com/auditstream/auditstream/topology"
)

// Rows lie on the partition on which the ticks came, whatever hash put them
// there, so that a restart without local state finds them.
func TestG02StateOnTheProducersPartition(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *kafkatest.Cluster, guarantee option) {
		r := newRig(t, c, 3)
		r.produce(r.tick(2, "QXA", 10*time.Second))
		a := r.start(guarantee)
		r.awaitCommitted(2, 1)
		a.stop()
		for _, row := range c.ReadAll(t, topology.NamesOf(r.topo.Name).Table, true) {
			if _, symbol, _, err := codecs.ParseKey(row.Key); err != nil || symbol == "QXA" && row.Partition != 2 {
				t.Errorf("row %q on partition %d, %v", row.Key, row.Partition, err)
			}
		}
		r.produce(r.tick(2, "QXA", 5*time.Second))
		r.audit(guarantee, instance("two"))
		found, _ := r.opened()
		if d := found[engine.UpstreamDisorder]; len(d) != 1 || d[0].FirstOffset != 1 || d[0].Observed != 5000 {
			t.Errorf("disorder %+v, want one at offset 1 of 5000 ms", d)
		}
	})
}

// A tombstone is counted and changes nothing of its key's state.
func TestG11Tombstones(t *testing.T) {
	t.Parallel()
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		r := newRig(t, c, 1)
		tombstone := r.tick(0, "QXA", 6*time.Second)
		tombstone.Value = nil
		r.produce(r.tick(0, "QXA", 5*time.Second), tombstone, r.tick(0, "QXA", 3*time.Second))
		r.audit()
		f := r.final(r.topic())
		if f.Counts.Tombstones != 1 || f.Counts.Unreadable != 0 || f.Counts.Ticks != 2 {
			t.Errorf("counts %+v", f.Counts)
		}
		found, _ := r.opened()
		if d := found[engine.UpstreamDisorder]; len(d) != 1 || d[0].FirstOffset != 2 || d[0].Observed != 2000 {
			t.Errorf("disorder %+v, want one at offset 2 of 2000 ms", d)
		}
		if got := r.committed(r.topic(), 0); got != 3 {
			t.Errorf("committed %d, want 3", got)
		}
	})
}

// What is committed is the next offset to read.
func TestG14NextOffset(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *kafkatest.Cluster, guarantee option) {
		r := newRig(t, c, 1)
		for i := range 3 {
			r.produce(r.tick(0, "QXA", time.Duration(i)*time.Second))
		}
		a := r.start(guarantee)
		r.awaitCommitted(0, 3)
		a.stop()
		if got := r.committed(r.topic(), 0); got != 3 {
			t.Errorf("committed %d, want 3", got)
		}
		r.audit(guarantee)
		wantTicks(t, r.final(r.topic()), map[string]int64{"0": 3})
		if got := r.committed(r.topic(), 0); got != 3 {
			t.Errorf("committed %d after a run with nothing new, want 3", got)
		}
	})
}

// Records of aborted transactions are not seen, markers are not records, and
// a log that ends in one is read to its end.
func TestG17AbortedAndMarkers(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *kafkatest.Cluster, guarantee option) {
		r := newRig(t, c, 1)
		r.produceTxn(kgo.TryCommit, r.tick(0, "QXA", 0))
		r.produceTxn(kgo.TryAbort, r.tick(0, "QXA", -time.Hour))
		r.produce(r.tick(0, "QXA", time.Second))
		r.produceTxn(kgo.TryCommit, r.tick(0, "QXA", 2*time.Second))
		r.audit(guarantee)
		wantTicks(t, r.final(r.topic()), map[string]int64{"0": 3})
		if found, _ := r.opened(); len(found) != 0 {
			t.Errorf("findings %+v", found)
		}
		if got := r.committed(r.topic(), 0); got != 7 {
			t.Errorf("committed %d, want 7: behind the last marker", got)
		}
	})
}

func (r *rig) produceTxn(end kgo.TransactionEndTry, records ...*kgo.Record) {
	r.t.Helper()
	cl := r.cluster.Client(r.t, kgo.TransactionalID(kafkatest.Name(r.t)), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	defer cl.Close()
	ctx := context.Background()
	if err := cl.BeginTransaction(); err != nil {
		r.t.Fatal(err)
	}
	if err := cl.ProduceSync(ctx, records...).FirstErr(); err != nil {
		r.t.Fatal(err)
	}
	if err := cl.EndTransaction(ctx, end); err != nil {
		r.t.Fatal(err)
	}
}

// A record that cannot be read is counted and put aside, and the stream goes
// on; the log does not grow with such records.
func TestG01UnreadableRecords(t *testing.T) {
	t.Parallel()
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		r := newRig(t, c, 1)
		var records []*kgo.Record
		records = append(records, r.tick(0, "QXA", 0))
		for range 10_001 {
			bad := r.tick(0, "QXA", 0)
			bad.Value = bad.Value[:20]
			records = append(records, bad)
		}
		records = append(records, r.tick(0, "QXA", time.Second))
		r.produce(records...)
		r.audit()
		f := r.final(r.topic())
		if f.Counts.Ticks != 2 || f.Counts.Unreadable != 10_001 || f.Counts.Records != 10_003 {
			t.Errorf("counts %+v", f.Counts)
		}
		found, _ := r.opened()
		if n := len(found[engine.UnreadableValue]); n != 1 {
			t.Errorf("%d UNREADABLE findings, want one episode", n)
		}
		letters := r.letters()
		if len(letters) != 10_001 || string(letters[0].Value) != string(records[1].Value) || string(letters[0].Key) != "QXA" {
			t.Errorf("%d dead letters", len(letters))
		}
		if got := r.committed(r.topic(), 0); got != 10_003 {
			t.Errorf("committed %d", got)
		}
	})
}

func TestToleranceNoneEndsAtTheFirstBadRecord(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *kafkatest.Cluster, guarantee option) {
		r := newRig(t, c, 2)
		bad := r.tick(1, "QXA", 0)
		bad.Value = []byte(`{"symbol":"","ts":1}`)
		r.produce(r.tick(1, "QXA", 0), bad, r.tick(1, "QXA", time.Second), r.tick(0, "QXB", 0))
		err := r.start(guarantee, stopAtEnd, stopOnBad).wait()
		var at *processors.BadRecordError
		if !errors.As(err, &at) || at.Topic != r.topic() || at.Partition != 1 || at.Offset != 1 {
			t.Fatalf("ended with %v", err)
		}
		if got := r.committed(r.topic(), 1); got > 1 {
			t.Errorf("committed %d, past the bad record", got)
		}
		for _, report := range r.reports() {
			if report.Trigger == engine.TriggerFinal {
				t.Error("a FINAL report was written")
			}
		}
	})
}

// panics is a decoder that fails at one record.
type panics struct {
	codecs.TickDecoder
	calls *int
}

func (d panics) Decode(value []byte, t *engine.Tick) {
	if t.Offset == 7 {
		*d.calls++
		panic("state folder is full")
	}
	d.TickDecoder.Decode(value, t)
}

// A failure in the handler ends the process with its cause; the record is
// neither got past nor tried for ever.
func TestG05FailureInTheHandler(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *kafkatest.Cluster, guarantee option) {
		r := newRig(t, c, 1)
		var ticks []*kgo.Record
		for i := range 10 {
			ticks = append(ticks, r.tick(0, "QXA", time.Duration(i)*time.Second))
		}
		r.produce(ticks...)
		calls := 0
		decoder := r.cfg.Decoder
		failing := func(r *rig) {
			r.cfg.Decoder = func() (codecs.TickDecoder, error) {
				d, err := decoder()
				return panics{d, &calls}, err
			}
		}
		began := time.Now()
		err := r.start(guarantee, failing).wait()
		if err == nil || !strings.Contains(err.Error(), "state folder is full") || !strings.Contains(err.Error(), r.topic()+"/0") {
			t.Errorf("ended with %v", err)
		}
		if took := time.Since(began); took > 30*time.Second {
			t.Errorf("took %s", took)
		}
		if got := r.committed(r.topic(), 0); got > 7 {
			t.Errorf("committed %d, past the failing record", got)
		}
		if calls != 1 {
			t.Errorf("handled %d times", calls)
		}
	})
}

// A state folder that cannot be used is told before anything is joined.
func TestG05StateFolderUnusable(t *testing.T) {
	t.Parallel()
	r := newRig(t, kafkatest.Fake(t), 1)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	err := r.start(func(r *rig) { r.cfg.StateDir = filepath.Join(file, "state") }).wait()
	if err == nil || !strings.Contains(err.Error(), "state.dir") || !strings.Contains(err.Error(), file) {
		t.Errorf("ended with %v", err)
	}
	groups, err := r.admin.ListGroups(context.Background())
	if err != nil || len(groups) != 0 {
		t.Errorf("groups %v, %v", groups.Groups(), err)
	}
}

// Counts are exact when a second instance joins in mid-stream and the first
// one leaves.
func TestG09SecondInstanceJoins(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *kafkatest.Cluster, guarantee option) {
		const partitions, each = 4, 2500
		r := newRig(t, c, partitions)
		produce := func(from, to int) {
			var records []*kgo.Record
			for p := range int32(partitions) {
				for i := from; i < to; i++ {
					records = append(records, r.tick(p, fmt.Sprintf("Q%d", p), time.Duration(i)*time.Millisecond))
				}
			}
			r.produce(records...)
		}
		produce(0, 1000)
		one := r.start(guarantee, instance("one"))
		r.awaitCommitted(0, 1)
		two := r.start(guarantee, instance("two"))
		produce(1000, 2000)
		kafkatest.Eventually(t, "both instances to own partitions", func() bool {
			return len(one.Status.Stats().Partitions) > 0 && two.Status.Stats().Ready
		})
		one.stop()
		produce(2000, each)
		for p := range int32(partitions) {
			r.awaitCommitted(p, each)
		}
		two.stop()
		r.audit(guarantee, instance("three"))
		wantTicks(t, r.final(r.topic()), map[string]int64{"0": each, "1": each, "2": each, "3": each})
		if found, _ := r.opened(); len(found[engine.UpstreamDisorder]) != 0 {
			t.Errorf("findings %+v", found)
		}
	})
}
