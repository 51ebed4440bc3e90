package alert

import (
	"fmt"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics count what a bridge does. The nil value counts nothing.
type Metrics struct {
	events                       *prometheus.CounterVec
	refusals, failures           prometheus.Counter
	openNow, waitingNow, failing prometheus.Gauge
}

// described are the metrics in the order of the documentation.
var described = []struct{ name, kind, labels, help string }{
	{"auditstream_alert_open", "gauge", "", "Alerts open now."},
	{"auditstream_alert_sent_total", "counter", "event", "Alerts that the target has accepted: `firing`, `resolved`, or `repeat` of one that is open."},
	{"auditstream_alert_waiting_requests", "gauge", "", "Requests that wait to be sent: for the target, or for the rate."},
	{"auditstream_alert_failing", "gauge", "", "1 while the target does not answer as it should, otherwise 0."},
	{"auditstream_alert_failures_total", "counter", "", "Requests that failed and are sent again."},
	{"auditstream_alert_refused_total", "counter", "", "Alerts that the target will never take, and that were left out."},
}

// NewMetrics registers the metrics of a bridge.
func NewMetrics(r prometheus.Registerer) *Metrics {
	help := map[string]string{}
	for _, d := range described {
		help[d.name] = d.help
	}
	gauge := func(name string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help[name]})
	}
	counter := func(name string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help[name]})
	}
	m := &Metrics{
		events: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "auditstream_alert_sent_total", Help: help["auditstream_alert_sent_total"]}, []string{"event"}),
		refusals:   counter("auditstream_alert_refused_total"),
		failures:   counter("auditstream_alert_failures_total"),
		openNow:    gauge("auditstream_alert_open"),
		waitingNow: gauge("auditstream_alert_waiting_requests"),
		failing:    gauge("auditstream_alert_failing"),
	}
	for _, event := range []string{"firing", "resolved", "repeat"} {
		m.events.WithLabelValues(event)
	}
	r.MustRegister(m.events, m.refusals, m.failures, m.openNow, m.waitingNow, m.failing)
	return m
}

// MetricsTable is the bridge's part of docs/metrics.md.
func MetricsTable() string {
	var b strings.Builder
	b.WriteString("| metric | type | labels | meaning |\n|---|---|---|---|\n")
	for _, d := range described {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", d.name, d.kind, d.labels, d.help)
	}
	return b.String()
}

func (m *Metrics) sent(event string) {
	if m != nil {
		m.events.WithLabelValues(event).Inc()
		m.failing.Set(0)
	}
}

func (m *Metrics) refused() {
	if m != nil {
		m.refusals.Inc()
	}
}

func (m *Metrics) failure() {
	if m != nil {
		m.failures.Inc()
		m.failing.Set(1)
	}
}

func (m *Metrics) open(n int) {
	if m != nil {
		m.openNow.Set(float64(n))
	}
}

func (m *Metrics) waiting(n int) {
	if m != nil {
		m.waitingNow.Set(float64(n))
	}
}
