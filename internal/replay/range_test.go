package replay

import (
	"context"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/capture"
	"github.com/auditstream/auditstream/internal/kafkatest"
)

func bound(t *testing.T, text string) Bound {
	t.Helper()
	b, err := ParseBound("--from", text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Partition 0 has a record a second, partition 1 every third second with one
// that is late by 20 s, partition 2 nothing.
func TestRangesOfTimeAndOffset(t *testing.T) {
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		topic := c.Topic(t, 3, "retention.ms=-1")
		var records []*kgo.Record
		for i := range int64(60) {
			records = append(records, tickAt(topic, 0, "QXA", t0+i*1e9))
			if i%3 == 0 {
				records = append(records, tickAt(topic, 1, "QXB", t0+i*1e9))
			}
		}
		records = append(records, tickAt(topic, 1, "QXB", t0+37e9), tickAt(topic, 1, "QXB", t0+60e9))
		c.Produce(t, records...)
		at := func(seconds int64) string { return fmt.Sprint((t0 + seconds*1e9) / 1e6) }
		for _, tc := range []struct {
			from, to string
			p0, p1   int64
		}{
			{"", "", 60, 22},
			{at(0), at(61), 60, 22},
			{at(30), "", 30, 12},
			{"", at(30), 30, 10},
			{at(30), at(40), 10, 5}, // with the late one
			{fmt.Sprint(t0 + 30*1e9 + 1), at(31), 0, 0},
			{at(59), "", 1, 1},
			{at(61), "", 0, 0},
			{"2031-01-01T00:00:00Z", "", 0, 0},
			{"", at(0), 0, 0},
			{"10", "20", 10, 10},
			{"10", at(20), 10, 0},
			{"21", "", 39, 1},
			{"1000", "", 0, 0},
			{"", "0", 0, 0},
		} {
			o := optionsFor(topic)
			o.From, o.To = bound(t, tc.from), bound(t, tc.to)
			f := mustPlay(t, c, o).final(t)
			if f.PartitionTicks["0"] != tc.p0 || f.PartitionTicks["1"] != tc.p1 || f.PartitionTicks["2"] != 0 {
				t.Errorf("from %q to %q: %v, want %d and %d", tc.from, tc.to, f.PartitionTicks, tc.p0, tc.p1)
			}
		}
		o := optionsFor(topic)
		o.OnlyPartitions, o.OnlySymbols = []int32{1}, map[string]bool{"QXB": true}
		if f := mustPlay(t, c, o).final(t); f.TotalTicks != 22 || f.SkewApplicable {
			t.Errorf("one partition: %d ticks, skew judged %v", f.TotalTicks, f.SkewApplicable)
		}
		o.OnlySymbols = map[string]bool{"QXA": true}
		if f := mustPlay(t, c, o).final(t); f.TotalTicks != 0 {
			t.Errorf("a symbol that is not there: %d ticks", f.TotalTicks)
		}
		o.OnlyPartitions = []int32{3}
		if _, err := play(context.Background(), t, c, o); err == nil || !strings.Contains(err.Error(), "has no partition 3, it has 3") {
			t.Errorf("a partition that is not there: %v", err)
		}
	})
}

// Where the broker gives the times, they ascend, and the range ends at an
// offset. kfake takes the producer's times whatever the topic says.
func TestRangeOfAppendTimes(t *testing.T) {
	t.Run("kafka", func(t *testing.T) {
		c := kafkatest.Real(t)
		topic := c.Topic(t, 1, "retention.ms=-1", "message.timestamp.type=LogAppendTime")
		c.Produce(t, tickAt(topic, 0, "QXA", t0), tickAt(topic, 0, "QXA", t0+1e9))
		o := optionsFor(topic)
		o.Limits.TimestampType = capture.LogAppendTime
		o.To = bound(t, "2025-06-01T00:00:00Z") // behind the ticks' own times
		if f := mustPlay(t, c, o).final(t); f.TotalTicks != 0 {
			t.Errorf("%d ticks before their append time", f.TotalTicks)
		}
		o.From, o.To = o.To, Bound{}
		if f := mustPlay(t, c, o).final(t); f.TotalTicks != 2 {
			t.Errorf("%d ticks from then on", f.TotalTicks)
		}
	})
}

// What is written after the start is not part of the replay.
func TestEndsAreFixedAtTheStart(t *testing.T) {
	c := kafkatest.Fake(t)
	topic := c.Topic(t, 2)
	c.Produce(t, market(topic, 2, 500, 3)...)
	o := optionsFor(topic)
	written := false
	o.Decoder = func() (codecs.TickDecoder, error) {
		if !written {
			written = true
			c.Produce(t, market(topic, 2, 500, 4)...)
		}
		return jsonDecoder()
	}
	p, err := play(context.Background(), t, c, o)
	if err != nil {
		t.Fatal(err)
	}
	if n := p.final(t).Counts.Records; n != 500 {
		t.Errorf("%d records, want the 500 that were there", n)
	}
}

// Aborted records are not read, markers are not counted, and a log that ends
// in either comes to its end; an open transaction is not waited for.
func TestTransactionalTopics(t *testing.T) {
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		topic := c.Topic(t, 3, "retention.ms=-1")
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		transaction := func(end kgo.TransactionEndTry, finish bool, records ...*kgo.Record) {
			t.Helper()
			cl := c.Client(t, kgo.TransactionalID(kafkatest.Name(t)), kgo.RecordPartitioner(kgo.ManualPartitioner()))
			if err := cl.BeginTransaction(); err != nil {
				t.Fatal(err)
			}
			if err := cl.ProduceSync(ctx, records...).FirstErr(); err != nil {
				t.Fatal(err)
			}
			if finish {
				if err := cl.EndTransaction(ctx, end); err != nil {
					t.Fatal(err)
				}
			}
		}
		transaction(kgo.TryCommit, true, tickAt(topic, 0, "QXA", t0))
		transaction(kgo.TryAbort, true, tickAt(topic, 0, "QXA", t0-3600e9))
		c.Produce(t, tickAt(topic, 0, "QXA", t0+1e9))
		transaction(kgo.TryAbort, true, tickAt(topic, 1, "QXB", t0), tickAt(topic, 1, "QXB", t0))
		kafkatest.Eventually(t, "the markers of ended transactions", func() bool {
			stable, err := c.Admin(t).ListCommittedOffsets(ctx, topic)
			return err == nil && stable.Offsets()[topic][0].At == 5 && stable.Offsets()[topic][1].At == 3
		})
		o := optionsFor(topic)
		f := mustPlay(t, c, o).final(t)
		if f.Counts.Records != 2 || f.Counts.Disorder != 0 || len(f.Findings) != 0 {
			t.Errorf("counts %+v, %d findings", f.Counts, len(f.Findings))
		}
		c.Produce(t, tickAt(topic, 2, "QXC", t0))
		transaction(kgo.TryAbort, false, tickAt(topic, 2, "QXC", t0+1e9))
		p := mustPlay(t, c, o)
		if f := p.final(t); f.Counts.Records != 3 || len(p.notes) != 1 || !strings.Contains(p.notes[0], "offsets 1 to 1 are not read, since a transaction is open there") {
			t.Errorf("with an open transaction: %d records, notes %q", f.Counts.Records, p.notes)
		}
	})
}

// Compaction leaves holes, which are no loss.
func TestCompactedTopic(t *testing.T) {
	c := kafkatest.Fake(t)
	topic := c.Topic(t, 2, "cleanup.policy=compact", "retention.ms=-1")
	for i := range int64(40) {
		c.Produce(t, tickAt(topic, 0, fmt.Sprintf("S%d", i%4), t0+i*1e9))
	}
	c.Produce(t, tickAt(topic, 0, "S9", t0+41e9)) // the last batch is never compacted
	c.Kfake.Compact()
	f := mustPlay(t, c, optionsFor(topic)).final(t)
	if f.Counts.Records != 5 || len(f.Findings) != 0 {
		t.Errorf("%d records, want the last of S0 to S3 and S9; %d findings", f.Counts.Records, len(f.Findings))
	}
}

// Where compaction has emptied a log's last offsets no record ever tells of
// its end: a batch without records, then nothing.
func TestEmptyTail(t *testing.T) {
	c := kafkatest.Fake(t)
	topic := c.Topic(t, 1, "retention.ms=-1")
	var records []*kgo.Record
	for i := range int64(50) {
		records = append(records, tickAt(topic, 0, "QXA", t0+i*1e9))
	}
	c.Produce(t, records[:3]...)
	c.Produce(t, records[3:]...)
	c.Kfake.ControlKey(int16(kmsg.Fetch), func(request kmsg.Request) (kmsg.Response, error, bool) {
		c.Kfake.KeepControl()
		asked := request.(*kmsg.FetchRequest)
		if len(asked.Topics) == 0 || asked.Topics[0].Partitions[0].FetchOffset < 3 {
			return nil, nil, false
		}
		p := kmsg.NewFetchResponseTopicPartition()
		p.HighWatermark, p.LastStableOffset, p.LogStartOffset = 50, 50, 0
		if asked.Topics[0].Partitions[0].FetchOffset < 40 {
			p.RecordBatches = emptyBatch(3, 39)
		}
		answer := asked.ResponseKind().(*kmsg.FetchResponse)
		answer.Topics = []kmsg.FetchResponseTopic{{Topic: topic, TopicID: asked.Topics[0].TopicID, Partitions: []kmsg.FetchResponseTopicPartition{p}}}
		return answer, nil, true
	})
	options := append(readerOptions(c), kgo.FetchMaxPartitionBytes(1)) // one batch at a time
	var reports []*engine.Report
	o := optionsFor(topic)
	o.Report = func(r *engine.Report) error { reports = append(reports, r); return nil }
	o.Note = t.Logf
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := RunHistory(ctx, Cluster{Admin: c.Admin(t), Options: options}, o); err != nil {
		t.Fatal(err)
	}
	if f := reports[len(reports)-1]; f.Counts.Records != 3 || f.Trigger != engine.TriggerFinal {
		t.Errorf("%v with %d records, want FINAL with 3", f.Trigger, f.Counts.Records)
	}
}

// emptyBatch is what compaction leaves of a batch whose producer it still has
// to remember.
func emptyBatch(first, last int64) []byte {
	b := kmsg.RecordBatch{FirstOffset: first, Magic: 2, LastOffsetDelta: int32(last - first), ProducerID: 7, Length: 49}
	raw := b.AppendTo(nil)
	b.CRC = int32(crc32.Checksum(raw[21:], crc32.MakeTable(crc32.Castagnoli)))
	return b.AppendTo(nil)
}
