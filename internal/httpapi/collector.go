package httpapi

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// registry holds the audit's metrics and those of its process.
func registry(build Build, status func() Status) *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(
		newCollector(build, status),
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return r
}

// histogram is a row of the second table.
type histogram struct {
	name, help string
	read       func(s *Status) Durations
}

var histograms = []histogram{
	{"auditstream_checkpoint_duration_seconds", "Time in which a checkpoint became durable.",
		func(s *Status) Durations { return s.Checkpoints }},
	{"auditstream_detection_latency_seconds", "Time from a record's timestamp until the finding that it opened could be read, " +
		"of partitions that are read to their end. Where producers set timestamps, their clocks are in it.",
		func(s *Status) Durations { return s.Detections }},
	{"auditstream_tick_age_seconds", "Clock minus event time of ticks when they were judged, 0 where they are ahead; the last tick of each batch that was read, of partitions that are read to their end.",
		func(s *Status) Durations { return s.TickAges }},
}

// What is no row of a table: what never changes.
const (
	buildName = "auditstream_build_info"
	buildHelp = "Always 1; the labels say what was built."
)

var buildLabels = []string{"version", "commit", "go_version"}

// collector reads one status a scrape, so that the numbers of one scrape
// belong together.
type collector struct {
	status     func() Status
	rows       []metric
	descs      []*prometheus.Desc
	histograms []*prometheus.Desc
	build      prometheus.Metric
}

func newCollector(build Build, status func() Status) *collector {
	c := &collector{status: status, rows: allMetrics()}
	for _, row := range c.rows {
		c.descs = append(c.descs, prometheus.NewDesc(row.name, row.help, row.labels, nil))
	}
	for _, h := range histograms {
		c.histograms = append(c.histograms, prometheus.NewDesc(h.name, h.help, nil, nil))
	}
	c.build = prometheus.MustNewConstMetric(prometheus.NewDesc(buildName, buildHelp, buildLabels, nil),
		prometheus.GaugeValue, 1, build.Version, build.Commit, build.GoVersion)
	return c
}

func (c *collector) Describe(descs chan<- *prometheus.Desc) {
	for _, d := range c.descs {
		descs <- d
	}
	for _, d := range c.histograms {
		descs <- d
	}
	descs <- c.build.Desc()
}

func (c *collector) Collect(out chan<- prometheus.Metric) {
	s := c.status()
	for i, row := range c.rows {
		row.read(&s, func(value float64, labels ...string) {
			out <- prometheus.MustNewConstMetric(c.descs[i], row.kind, value, labels...)
		})
	}
	for i, h := range histograms {
		d := h.read(&s)
		buckets := make(map[float64]uint64, len(d.Buckets))
		for limit, count := range d.Buckets {
			buckets[limit.Seconds()] = count
		}
		out <- prometheus.MustNewConstHistogram(c.histograms[i], d.Count, d.Sum.Seconds(), buckets)
	}
	out <- c.build
}
