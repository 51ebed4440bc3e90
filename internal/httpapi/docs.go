package httpapi

import (
	"fmt"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
)

// MetricsPage is docs/metrics.md; alerting is the table of the metrics of the
// command alert.
func MetricsPage(alerting string) string {
	var b strings.Builder
	b.WriteString("# Metrics\n\n" +
		"`/metrics` on `rest.listeners` (default http://127.0.0.1:8083) speaks Prometheus's text format.\n" +
		"Series are bounded by partitions, watched groups and finding codes; none is per symbol.\n" +
		"The Go runtime's `go_*` and the process's `process_*` come with them.\n\n" +
		"| metric | type | labels | meaning |\n|---|---|---|---|\n")
	row := func(name, kind string, labels []string, help string) {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", name, kind, strings.Join(labels, ", "), help)
	}
	rows := func(metrics []metric) {
		for _, m := range metrics {
			kind := "gauge"
			if m.kind == prometheus.CounterValue {
				kind = "counter"
			}
			row(m.name, kind, m.labels, m.help)
		}
	}
	rows(metrics)
	rows(lagMetrics)
	for _, h := range histograms {
		row(h.name, "histogram", nil, h.help)
	}
	row(buildName, "gauge", buildLabels, buildHelp)
	b.WriteString("\nLag is exported by one instance of an audit alone, so that a sum over groups and partitions is right:\n" +
		"`sum(kafka_consumer_group_lag{group=\"orders\"}) > 10000` is an alert as it stands. What is unknown has no series.\n")
	for _, s := range lagSystems {
		fmt.Fprintf(&b, "\nWith `metrics.lag.names=%s` the names that dashboards for %s use as well:\n\n"+
			"| metric | type | labels | meaning |\n|---|---|---|---|\n", s.name, s.name)
		rows(s.metrics)
	}
	b.WriteString("\n`auditstream alert` has metrics of its own on `alert.listeners`:\n\n" + alerting)
	b.WriteString("\n`/healthz` answers 200 while the process answers at all. `/readyz` answers 200 after recovery and\n" +
		"while no partition stands still, otherwise 503; its JSON says why: `{\"ready\":false,\"reasons\":[…],\"state\":\"RUNNING\"}`.\n\n" +
		"Both say in `state` what the audit was asked to do over Connect's REST, and with `PAUSED` and `STOPPED` in `since` and\n" +
		"`note` since when and how to undo it. A pause is no fault, so it changes no code: `/healthz` stays 200, or Kubernetes would\n" +
		"restart the pod and the restart would end the pause; `/readyz` stays 200, or the pod would leave its service, by which\n" +
		"`resume` comes, and hold up a rollout. Kafka Connect too calls a worker well whose connectors are paused. What must not\n" +
		"be forgotten is for alerts: `auditstream_paused`, and the rule `AuditstreamPaused` in `compose/rules/auditor.yml`. A\n" +
		"stopped audit has given its partitions away, does no work, and is not ready: 503.\n")
	return b.String()
}
