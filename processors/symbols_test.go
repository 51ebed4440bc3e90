package processors_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/internal/kafkatest"
)

// both runs a test under both guarantees, on every broker.
func both(t *testing.T, test func(t *testing.T, c *kafkatest.Cluster, guarantee option)) {
	for name, guarantee := range map[string]option{"exactly_once": func(*rig) {}, "at_least_once": atLeastOnce} {
		t.Run(name, func(t *testing.T) {
			kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) { test(t, c, guarantee) })
		})
	}
}

func TestRunToTheEnd(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *kafkatest.Cluster, guarantee option) {
		r := newRig(t, c, 3)
		want := map[string]int64{}
		var ticks []*kgo.Record
		for p := range int32(3) {
			for i := range 1000 {
				ticks = append(ticks, r.tick(p, fmt.Sprintf("Q%d%d", p, i%7), time.Duration(i)*time.Millisecond))
			}
			want[fmt.Sprint(p)] = 1000
		}
		r.produce(ticks...)
		r.audit(guarantee)
		wantTicks(t, r.final(r.topic()), want)
	})
}
