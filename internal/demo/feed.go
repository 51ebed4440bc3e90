package demo

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// feedStep is how often the feed writes what the market has made since.
const feedStep = 25 * time.Millisecond

// feed plays a market through the faults to a broker in real time.
type feed struct {
	format   *Format
	market   *Market
	injector *injector
	opened   time.Time
	clients  [2]*kgo.Client // the market's own producer, and the second one
	begin    chan struct{}  // closed: the faults' time starts
	written  atomic.Int64
	failed   chan error
}

// newFeed opens the producers. Both are told the partition by the message:
// what differs between them is the hash that put it there.
func newFeed(broker string, format *Format, market *Market, in *injector) (*feed, error) {
	f := &feed{format: format, market: market, injector: in, begin: make(chan struct{}), failed: make(chan error, 1)}
	for i, id := range []string{"demo-market", "demo-other"} {
		client, err := kgo.NewClient(
			kgo.SeedBrokers(broker), kgo.ClientID(id), kgo.DefaultProduceTopic(Topic),
			kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerLinger(10*time.Millisecond),
		)
		if err != nil {
			f.close()
			return nil, fmt.Errorf("open producer %s: %w", id, err)
		}
		f.clients[i] = client
	}
	return f, nil
}

// run plays until ctx ends, then waits until all that was written is
// acknowledged.
func (f *feed) run(ctx context.Context) error {
	step := time.NewTicker(feedStep)
	defer step.Stop()
	begin := f.begin
	f.opened = time.Now()
	for {
		select {
		case <-ctx.Done():
			return f.flush()
		case err := <-f.failed:
			return err
		case <-begin:
			begin = nil
			f.injector.start(time.Since(f.opened))
		case <-step.C:
			for _, tick := range f.market.Until(time.Since(f.opened)) {
				for _, m := range f.injector.inject(tick) {
					f.write(&m)
				}
			}
		}
	}
}

// write hands one message to its producer. The record's own time is the
// market's, which a skewed clock does not move: it is the event time in the
// value that is wrong.
func (f *feed) write(m *Message) {
	client := f.clients[0]
	if m.Second {
		client = f.clients[1]
	}
	record := &kgo.Record{
		Key: []byte(m.Symbol), Value: f.format.Value(m, f.opened.UnixNano()),
		Partition: m.Partition, Timestamp: f.opened.Add(m.At),
	}
	client.Produce(context.Background(), record, func(_ *kgo.Record, err error) {
		if err != nil {
			select {
			case f.failed <- fmt.Errorf("write a tick: %w", err):
			default:
			}
			return
		}
		f.written.Add(1)
	})
}

func (f *feed) flush() error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	for _, client := range f.clients {
		if err := client.Flush(ctx); err != nil {
			return fmt.Errorf("flush the market's producers: %w", err)
		}
	}
	return nil
}

func (f *feed) close() {
	for _, client := range f.clients {
		if client != nil {
			client.Close()
		}
	}
}
