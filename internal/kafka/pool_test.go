package kafka

import (
	"bytes"
	"context"
	"fmt"
	"math/rand"
	"runtime"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/internal/kafkatest"
)

// A loan is found by a byte that lies in it, once, and by no other.
func TestLoansAreFound(t *testing.T) {
	t.Parallel()
	l := newLoans()
	large, other := l.lend(20_000)[:15_000], l.lend(20_000)[:15_000]
	if small := l.lend(100); cap(small) != 100 {
		t.Errorf("100 bytes have room for %d", cap(small))
	}
	l.register(large)
	if first, _ := l.found(&other[0]); first != nil {
		t.Error("found by a byte of memory that is not registered")
	}
	if first, size := l.found(&large[40]); first != &large[0] || size != cap(large) {
		t.Errorf("found %p of %d bytes, not %p of %d", first, size, &large[0], cap(large))
	}
	if first, _ := l.found(&large[40]); first != nil {
		t.Error("found a second time")
	}
	l.register(other)
	if first, _ := l.found(&other[pageBytes]); first != nil {
		t.Error("found by a byte of another page, which another loan may begin")
	}
	runtime.KeepAlive(large)
}

// What is thrown away is not held, its entries go, and those of what is held
// stay.
func TestLoansForgetWhatIsGone(t *testing.T) {
	t.Parallel()
	l := newLoans()
	held := make([][]byte, sweepLoans) // all at once, or one page would be lent again and again
	for i := range held {
		held[i] = l.lend(pageBytes)
		l.register(held[i])
	}
	if len(l.out) != sweepLoans {
		t.Fatalf("%d of %d loans are noted", len(l.out), sweepLoans)
	}
	clear(held[10:])
	runtime.GC()
	last := l.lend(pageBytes)
	if l.register(last); len(l.out) != 11 {
		t.Errorf("%d loans are noted, 11 are held", len(l.out))
	}
	for i, b := range append(held[:10:10], last) {
		if first, _ := l.found(&b[:1][0]); first == nil {
			t.Errorf("loan %d is held and was forgotten", i)
		}
	}
}

// Records that wait while others are spent stay as they were, whatever
// compressed them, and the memory of those that are spent is used again.
func TestSpentMemoryIsOfNoRecordThatWaits(t *testing.T) {
	c := kafkatest.Fake(t)
	codecs := []kgo.CompressionCodec{kgo.Lz4Compression(), kgo.ZstdCompression(), kgo.SnappyCompression(), kgo.GzipCompression(), kgo.NoCompression()}
	topic := c.Topic(t, len(codecs))
	const each = 20_000
	for partition, codec := range codecs {
		cl := c.Client(t, kgo.ProducerBatchCompression(codec), kgo.ProducerBatchMaxBytes(100_000), kgo.RecordPartitioner(kgo.ManualPartitioner()))
		for i := range each {
			cl.Produce(t.Context(), &kgo.Record{Topic: topic, Partition: int32(partition), Key: []byte(fmt.Sprint(i)), Value: content(partition, i)}, nil)
		}
		if err := cl.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	cl := c.Client(t, kgo.ConsumeTopics(topic), kgo.WithPools(new(RecordPool)), kgo.WithDecompressor(NewDecompressor()), kgo.FetchMaxPartitionBytes(50_000))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	random, next := rand.New(rand.NewSource(7)), make([]int, len(codecs))
	waiting, spent := make([][]*kgo.Record, len(codecs)), make([]Spent, len(codecs))
	for polled, done := 0, 0; done < each*len(codecs); {
		if polled < each*len(codecs) {
			fetches := cl.PollFetches(ctx)
			if err := fetches.Err(); err != nil {
				t.Fatal(err)
			}
			polled += fetches.NumRecords()
			fetches.EachPartition(func(p kgo.FetchTopicPartition) { waiting[p.Partition] = append(waiting[p.Partition], p.Records...) })
		}
		for partition, records := range waiting {
			n := random.Intn(len(records) + 1)
			for _, r := range records[:n] {
				if want := content(partition, next[partition]); !bytes.Equal(r.Value, want) {
					t.Fatalf("record %d of partition %d is %q, not %q", next[partition], partition, r.Value, want)
				}
				next[partition]++
				done++
				spent[partition].Give(r)
			}
			if n == len(records) {
				spent[partition].End()
			}
			waiting[partition] = records[n:]
		}
	}
}

func content(partition, i int) []byte {
	return fmt.Appendf(nil, `{"partition":%d,"i":%d,"filler":"abcdefghijklmnopqrstuvwxyz"}`, partition, i)
}
