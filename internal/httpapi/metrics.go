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
	{"auditstream_records_total", "Records judged since the group's first record, by partition audited here.",
		prometheus.CounterValue, byPartition, func(s *Status, emit emitter) {
			s.eachPartition(func(p Partition, labels ...string) { emit(float64(p.Records), labels...) })
		}},
	{"auditstream_ticks_total", "Ticks judged since the group's first record, by partition audited here.",
		prometheus.CounterValue, byPartition, func(s *Status, emit emitter) {
			s.eachPartition(func(p Partition, labels ...string) { emit(float64(p.Ticks), labels...) })
		}},
	{"auditstream_lag_records", "Records between the audit and the partition's end.",
		prometheus.GaugeValue, byPartition, func(s *Status, emit emitter) {
			s.eachPartition(func(p Partition, labels ...string) { emit(float64(p.Lag), labels...) })
		}},
	{"auditstream_partition_stalled", "1 while the audit stands still before the partition's end for 30 s or longer, otherwise 0.",
		prometheus.GaugeValue, byPartition, func(s *Status, emit emitter) {
			s.eachPartition(func(p Partition, labels ...string) { emit(boolean(p.Stalled), labels...) })
		}},
	{"auditstream_findings_open", "Findings open now.",
		prometheus.GaugeValue, []string{"code"}, func(s *Status, emit emitter) {
			for _, code := range engine.Codes() {
				emit(float64(s.Open[code.Code]), code.Name)
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
