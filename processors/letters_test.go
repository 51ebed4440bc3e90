package processors_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/kafkatest"
	"github.com/auditstream/auditstream/topology"
)

func (r *rig) letters() []*kgo.Record {
	r.t.Helper()
	topic := r.topo.OfRole(topology.RoleDeadLetter)[0]
	r.cluster.AwaitStable(r.t, topic)
	return r.cluster.ReadAll(r.t, topic, true)
}

// A repaired record that comes back behind newer ones is a redelivery that
// names its first place; the symbol's last time stays what it was.
func TestG65ARepairedRecordComesBack(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *kafkatest.Cluster, guarantee option) {
		r := newRig(t, c, 1)
		bad := r.tick(0, "QXA", time.Second)
		good := bad.Value
		bad.Value, bad.Headers = []byte(`{"symbol":"QX`), []kgo.RecordHeader{{Key: "trace", Value: []byte("7")}}
		r.produce(r.tick(0, "QXA", 0), bad, r.tick(0, "QXA", 2*time.Second))
		r.audit(guarantee)
		letters := r.letters()
		if len(letters) != 1 {
			t.Fatalf("%d letters", len(letters))
		}
		letter := letters[0]
		if string(letter.Value) != `{"symbol":"QX` || string(letter.Key) != "QXA" || !letter.Timestamp.Equal(time.UnixMilli((t0+int64(time.Second))/1e6)) {
			t.Errorf("letter %q, key %q, time %s", letter.Value, letter.Key, letter.Timestamp)
		}

		repaired := &kgo.Record{Topic: r.topic(), Key: letter.Key, Value: good, Timestamp: letter.Timestamp}
		for _, h := range codecs.ReplayHeaders(recordHeaders(letter)) {
			repaired.Headers = append(repaired.Headers, kgo.RecordHeader{Key: h.Key, Value: h.Value})
		}
		r.produce(repaired, r.tick(0, "QXA", 1500*time.Millisecond))
		r.audit(guarantee)
		found, _ := r.opened()
		if again := found[engine.Redelivered]; len(again) != 1 || again[0].FirstOffset != 3 || !strings.Contains(fmt.Sprint(again[0].Evidence), r.topic()+"/0@1") {
			t.Errorf("redelivered %+v, want offset 3 as %s/0@1 again", again, r.topic())
		}
		if late := found[engine.UpstreamDisorder]; len(late) != 1 || late[0].FirstOffset != 4 || late[0].Observed != 500 {
			t.Errorf("disorder %+v, want 500 ms at offset 4 alone", late)
		}
		if f := r.final(r.topic()); f.Counts.Duplicates != 1 || f.Counts.Unreadable != 1 || f.Counts.Ticks != 4 {
			t.Errorf("counts %+v", f.Counts)
		}
	})
}

func recordHeaders(r *kgo.Record) (out []codecs.Header) {
	for _, h := range r.Headers {
		out = append(out, codecs.Header{Key: h.Key, Value: h.Value})
	}
	return out
}

// Reports and dead letters of partition 7 go to topics of one partition.
func TestG64FewerPartitions(t *testing.T) {
	t.Parallel()
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		r := newRig(t, c, 12)
		bad := r.tick(7, "QXA", 0)
		bad.Value = []byte("nonsense")
		r.produce(bad)
		r.audit()
		found, _ := r.opened()
		if u := found[engine.UnreadableValue]; len(u) != 1 || *u[0].Partition != 7 {
			t.Errorf("unreadable %+v", u)
		}
		letters := r.letters()
		if len(letters) != 1 || codecs.ReadLetter(recordHeaders(letters[0])).Place.Partition != 7 {
			t.Errorf("%d letters", len(letters))
		}
	})
}

// While the audit topic is away nothing is committed past a report that is not
// written, and all reports are there afterwards, each finding opened once.
func TestG64AuditTopicAway(t *testing.T) {
	t.Parallel()
	c := kafkatest.Fake(t)
	r := newRig(t, c, 1)
	r.produceTicks(0, 3)
	r.audit()
	r.produce(r.tick(0, "QXA", -time.Second), r.tick(0, "QXB", time.Second))
	away := refuseProduce(c, r.topo.OfRole(topology.RoleAudit)[0])
	a := r.start()
	away.awaitRefused(t, 3)
	if got := r.committed(r.topic(), 0); got != 3 {
		t.Errorf("committed %d while the report of offset 3 is not written", got)
	}
	if stats := a.Status.Stats(); stats.Fatal != nil {
		t.Errorf("ended: %v", stats.Fatal)
	}
	away.end()
	r.awaitCommitted(0, 5)
	a.stop()
	r.audit()
	found, byID := r.opened()
	late := found[engine.UpstreamDisorder]
	if len(late) != 1 || late[0].FirstOffset != 3 || byID[late[0].ID] != 1 {
		t.Errorf("disorder %+v", late)
	}
	wantTicks(t, r.final(r.topic()), map[string]int64{"0": 5})
}
