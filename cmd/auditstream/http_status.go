package main

import (
	"time"

	"github.com/auditstream/auditstream/internal/httpapi"
	"github.com/auditstream/auditstream/processors"
)

// httpStatus is the audit's status in the terms of its HTTP interface.
func httpStatus(s processors.Stats) httpapi.Status {
	status := httpapi.Status{
		NotReady: s.NotReady, Open: s.Open, Opened: s.Opened, Rebalances: s.Rebalances,
		Checkpoints: httpapi.Durations{
			Count: s.Checkpoints, Sum: time.Duration(s.CheckpointSeconds * float64(time.Second)), Buckets: map[time.Duration]uint64{},
		},
	}
	if !s.Ready && len(s.NotReady) == 0 {
		status.NotReady = []string{"the audit has not started"}
	}
	for i, count := range s.CheckpointBuckets {
		status.Checkpoints.Buckets[processors.CheckpointBounds[i]] = count
	}
	for _, p := range s.Partitions {
		status.Partitions = append(status.Partitions, httpapi.Partition{
			Topic: p.Topic, Partition: p.Partition, Records: p.Counts.Records, Ticks: p.Counts.Ticks, Lag: p.Lag,
		})
	}
	for _, l := range s.Lags {
		status.GroupLags = append(status.GroupLags, httpapi.GroupLag{Group: l.Group, Topic: l.Topic, Partition: l.Partition, Lag: l.Lag})
	}
	return status
}
