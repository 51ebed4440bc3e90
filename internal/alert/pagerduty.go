package alert

import (
	"context"
	"strconv"
	"strings"

	"github.com/auditstream/auditstream/engine"
)

// pagerDuty posts to PagerDuty's Events API v2
// (https://developer.pagerduty.com/docs/events-api-v2-overview). An alert is
// told twice, as trigger and as resolve, under its finding_id.
type pagerDuty struct {
	*poster
	name, url, link, routingKey string
}

// event is a request of that API. A resolve has no payload.
type event struct {
	RoutingKey string   `json:"routing_key"`
	Action     string   `json:"event_action"` // trigger or resolve
	DedupKey   string   `json:"dedup_key"`
	Client     string   `json:"client,omitempty"`
	ClientURL  string   `json:"client_url,omitempty"`
	Payload    *payload `json:"payload,omitempty"`
}

type payload struct {
	Summary   string         `json:"summary"` // at most 1024 characters
	Source    string         `json:"source"`
	Severity  string         `json:"severity"` // critical, error, warning or info
	Timestamp string         `json:"timestamp,omitempty"`
	Component string         `json:"component,omitempty"`
	Group     string         `json:"group,omitempty"`
	Class     string         `json:"class,omitempty"`
	Details   map[string]any `json:"custom_details,omitempty"`
}

const summaryMost = 1024

func (p *pagerDuty) Batch() int    { return 1 }
func (p *pagerDuty) Repeats() bool { return false }

func (p *pagerDuty) Send(ctx context.Context, alerts []Alert) error {
	for i := range alerts {
		if err := p.post(ctx, p.url, p.event(&alerts[i]), nil); err != nil {
			return err
		}
	}
	return nil
}

func (p *pagerDuty) event(alert *Alert) event {
	f := &alert.Finding
	e := event{RoutingKey: p.routingKey, Action: "resolve", DedupKey: f.ID}
	if alert.Resolved {
		return e
	}
	e.Action, e.Client, e.ClientURL = "trigger", "auditstream", p.link
	e.Payload = &payload{
		Summary:   cut(summary(alert)+": "+f.Cause, summaryMost),
		Source:    source(f),
		Severity:  strings.ToLower(f.Severity.String()),
		Timestamp: alert.StartsAt.UTC().Format("2006-01-02T15:04:05.000Z07:00"),
		Component: f.Symbol,
		Group:     p.name,
		Class:     alert.code(),
		Details: map[string]any{
			"cause": f.Cause, "action": f.Action, "count": f.Count,
			"observed": f.Observed, "threshold": f.Threshold, "unit": f.Unit,
			"first_offset": f.FirstOffset, "last_offset": f.LastOffset,
			"first_time": stamp(f.FirstTime), "last_time": stamp(f.LastTime),
			"finding_id": f.ID, "evidence": f.Evidence,
		},
	}
	if f.Group != "" {
		e.Payload.Component = f.Group
	}
	return e
}

// source is the place that is affected: a topic, or a partition of it.
func source(f *engine.Finding) string {
	if f.Partition == nil {
		return f.Topic
	}
	return f.Topic + "/" + strconv.Itoa(int(*f.Partition))
}

func cut(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}
