package engine

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// TopicNeeds is what a tick topic has to carry.
type TopicNeeds struct {
	TicksPerSecond float64       // at the peak
	BytesPerTick   float64       // key, value and headers as stored
	Consumers      int32         // members of the largest consumer group
	Keep           time.Duration // history that must stay readable
}

// TopicPlan are the settings of a topic that carries its needs.
type TopicPlan struct {
	Partitions     int32
	Replication    int16
	MinISR         int16
	RetentionBytes int64 // a partition, as Kafka's retention.bytes
	SegmentBytes   int64 // as Kafka's segment.bytes
	BytesPerSecond float64
	DiskBytes      int64 // most that all replicas together occupy
}

const (
	// planPartitionBytes is the mean load a partition is planned for, bytes a
	// second. It is half of the 10 MB/s that a partition's leader, followers
	// and one consumer keep up with on modest disks.
	planPartitionBytes = 5e6
	// planSkew is how much more than the mean the busiest partition may carry
	// before a topic is called unbalanced.
	planSkew = 2
	// planHeadroom multiplies the partitions: adding them later moves symbols.
	planHeadroom      = 2
	planMaxPartitions = 100_000
	mebibyte          = 1 << 20
)

// PlanTopic sizes a topic:
//
//  1. load = rate × size, in bytes a second, at least one: less than that
//     needs no less.
//  2. least = the larger of the number of consumers, each of which needs a
//     partition of its own, and load ÷ 5 MB/s, rounded up.
//  3. partitions = 2 × least, rounded up to a multiple of the consumers, so
//     that all of them have equally many. The factor is room to grow, because
//     adding partitions later moves symbols.
//  4. replication 3 and min.insync.replicas 2: with acks=all one broker may
//     fail without loss and without a stop.
//  5. retention.bytes = 2 × load × keep ÷ partitions, rounded up to 1 MiB.
//     Kafka bounds each partition on its own, and the busiest may carry twice
//     the mean (partition.skew.threshold): it too keeps its history.
//  6. segment.bytes = a quarter of retention.bytes, from 16 MiB to 1 GiB,
//     because Kafka removes whole segments.
//  7. disk = 3 replicas × partitions × (retention.bytes + segment.bytes).
//
// An error says which need is not positive, or that no topic carries them.
func PlanTopic(needs TopicNeeds) (TopicPlan, error) {
	if err := needs.check(); err != nil {
		return TopicPlan{}, err
	}
	load := max(needs.TicksPerSecond*needs.BytesPerTick, 1)
	consumers := float64(needs.Consumers)
	least := max(consumers, math.Ceil(load/planPartitionBytes))
	partitions := consumers * math.Ceil(planHeadroom*least/consumers)
	if partitions > planMaxPartitions {
		return TopicPlan{}, fmt.Errorf("%.0f partitions are more than one topic should have (%d): spread the symbols over several topics", partitions, planMaxPartitions)
	}
	retention := math.Ceil(planSkew*load*needs.Keep.Seconds()/partitions/mebibyte) * mebibyte
	segment := min(max(retention/4, 16*mebibyte), 1024*mebibyte)
	plan := TopicPlan{Partitions: int32(partitions), Replication: 3, MinISR: 2, BytesPerSecond: load}
	disk := float64(plan.Replication) * partitions * (retention + segment)
	if disk >= math.MaxInt64 {
		return TopicPlan{}, errors.New("the history does not fit into 2^63 bytes")
	}
	plan.RetentionBytes, plan.SegmentBytes, plan.DiskBytes = int64(retention), int64(segment), int64(disk)
	return plan, nil
}

func (n TopicNeeds) check() error {
	faults := []error{checkRate(n.TicksPerSecond)}
	switch {
	case !(n.BytesPerTick > 0):
		faults = append(faults, fmt.Errorf("size %v: not a positive number of bytes", n.BytesPerTick))
	case n.BytesPerTick > math.MaxInt32:
		faults = append(faults, fmt.Errorf("size %v: no record has more than %d bytes", n.BytesPerTick, math.MaxInt32))
	}
	if n.Consumers <= 0 {
		faults = append(faults, fmt.Errorf("consumers %d: at least 1 reads the topic", n.Consumers))
	}
	if n.Keep <= 0 {
		faults = append(faults, fmt.Errorf("history of %v: not a positive time", n.Keep))
	}
	return errors.Join(faults...)
}

// planMaxRate is more ticks a second than all markets together have.
const planMaxRate = 1e15

func checkRate(rate float64) error {
	switch {
	case !(rate > 0):
		return fmt.Errorf("rate %v: not a positive number of ticks a second", rate)
	case rate > planMaxRate:
		return fmt.Errorf("rate %v: not more than %v ticks a second can be planned for", rate, planMaxRate)
	}
	return nil
}
