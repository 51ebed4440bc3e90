package processors_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/kafkatest"
)

// Who runs to an end that an earlier run has reached hears the same FINAL
// reports; subscribers do not get them twice.
func TestTheSameEndIsToldAgain(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *kafkatest.Cluster, guarantee option) {
		r := newRig(t, c, 2, 1)
		r.produce(r.tick(0, "QA", time.Second), r.tick(0, "QA", 0), r.tick(1, "QA", 2*time.Second), r.tick(1, "QB", 0))
		heard := func() (finals map[string]string) {
			finals = map[string]string{}
			r.audit(guarantee, func(r *rig) {
				r.cfg.OnReport = func(report *engine.Report) {
					if report.Trigger != engine.TriggerFinal {
						return
					}
					text, err := json.Marshal(report)
					if err != nil {
						t.Error(err)
					}
					finals[report.Topic] = string(text)
				}
			})
			return finals
		}
		first, written := heard(), 0
		again := heard()
		if len(first) != 2 || len(again) != 2 {
			t.Fatalf("FINAL reports of %d topics, then of %d", len(first), len(again))
		}
		for topic, text := range first {
			if again[topic] != text {
				t.Errorf("%s:\nfirst %s\nthen  %s", topic, text, again[topic])
			}
		}
		for _, report := range r.reports() {
			if report.Trigger == engine.TriggerFinal {
				written++
			}
		}
		if written != 2 {
			t.Errorf("%d FINAL reports were written of two topics", written)
		}
	})
}
