package kafka_test

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/kafka"
)

// What nanoseconds cannot tell is no time, rather than another one.
func TestRecordTime(t *testing.T) {
	for ms, want := range map[int64]int64{
		-1: engine.NoTime, 0: 0, 1735831800123: 1735831800123_000_000, -5: -5_000_000,
		4102444800000: 4102444800_000_000_000, 1 << 62: engine.NoTime, -1 << 62: engine.NoTime, 9_300_000_000_000: engine.NoTime,
	} {
		if got := kafka.RecordTime(&kgo.Record{Timestamp: time.UnixMilli(ms)}); got != want {
			t.Errorf("%d ms: %d, want %d", ms, got, want)
		}
	}
}
