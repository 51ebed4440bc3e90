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

// What is not a row of the table: a histogram, and what never changes.
const (
	checkpointName = "auditstream_checkpoint_duration_seconds"
	checkpointHelp = "Time in which a checkpoint became durable."
	buildName      = "auditstream_build_info"
	buildHelp      = "Always 1; the labels say what was built."
)

var buildLabels = []string{"version", "commit", "go_version"}

// collector reads one status a scrape, so that the numbers of one scrape
// belong together.
type collector struct {
	status     func() Status
	rows       []metric
	descs      []*prometheus.Desc
	checkpoint *prometheus.Desc
	build      prometheus.Metric
}

func newCollector(build Build, status func() Status) *collector {
	c := &collector{status: status, rows: allMetrics()}
	for _, row := range c.rows {
		c.descs = append(c.descs, prometheus.NewDesc(row.name, row.help, row.labels, nil))
	}
	c.checkpoint = prometheus.NewDesc(checkpointName, checkpointHelp, nil, nil)
	c.build = prometheus.MustNewConstMetric(prometheus.NewDesc(buildName, buildHelp, buildLabels, nil),
		prometheus.GaugeValue, 1, build.Version, build.Commit, build.GoVersion)
	return c
}

func (c *collector) Describe(descs chan<- *prometheus.Desc) {
	for _, d := range c.descs {
		descs <- d
	}
	descs <- c.checkpoint
	descs <- c.build.Desc()
}

func (c *collector) Collect(out chan<- prometheus.Metric) {
	s := c.status()
	for i, row := range c.rows {
		row.read(&s, func(value float64, labels ...string) {
			out <- prometheus.MustNewConstMetric(c.descs[i], row.kind, value, labels...)
		})
	}
	buckets := make(map[float64]uint64, len(s.Checkpoints.Buckets))
	for limit, count := range s.Checkpoints.Buckets {
		buckets[limit.Seconds()] = count
	}
	out <- prometheus.MustNewConstHistogram(c.checkpoint, s.Checkpoints.Count, s.Checkpoints.Sum.Seconds(), buckets)
	out <- c.build
}
