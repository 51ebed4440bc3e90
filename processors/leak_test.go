package processors_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/auditstream/auditstream/internal/kafkatest"
)

// An audit that has ended has left nothing behind: neither one that was
// stopped, nor one that read to the end, nor one that could not start. The
// test runs beside no other, so that what is there is its own.
func TestNothingIsLeftRunning(t *testing.T) {
	for name, guarantee := range map[string]option{"exactly_once": func(*rig) {}, "at_least_once": atLeastOnce} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, kafkatest.Fake(t), 3)
			r.market(3, 5, 60)
			before := goleak.IgnoreCurrent()
			a := r.start(guarantee)
			kafkatest.Eventually(t, "a checkpoint", func() bool { return r.committed(r.topic(), 0) > 0 })
			a.stop()
			r.audit(guarantee)
			if err := r.start(guarantee, stopOnBad, func(r *rig) { r.cfg.Brokers = []string{"127.0.0.1:1"} }).wait(); err == nil {
				t.Error("an audit without a broker ended in order")
			}
			goleak.VerifyNone(t, before,
				// The broker's side of the test's own connections, and a ticker of
				// sarama's that every process has once.
				goleak.IgnoreAnyFunction(kfakeConn+".read"), goleak.IgnoreAnyFunction(kfakeConn+".read.func1"),
				goleak.IgnoreAnyFunction(kfakeConn+".write"), goleak.IgnoreTopFunction("github.com/rcrowley/go-metrics.(*meterArbiter).tick"))
		})
	}
}

const kfakeConn = "github.com/twmb/franz-go/pkg/kfake.(*clientConn)"
