package httpapi

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/auditstream/auditstream/engine"
)

// metric is one row of the table of metrics: what is exported, and how it is
// read from a status.
type metric struct {
	name   string
	help   string
	kind   prometheus.ValueType
	labels []string
	read   func(s *Status, emit emitter)
}

// allMetrics are the rows of every table, in the order of the documentation.
func allMetrics() []metric {
	all := append(append([]metric(nil), metrics...), lagMetrics...)
	for _, s := range lagSystems {
		all = append(all, s.metrics...)
	}
	return all
}

// emitter takes one sample with the values of the metric's labels.
type emitter func(value float64, labels ...string)

// metrics lists what is about the audit itself, but for histograms and the
// build, in the order of the documentation. Series are bounded by partitions,
// watched groups and finding codes; none is per symbol.
var metrics = []metric{
	{"auditstream_ready", "1 after recovery and while no partition stands still, otherwise 0.",
		prometheus.GaugeValue, nil, func(s *Status, emit emitter) { emit(boolean(len(s.NotReady) == 0)) }},
	{"auditstream_paused", "1 while the audit is paused over Connect's REST, so that it judges nothing of its partitions, otherwise 0.",
		prometheus.GaugeValue, nil, func(s *Status, emit emitter) { emit(boolean(s.Paused)) }},
	{"auditstream_records_total", "Records judged since the group's first record, by partition audited here.",
		prometheus.CounterValue, byPartition, func(s *Status, emit emitter) {
			s.eachPartition(func(p Partition, labels ...string) { emit(float64(p.Records), labels...) })
		}},
	{"auditstream_ticks_total", "Ticks judged since the group's first record, by partition audited here.",
		prometheus.CounterValue, byPartition, func(s *Status, emit emitter) {
			s.eachPartition(func(p Partition, labels ...string) { emit(float64(p.Ticks), labels...) })
		}},
	{"auditstream_lag_records", "Records between the audit and the partition's end; it grows while the audit is paused. No series while the end is not known.",
		prometheus.GaugeValue, byPartition, func(s *Status, emit emitter) {
			s.eachPartition(func(p Partition, labels ...string) {
				if p.Lag >= 0 {
					emit(float64(p.Lag), labels...)
				}
			})
		}},
	{"auditstream_partition_stalled", "1 while the audit stands still before the partition's end for 30 s or longer, otherwise 0.",
		prometheus.GaugeValue, byPartition, func(s *Status, emit emitter) {
			s.eachPartition(func(p Partition, labels ...string) { emit(boolean(p.Stalled), labels...) })
		}},
	{"auditstream_partition_live", "1 while the audit keeps up with the partition, otherwise 0, as while it is paused.",
		prometheus.GaugeValue, byPartition, func(s *Status, emit emitter) {
			s.eachPartition(func(p Partition, labels ...string) { emit(boolean(p.Live), labels...) })
		}},
	{"auditstream_symbols", "Symbols seen on the partition; their sum counts a symbol that is on two partitions twice.",
		prometheus.GaugeValue, byPartition, func(s *Status, emit emitter) {
			s.eachPartition(func(p Partition, labels ...string) { emit(float64(p.Symbols), labels...) })
		}},
	{"auditstream_bytes_total", "Bytes of keys and values judged since the group's first record.",
		prometheus.CounterValue, byPartition, func(s *Status, emit emitter) {
			s.eachPartition(func(p Partition, labels ...string) { emit(float64(p.Counts.KeyBytes+p.Counts.ValueBytes), labels...) })
		}},
	{"auditstream_suspect_total", "Records and ticks that something is odd with, by what it is: the counts of the reports under their names, since the group's first record.",
		prometheus.CounterValue, []string{"topic", "partition", "count"}, func(s *Status, emit emitter) {
			s.eachPartition(func(p Partition, labels ...string) {
				for _, c := range suspects {
					emit(float64(c.of(&p.Counts)), labels[0], labels[1], c.name)
				}
			})
		}},
	{"auditstream_topic_status", "1 for the status that the last window's report of the topic has, 0 for the others; in the instance that writes it.",
		prometheus.GaugeValue, []string{"topic", "status"}, func(s *Status, emit emitter) {
			for _, t := range s.Topics {
				for status := engine.StatusOffset; status <= engine.StatusHealthy; status++ {
					emit(boolean(status == t.Status), t.Topic, status.String())
				}
			}
		}},
	{"auditstream_partition_skew_ratio", "Busiest ÷ mean load of the topic's partitions in the last window, where it was judged.",
		prometheus.GaugeValue, []string{"topic"}, func(s *Status, emit emitter) {
			for _, t := range s.Topics {
				if t.SkewKnown {
					emit(t.Skew, t.Topic)
				}
			}
		}},
	{"auditstream_symbols_out_of_order", "Symbols that are out of order, as the topic's last window's report counts them.",
		prometheus.GaugeValue, []string{"topic"}, func(s *Status, emit emitter) {
			for _, t := range s.Topics {
				emit(float64(t.OutOfOrder), t.Topic)
			}
		}},
	{"auditstream_topic_symbols", "Symbols of the whole topic as its last window's report counts them: each once, on however many partitions.",
		prometheus.GaugeValue, []string{"topic"}, func(s *Status, emit emitter) {
			for _, t := range s.Topics {
				emit(float64(t.Symbols), t.Topic)
			}
		}},
	{"auditstream_findings_open", "Findings open now.",
		prometheus.GaugeValue, []string{"code"}, func(s *Status, emit emitter) {
			for _, code := range engine.Codes() {
				emit(float64(s.Open[code.Code]), code.Name)
			}
		}},
	{"auditstream_findings_open_since_timestamp_seconds", "Since when the oldest open finding of the code lasts, as Unix time; no series while none is open.",
		prometheus.GaugeValue, []string{"code"}, func(s *Status, emit emitter) {
			for _, code := range engine.Codes() {
				if since, open := s.OpenSince[code.Code]; open {
					emit(float64(since.UnixMilli())/1000, code.Name)
				}
			}
		}},
	{"auditstream_findings_opened_total", "Findings opened since the process started.",
		prometheus.CounterValue, []string{"code", "severity"}, func(s *Status, emit emitter) {
			for _, code := range engine.Codes() {
				emit(float64(s.Opened[code.Code]), code.Name, code.Severity.String())
			}
		}},
	{"auditstream_rebalances_total", "Rebalances of the audit's own group since the process started.",
		prometheus.CounterValue, nil, func(s *Status, emit emitter) { emit(float64(s.Rebalances)) }},
}

// suspects are the counts of a report that no healthy stream lets grow.
var suspects = []struct {
	name string
	of   func(*engine.Counts) int64
}{
	{"unreadable", func(c *engine.Counts) int64 { return c.Unreadable }},
	{"unusable", func(c *engine.Counts) int64 { return c.Unusable }},
	{"tombstones", func(c *engine.Counts) int64 { return c.Tombstones }},
	{"null_keys", func(c *engine.Counts) int64 { return c.NullKeys }},
	{"empty_keys", func(c *engine.Counts) int64 { return c.EmptyKeys }},
	{"key_mismatches", func(c *engine.Counts) int64 { return c.KeyDiffers }},
	{"duplicates", func(c *engine.Counts) int64 { return c.Duplicates }},
	{"disorder", func(c *engine.Counts) int64 { return c.Disorder }},
	{"old", func(c *engine.Counts) int64 { return c.Old }},
	{"ahead", func(c *engine.Counts) int64 { return c.Ahead }},
	{"late", func(c *engine.Counts) int64 { return c.Late }},
}

var byPartition = []string{"topic", "partition"}

func (s *Status) eachPartition(give func(p Partition, labels ...string)) {
	for _, p := range s.Partitions {
		give(p, p.Topic, strconv.Itoa(int(p.Partition)))
	}
}

func boolean(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
