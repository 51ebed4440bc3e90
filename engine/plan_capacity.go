package engine

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// CapacityNeeds is what an audit has to keep up with.
type CapacityNeeds struct {
	TicksPerSecond float64 // over all partitions
	Symbols        int64
	Partitions     int32
	Instances      int32
	Checkpoint     time.Duration // checkpoint.interval.ms
	Report         time.Duration // report.interval.ms
}

// CapacityPlan is what the audit then costs. Rates are over all instances.
type CapacityPlan struct {
	CoresPerInstance  float64
	MemoryPerInstance int64   // bytes of live heap, of the one that judges the topic
	FetchPerInstance  float64 // ticks/s
	RowsPerSecond     float64 // of the table topic
	RowBytesPerSecond float64
	StatsPerSecond    float64 // records of the distribution topic
	StatsBytesPerS    float64
	ReportsPerSecond  float64 // of the audit topic while nothing is found
	ReportBytesPerS   float64
	TableBytes        int64         // what a compacted table holds
	Recovery          time.Duration // of an instance that starts with an empty table cache
}

// Costs of the audit, measured as docs/scaling.md tells.
const (
	capacityTickCPU        = 1.3e-6  // seconds of a core a tick, fetching included
	capacityBusy           = 0.7     // share of a core that is planned for
	capacitySymbolBytes    = 200     // of a symbol in memory
	capacityTopicBytes     = 250     // of a symbol in the memory of the instance that judges its topic
	capacityPartitionBytes = 1 << 20 // of a partition in memory, what is fetched ahead included
	capacityProcessBytes   = 64 << 20
	capacityRowBytes       = 130 // of a symbol's row on the table topic, record and key included
	capacityStatsBytes     = 1_200
	capacityReportBytes    = 4_000
	capacityRecoveryRows   = 0.25e6 // rows/s that an instance reads back
	capacityTableFactor    = 2      // rows in a table that compaction keeps clean to half
)

// PlanCapacity says what an audit costs, by this model:
//
//  1. Ticks and partitions spread evenly over instances. A symbol ticks rate ÷
//     symbols times a second, at random.
//  2. cores = ticks/s × 1.3 µs ÷ 0.7.
//  3. memory = 64 MiB + 200 B a symbol + 1 MiB a partition, and 250 B for each
//     symbol of all partitions, which any instance may come to judge; live: a
//     heap of Go's may grow to twice that and more before it is collected.
//  4. A checkpoint writes a row for each symbol that has ticked since the one
//     before: symbols × (1 − e^(−rate × interval ÷ symbols)).
//  5. Statistics: a record a partition and checkpoint. Reports: one a partition
//     and report interval, and one of the topic.
//  6. recovery = 2 rows a symbol of the instance ÷ 250 000 rows/s.
//
// An error says which need is not positive.
func PlanCapacity(needs CapacityNeeds) (CapacityPlan, error) {
	if err := needs.check(); err != nil {
		return CapacityPlan{}, err
	}
	instances, symbols, partitions := float64(needs.Instances), float64(needs.Symbols), float64(needs.Partitions)
	each := needs.TicksPerSecond / instances
	interval := needs.Checkpoint.Seconds()
	dirty := symbols * -math.Expm1(-needs.TicksPerSecond*interval/symbols)
	plan := CapacityPlan{
		CoresPerInstance: each * capacityTickCPU / capacityBusy,
		MemoryPerInstance: int64(capacityProcessBytes + math.Ceil(symbols/instances)*capacitySymbolBytes + symbols*capacityTopicBytes +
			math.Ceil(partitions/instances)*capacityPartitionBytes),
		FetchPerInstance: each,
		RowsPerSecond:    (dirty + partitions) / interval,
		StatsPerSecond:   partitions / interval,
		ReportsPerSecond: (partitions + 1) / needs.Report.Seconds(),
		TableBytes:       int64(capacityTableFactor * symbols * capacityRowBytes),
		Recovery:         time.Duration(capacityTableFactor * symbols / instances / capacityRecoveryRows * float64(time.Second)),
	}
	plan.RowBytesPerSecond = plan.RowsPerSecond * capacityRowBytes
	plan.StatsBytesPerS = plan.StatsPerSecond * capacityStatsBytes
	plan.ReportBytesPerS = plan.ReportsPerSecond * capacityReportBytes
	return plan, nil
}

func (n CapacityNeeds) check() error {
	faults := []error{checkRate(n.TicksPerSecond)}
	if n.Symbols <= 0 {
		faults = append(faults, fmt.Errorf("symbols %d: at least 1 ticks", n.Symbols))
	}
	if n.Partitions <= 0 {
		faults = append(faults, fmt.Errorf("partitions %d: a topic has at least 1", n.Partitions))
	}
	if n.Instances <= 0 {
		faults = append(faults, fmt.Errorf("instances %d: at least 1 audits", n.Instances))
	} else if n.Instances > n.Partitions && n.Partitions > 0 {
		faults = append(faults, fmt.Errorf("instances %d: %d partitions keep no more than %d busy", n.Instances, n.Partitions, n.Partitions))
	}
	if n.Checkpoint <= 0 || n.Report <= 0 {
		faults = append(faults, errors.New("intervals: not a positive time"))
	}
	return errors.Join(faults...)
}
