package alert

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/view"
)

// alertmanager posts to Alertmanager's API v2
// (https://github.com/prometheus/alertmanager/blob/main/api/v2/openapi.yaml).
//
// Its labels are an alert's identity, so they hold nothing that changes while
// a finding lasts. An open alert goes without endsAt and is repeated: the
// server's resolve_timeout ends it when nobody does so any more.
type alertmanager struct {
	*poster
	name, link string
	urls       []string // of the servers of one cluster
}

// postable is postableAlert of that API.
type postable struct {
	Labels       map[string]string `json:"labels"`
	Annotations  map[string]string `json:"annotations"`
	StartsAt     time.Time         `json:"startsAt"`
	EndsAt       *time.Time        `json:"endsAt,omitempty"`
	GeneratorURL string            `json:"generatorURL,omitempty"`
}

func (a *alertmanager) Batch() int    { return 64 }
func (a *alertmanager) Repeats() bool { return true }

// Send posts to every server, as Prometheus does. The servers of a cluster do
// not tell each other of alerts, only of notifications, so each needs them;
// one that was away hears of what is open at the next repeat.
func (a *alertmanager) Send(ctx context.Context, alerts []Alert) error {
	body := make([]postable, 0, len(alerts))
	for i := range alerts {
		body = append(body, a.postable(&alerts[i]))
	}
	var failed []error
	for _, base := range a.urls {
		if err := a.post(ctx, endpoint(base), body, nil); err != nil {
			failed = append(failed, err)
		}
	}
	if len(failed) < len(a.urls) {
		return nil
	}
	return errors.Join(failed...)
}

// endpoint is the API below a server's address; an address that names the API
// is left as it is.
func endpoint(base string) string {
	if strings.HasSuffix(base, "/api/v2/alerts") {
		return base
	}
	joined, err := url.JoinPath(base, "api/v2/alerts")
	if err != nil {
		return base
	}
	return joined
}

func (a *alertmanager) postable(alert *Alert) postable {
	f := &alert.Finding
	p := postable{
		Labels: map[string]string{
			"alertname": alert.code(), "severity": strings.ToLower(alert.severity().String()),
			"audit": a.name, "topic": f.Topic, "finding_id": f.ID,
		},
		Annotations: map[string]string{
			"summary": summary(alert), "description": f.Cause, "action": f.Action,
			"count": strconv.FormatInt(f.Count, 10), "measure": view.Measure(f),
			"first_time": stamp(f.FirstTime), "last_time": stamp(f.LastTime),
		},
		StartsAt:     alert.StartsAt.UTC(),
		GeneratorURL: a.link,
	}
	if f.FirstOffset >= 0 {
		p.Annotations["offsets"] = strconv.FormatInt(f.FirstOffset, 10) + "-" + strconv.FormatInt(f.LastOffset, 10)
	}
	if f.Partition != nil {
		p.Labels["partition"] = strconv.Itoa(int(*f.Partition))
	}
	for name, value := range map[string]string{"symbol": f.Symbol, "group": f.Group} {
		if value != "" {
			p.Labels[name] = value
		}
	}
	if alert.test {
		p.Labels["test"] = "true"
	}
	if alert.Resolved {
		ends := alert.EndsAt.UTC()
		p.EndsAt = &ends
	}
	return p
}

// summary is a finding in one line, without what changes while it lasts.
func summary(alert *Alert) string {
	f := &alert.Finding
	if alert.test {
		return testCode + ": auditstream alert --test, nothing is wrong"
	}
	return alert.code() + ": " + f.Topic + ", " + view.Subject(f)
}

func stamp(t engine.Time) string {
	text, err := t.MarshalJSON()
	if err != nil || string(text) == "null" {
		return ""
	}
	return strings.Trim(string(text), `"`)
}
