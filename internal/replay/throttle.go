package replay

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// throttle holds the bytes that come from brokers under a rate, so that a
// replay leaves the cluster's bandwidth to others. The client fetches ahead by
// one answer of each broker, so fetches are kept small beside the rate.
type throttle struct {
	rate  int64 // bytes a second, 0: no limit
	start time.Time
	read  atomic.Int64
}

func newThrottle(rate int64) *throttle { return &throttle{rate: rate, start: time.Now()} }

// OnBrokerRead counts what fetches have brought.
func (t *throttle) OnBrokerRead(_ kgo.BrokerMetadata, key int16, bytes int, _, _ time.Duration, _ error) {
	if key == int16(kmsg.Fetch) {
		t.read.Add(int64(bytes))
	}
}

// wait returns when what has come is within the rate.
func (t *throttle) wait(ctx context.Context) error {
	if t.rate <= 0 {
		return nil
	}
	due := time.Duration(float64(t.read.Load()) / float64(t.rate) * 1e9)
	ahead := due - time.Since(t.start)
	if ahead <= 0 {
		return nil
	}
	timer := time.NewTimer(ahead)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
