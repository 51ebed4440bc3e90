package processors_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/internal/kafkatest"
)

// A finding of now is measured from its record's time; one of the past, told
// while the audit catches up, is not.
func TestDetectionLatency(t *testing.T) {
	t.Parallel()
	r := newRig(t, kafkatest.Fake(t), 1)
	r.produce(r.tick(0, "QXA", time.Minute), r.tick(0, "QXA", 0))
	a := r.start()
	kafkatest.Eventually(t, "the finding of the past", func() bool {
		found, _ := r.opened()
		return len(found) > 0 && a.Status.Stats().Partitions[0].Live
	})
	if d := a.Status.Stats().Detections; d.Count != 0 {
		t.Errorf("%d findings of the past were measured", d.Count)
	}
	before := time.Now()
	tick := func(event time.Time) *kgo.Record {
		value := fmt.Sprintf(`{"symbol":"QXB","ts":%d}`, event.UnixNano())
		return &kgo.Record{Topic: r.topic(), Key: []byte("QXB"), Value: []byte(value), Timestamp: before}
	}
	r.produce(tick(before), tick(before.Add(-time.Second)))
	kafkatest.Eventually(t, "a finding to be measured", func() bool { return a.Status.Stats().Detections.Count == 1 })
	if d := a.Status.Stats().Detections; d.Sum <= 0 || d.Sum > time.Since(before) {
		t.Errorf("it took %v, it cannot have taken more than %v", d.Sum, time.Since(before))
	}
	a.stop()
}
