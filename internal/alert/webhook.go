package alert

import (
	"context"
	"time"

	"github.com/auditstream/auditstream/engine"
)

// webhook posts one object an event of a finding:
//
//	{"version":"1","audit":NAME,"status":"firing"|"resolved",
//	 "startsAt":TIME,"endsAt":TIME or null,"finding":{…}}
//
// finding has the fields of the report. A test has "test":true and the code TEST. The header Idempotency-Key is the same
// whenever the same event is sent again, which happens when the bridge or its
// connection broke before the answer came.
type webhook struct {
	*poster
	name, url string
}

type notice struct {
	Version  string     `json:"version"`
	Audit    string     `json:"audit"`
	Status   string     `json:"status"`
	StartsAt time.Time  `json:"startsAt"`
	EndsAt   *time.Time `json:"endsAt"`
	Test     bool       `json:"test,omitempty"`
	Finding  noticed    `json:"finding"`
}

// noticed is a finding whose code is that of its alert.
type noticed struct {
	*engine.Finding
	Code string `json:"code"`
}

func (w *webhook) Batch() int    { return 1 }
func (w *webhook) Repeats() bool { return false }

func (w *webhook) Send(ctx context.Context, alerts []Alert) error {
	for i := range alerts {
		a := &alerts[i]
		n := notice{Version: "1", Audit: w.name, Status: "firing", StartsAt: a.StartsAt.UTC(), Test: a.test, Finding: noticed{&a.Finding, a.code()}}
		if a.Resolved {
			ends := a.EndsAt.UTC()
			n.Status, n.EndsAt = "resolved", &ends
		}
		if err := w.post(ctx, w.url, n, map[string]string{"Idempotency-Key": a.Finding.ID + "-" + n.Status}); err != nil {
			return err
		}
	}
	return nil
}
