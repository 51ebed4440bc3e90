package faults

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/kafkatest"
)

// kinds lists the findings of a code that were opened, by evidence's kind.
func (o *outcome) kinds(code engine.Code) map[string][]engine.Finding {
	found := map[string][]engine.Finding{}
	for _, f := range o.opened {
		if f.Code == code {
			kind, _ := f.Evidence["kind"].(string)
			found[kind] = append(found[kind], f)
		}
	}
	return found
}

// placesOf are findings by what and where they are: after a topic was made anew
// their ids carry the topic's, which a test does not choose.
func placesOf(findings ...map[string]engine.Finding) map[string]engine.Finding {
	places := map[string]engine.Finding{}
	for _, list := range findings {
		for _, f := range list {
			partition := int32(-1)
			if f.Partition != nil {
				partition = *f.Partition
			}
			places[fmt.Sprintf("%s of %s at %d@%d", f.Code, f.Symbol, partition, f.FirstOffset)] = f
		}
	}
	return places
}

// The tick topic is deleted and made again under a running audit, which goes
// on with the new one: its totals are exact, and the making anew is told.
func TestTopicMadeAnew(t *testing.T) {
	t.Parallel()
	for _, g := range guarantees {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			a := newAudit(t, one.get(t), 3, "processing.guarantee="+g.name)
			old := a.feed(25).rounds(700)
			p := a.start(a.file("one"))
			a.awaitCommitted(int64(len(old.records)))
			a.drop(a.topic)
			kafkatest.Eventually(t, "the program to miss the topic", func() bool { return len(p.lines("waiting for the topic")) > 0 })
			a.makeTopic(nil)
			f := a.feed(25)
			f.prefix = "N" // so that the symbols tell which topic a finding is about
			f.rounds(300).run()
			p.awaitReady()
			f.end()
			p.stop()
			a.finish(a.file("two"))
			want := f.expected()
			injected := placesOf(want.findings, old.expected().findings)
			o := a.outcome()
			if o.final.TotalTicks != want.total {
				t.Errorf("%d ticks, the new topic has %d", o.final.TotalTicks, want.total)
			}
			if n := len(o.kinds(engine.OffsetInconsistency)["RECREATED"]); n == 0 {
				t.Errorf("the making anew was not told: %v", o.kinds(engine.OffsetInconsistency))
			}
			found := placesOf(o.opened)
			for place := range injected {
				if _, ok := found[place]; !ok {
					t.Errorf("missing: %s", place)
				}
			}
			for place, f := range found {
				if _, ok := injected[place]; !ok && f.Code != engine.OffsetInconsistency && f.Code != engine.AuditorBehind {
					t.Errorf("%s was not injected: %s", f.Code, f.Cause)
				}
			}
			if !g.repeats && len(o.repeats) > 0 {
				t.Errorf("repeats: %v", o.repeats)
			}
		})
	}
}

// A tick topic that is deleted and does not come back ends the program with
// the cause.
func TestTopicGone(t *testing.T) {
	t.Parallel()
	a := newAudit(t, one.get(t), 1, "producer.override.delivery.timeout.ms=15000")
	a.feed(5).rounds(10)
	p := a.start(a.file("one"))
	a.awaitCommitted(50)
	a.drop(a.topic)
	if code := p.wait(); code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	if said := p.complaint(); !strings.Contains(said, a.topic) || !strings.Contains(said, "deleted") {
		t.Errorf("the cause is not told: %s", said)
	}
}

// An administrator resets the group's offsets: the brokers refuse it for a
// group with members, but not from a transaction. Nothing is judged twice and
// nothing is left out.
func TestOffsetsReset(t *testing.T) {
	t.Parallel()
	for _, g := range guarantees {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			a := newAudit(t, one.get(t), 2, "processing.guarantee="+g.name)
			f := a.feed(25).rounds(300).run()
			p := a.start(a.file("one"))
			a.moving(1000)
			if err := a.resetTo(0); err == nil {
				t.Log("the broker let an administrator set offsets of a group with members")
			}
			a.resetInTransaction(100)
			a.moving(1000)
			p.kill()
			a.resetInTransaction(100)
			p = a.start(a.file("one"))
			a.moving(1000)
			p.stop()
			if err := a.resetTo(0); err != nil {
				t.Fatalf("reset offsets of a stopped group: %v", err)
			}
			p = a.start(a.file("one"))
			a.moving(1000)
			p.stop()
			f.end()
			a.finish(a.file("two"))
			a.check(f.expected(), g.repeats, engine.AuditorBehind)
		})
	}
}

// resetTo sets the group's offsets as an administrator does.
func (a *audit) resetTo(offset int64) error {
	offsets := kadm.Offsets{}
	for p := range int32(a.partitions) {
		offsets.AddOffset(a.topic, p, offset, -1)
	}
	responses, err := a.adm.CommitOffsets(context.Background(), a.names.Group, offsets)
	if err != nil {
		return err
	}
	return responses.Error()
}

// resetInTransaction sets them as part of a transaction without a member,
// which brokers take at any time.
func (a *audit) resetInTransaction(offset int64) {
	a.t.Helper()
	id := kafkatest.Name(a.t)
	cl := a.k.Client(a.t, kgo.TransactionalID(id))
	ctx := context.Background()
	if err := cl.BeginTransaction(); err != nil {
		a.t.Fatal(err)
	}
	pid, epoch, err := cl.ProducerID(ctx)
	if err != nil {
		a.t.Fatal(err)
	}
	add := kmsg.NewPtrAddOffsetsToTxnRequest()
	add.TransactionalID, add.ProducerID, add.ProducerEpoch, add.Group = id, pid, epoch, a.names.Group
	if resp, err := add.RequestWith(ctx, cl); err != nil || resp.ErrorCode != 0 {
		a.t.Fatalf("add offsets: %v, %v", err, kerr.ErrorForCode(resp.ErrorCode))
	}
	commit := kmsg.NewPtrTxnOffsetCommitRequest()
	commit.TransactionalID, commit.ProducerID, commit.ProducerEpoch, commit.Group, commit.Generation = id, pid, epoch, a.names.Group, -1
	topic := kmsg.NewTxnOffsetCommitRequestTopic()
	topic.Topic = a.topic
	for p := range int32(a.partitions) {
		part := kmsg.NewTxnOffsetCommitRequestTopicPartition()
		part.Partition, part.Offset, part.LeaderEpoch = p, offset, -1
		topic.Partitions = append(topic.Partitions, part)
	}
	commit.Topics = append(commit.Topics, topic)
	resp, err := commit.RequestWith(ctx, cl)
	if err != nil {
		a.t.Fatal(err)
	}
	if code := resp.Topics[0].Partitions[0].ErrorCode; code != 0 {
		a.t.Logf("offsets in a transaction: %v", kerr.ErrorForCode(code))
	}
	end := kmsg.NewPtrEndTxnRequest()
	end.TransactionalID, end.ProducerID, end.ProducerEpoch, end.Commit = id, pid, epoch, true
	if resp, err := end.RequestWith(ctx, cl); err != nil || resp.ErrorCode != 0 {
		a.t.Fatalf("end transaction: %v, %v", err, kerr.ErrorForCode(resp.ErrorCode))
	}
}

// Retention removes what the audit has not read yet, while it is stopped and
// while it stands still: it goes on where the log begins now, and says how
// many records it never saw.
func TestRetentionOvertakes(t *testing.T) {
	t.Parallel()
	for _, g := range guarantees {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			a := newAudit(t, one.get(t), 2, "processing.guarantee="+g.name, "consumer.override.max.partition.fetch.bytes=1024")
			f := a.feed(25).rounds(100)
			p := a.start(a.file("one"))
			a.awaitCommitted(int64(len(f.records)))
			p.stop()
			seen := int64(len(f.records))
			f.rounds(100)
			lost := a.cut(0)
			p = a.start(a.file("one"))
			a.awaitCommitted(2*seen - 10)
			p.signal(syscall.SIGSTOP)
			f.rounds(4000) // more than is fetched ahead
			lost2 := a.cut(1)
			p.signal(syscall.SIGCONT)
			a.awaitCommitted(int64(len(f.records)) - 10)
			p.stop()
			a.finish(a.file("two"))
			o := a.outcome()
			t.Logf("partition 0: %d records removed unread; partition 1: at most %d", lost, lost2)
			var told [2]int64
			for _, found := range o.opened {
				if found.Code == engine.RecordsLost {
					told[*found.Partition] += found.Count
					t.Logf("%s", found.Cause)
				}
			}
			if told[0] != lost {
				t.Errorf("partition 0 lost %d records, told %d", lost, told[0])
			}
			if all := o.final.Counts.Records + told[0] + told[1]; all != int64(len(f.records)) {
				t.Errorf("%d records judged and %d told as lost, of %d", o.final.Counts.Records, told[0]+told[1], len(f.records))
			}
		})
	}
}

// cut removes all but the last 10 records of a partition; it returns how many
// of them were not committed.
func (a *audit) cut(partition int32) (unread int64) {
	a.t.Helper()
	ends, err := a.adm.ListEndOffsets(context.Background(), a.topic)
	if err != nil {
		a.t.Fatal(err)
	}
	offsets, err := a.adm.FetchOffsets(context.Background(), a.names.Group)
	if err != nil {
		a.t.Fatal(err)
	}
	end, _ := ends.Lookup(a.topic, partition)
	at, _ := offsets.Lookup(a.topic, partition)
	to := kadm.Offsets{}
	to.AddOffset(a.topic, partition, end.Offset-10, -1)
	responses, err := a.adm.DeleteRecords(context.Background(), to)
	if err == nil {
		err = responses.Error()
	}
	if err != nil {
		a.t.Fatalf("delete records: %v", err)
	}
	return end.Offset - 10 - at.At
}

// Transactions that stay open: a producer of ticks that dies within one, and
// an instance that is killed within its checkpoint and never comes back.
func TestTransactionsLeftOpen(t *testing.T) {
	t.Parallel()
	a := newAudit(t, one.get(t), 2)
	f := a.feed(25).rounds(300)
	p := a.start(a.file("one"))
	a.awaitCommitted(int64(len(f.records)))
	cl := a.k.Client(t, kgo.TransactionalID(kafkatest.Name(t)), kgo.TransactionTimeout(4*time.Second), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err := cl.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	// Were they audited, they would be late.
	aborted := f.tick(0, 0)
	aborted.Value = []byte(strings.Replace(string(aborted.Value), `"timestamp_ns":`, `"timestamp_ns":1`, 1))
	if err := cl.ProduceSync(context.Background(), aborted).FirstErr(); err != nil {
		t.Fatal(err)
	}
	f.rounds(100)
	a.awaitCommitted(int64(len(f.records)) + 2) // by the transaction's timeout: its record and its marker are passed
	p.stop()
	launch(t, mined, a.file("one"), []string{"FAULTPOINT=symbols|after offsets"}).killed("after offsets")
	f.rounds(100)
	p = a.start(a.file("other")) // has to wait for the end of what "one" has left
	p.awaitReady()
	a.awaitCommitted(int64(len(f.records)) + 2)
	p.stop()
	a.finish(a.file("other"))
	a.check(f.expected(), false, engine.AuditorBehind)
}

// The topic that holds the state is deleted under a running audit: going on
// would leave a table in which most rows are missing.
func TestTableGone(t *testing.T) {
	t.Parallel()
	a := newAudit(t, one.get(t), 1)
	a.feed(5).rounds(10)
	p := a.start(a.file("one"))
	a.awaitCommitted(50)
	a.drop(a.names.Table)
	if code := p.wait(); code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	if said := p.complaint(); !strings.Contains(said, a.names.Table) {
		t.Errorf("the cause is not told: %s", said)
	}
}
