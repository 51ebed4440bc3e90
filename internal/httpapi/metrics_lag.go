package httpapi

import (
	"slices"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
)

var byGroupPartition = []string{"group", "topic", "partition"}

// lagMetrics are the product's own names for the lag of watched groups. What
// is unknown has no series: a negative number would spoil every sum.
var lagMetrics = []metric{
	gauge("kafka_consumer_group_lag", "Records that a watched group has not read yet. Transaction markers and aborted records count only where the log was not looked into.",
		byGroupPartition, (*Status).eachOwnLag),
	gauge("kafka_consumer_group_lag_seconds", "Age of a watched group's oldest unread record, 0 when it has read everything.",
		byGroupPartition, func(s *Status, emit emitter) {
			s.eachLag(func(l *GroupLag) {
				if l.Age >= 0 {
					emit(l.Age.Seconds(), l.Group, l.Topic, decimal(l.Partition))
				}
			})
		}),
}

// lagSystem is an exporter whose dashboards are known, with the names by which
// they ask for lag.
type lagSystem struct {
	name    string
	metrics []metric
}

// lagSystems have the names and labels of danielqsj/kafka_exporter's README
// and of redpanda-data/kminion's docs/metrics.md under its default namespace.
var lagSystems = []lagSystem{
	system("kafka_exporter",
		gauge("kafka_consumergroup_lag", "As kafka_consumer_group_lag.", []string{"consumergroup", "topic", "partition"}, (*Status).eachOwnLag),
		gauge("kafka_consumergroup_lag_sum", "The same over the partitions of a topic.", []string{"consumergroup", "topic"}, (*Status).sumLag),
		gauge("kafka_consumergroup_current_offset", "Next offset that the group has committed.", []string{"consumergroup", "topic", "partition"}, (*Status).eachCommit),
		gauge("kafka_consumergroup_current_offset_sum", "The same over the partitions of a topic.", []string{"consumergroup", "topic"}, (*Status).sumCommits),
		gauge("kafka_consumergroup_members", "Members of the group.", []string{"consumergroup"}, (*Status).eachMembers),
		gauge("kafka_topic_partition_current_offset", "End of the partition.", []string{"topic", "partition"}, (*Status).eachEnd),
		gauge("kafka_topic_partition_oldest_offset", "Start of the partition.", []string{"topic", "partition"}, (*Status).eachStart),
		gauge("kafka_topic_partitions", "Partitions of the topic.", []string{"topic"}, (*Status).countPartitions),
	),
	system("kminion",
		gauge("kminion_kafka_consumer_group_topic_partition_lag", "As kafka_consumer_group_lag.", []string{"group_id", "topic_name", "partition_id"}, (*Status).eachOwnLag),
		gauge("kminion_kafka_consumer_group_topic_lag", "The same over the partitions of a topic.", []string{"group_id", "topic_name"}, (*Status).sumLag),
		gauge("kminion_kafka_consumer_group_topic_offset_sum", "Committed offsets over the partitions of a topic.", []string{"group_id", "topic_name"}, (*Status).sumCommits),
		gauge("kminion_kafka_consumer_group_info", "1 if the group is stable, otherwise 0.", []string{"group_id", "protocol", "protocol_type", "state", "coordinator_id"},
			func(s *Status, emit emitter) {
				for _, g := range s.Groups {
					emit(boolean(g.State == "Stable"), g.Name, g.Protocol, "consumer", g.State, decimal(g.Coordinator))
				}
			}),
		gauge("kminion_kafka_consumer_group_members", "Members of the group.", []string{"group_id"}, (*Status).eachMembers),
		gauge("kminion_kafka_topic_partition_high_water_mark", "End of the partition.", []string{"topic_name", "partition_id"}, (*Status).eachEnd),
		gauge("kminion_kafka_topic_partition_low_water_mark", "Start of the partition.", []string{"topic_name", "partition_id"}, (*Status).eachStart),
		gauge("kminion_kafka_topic_high_water_mark_sum", "Ends over the partitions of a topic.", []string{"topic_name"}, (*Status).sumEnds),
	),
}

func gauge(name, help string, labels []string, read func(*Status, emitter)) metric {
	return metric{name, help, prometheus.GaugeValue, labels, read}
}

// system lets metrics be exported only when their exporter was named.
func system(name string, metrics ...metric) lagSystem {
	for i := range metrics {
		read := metrics[i].read
		metrics[i].read = func(s *Status, emit emitter) {
			if slices.Contains(s.LagNames, name) {
				read(s, emit)
			}
		}
	}
	return lagSystem{name, metrics}
}

func decimal(n int32) string { return strconv.Itoa(int(n)) }

// eachLag gives the lags that are known.
func (s *Status) eachLag(give func(*GroupLag)) {
	for i := range s.GroupLags {
		if s.GroupLags[i].Lag >= 0 {
			give(&s.GroupLags[i])
		}
	}
}

func (s *Status) eachOwnLag(emit emitter) {
	s.eachLag(func(l *GroupLag) { emit(float64(l.Lag), l.Group, l.Topic, decimal(l.Partition)) })
}

func (s *Status) sumLag(emit emitter) {
	var sums sums
	s.eachLag(func(l *GroupLag) { sums.add(l.Lag, l.Group, l.Topic) })
	sums.emit(emit)
}

func (s *Status) eachCommit(emit emitter) {
	for _, l := range s.GroupLags {
		if l.Committed >= 0 {
			emit(float64(l.Committed), l.Group, l.Topic, decimal(l.Partition))
		}
	}
}

func (s *Status) sumCommits(emit emitter) {
	var sums sums
	for _, l := range s.GroupLags {
		if l.Committed >= 0 {
			sums.add(l.Committed, l.Group, l.Topic)
		}
	}
	sums.emit(emit)
}

func (s *Status) eachMembers(emit emitter) {
	for _, g := range s.Groups {
		if g.Members >= 0 {
			emit(float64(g.Members), g.Name)
		}
	}
}

func (s *Status) eachEnd(emit emitter) {
	for _, l := range s.Logs {
		if l.End >= 0 {
			emit(float64(l.End), l.Topic, decimal(l.Partition))
		}
	}
}

func (s *Status) eachStart(emit emitter) {
	for _, l := range s.Logs {
		if l.Start >= 0 {
			emit(float64(l.Start), l.Topic, decimal(l.Partition))
		}
	}
}

func (s *Status) sumEnds(emit emitter) {
	var sums sums
	for _, l := range s.Logs {
		if l.End >= 0 {
			sums.add(l.End, l.Topic)
		}
	}
	sums.emit(emit)
}

func (s *Status) countPartitions(emit emitter) {
	var sums sums
	for _, l := range s.Logs {
		sums.add(1, l.Topic)
	}
	sums.emit(emit)
}

// sums adds up by labels, in the order in which they first come.
type sums struct {
	labels [][]string
	totals []int64
}

func (s *sums) add(n int64, labels ...string) {
	for i := range s.labels {
		if slices.Equal(s.labels[i], labels) {
			s.totals[i] += n
			return
		}
	}
	s.labels, s.totals = append(s.labels, labels), append(s.totals, n)
}

func (s *sums) emit(emit emitter) {
	for i, labels := range s.labels {
		emit(float64(s.totals[i]), labels...)
	}
}
