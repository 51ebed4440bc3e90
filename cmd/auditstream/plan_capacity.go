package main

import (
	"math"
	"time"

	"github.com/spf13/cobra"

	"github.com/auditstream/auditstream/engine"
)

func (a *app) planCapacityCommand() *cobra.Command {
	var needs engine.CapacityNeeds
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "capacity --rate R --symbols S --partitions P [--instances N]",
		Short: "Size an audit: cores, memory, rates of its topics, recovery",
		Long: `Size an audit of R ticks a second, S symbols and P partitions over N instances.

Constants are measured and the model is told in docs/scaling.md. Rates are
those of all instances together while nothing is found.`,
		Example: "  auditstream plan capacity --rate 100000000 --symbols 1000000 --partitions 10000 --instances 50",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			plan, err := engine.PlanCapacity(needs)
			if err != nil {
				return usageError{err}
			}
			o := newPlanOutput(a.out, asJSON)
			if err := capacitySettings(plan).write(o); err != nil {
				return err
			}
			return o.flush()
		},
	}
	cmd.Flags().Float64Var(&needs.TicksPerSecond, "rate", 0, "ticks a second over all partitions")
	cmd.Flags().Int64Var(&needs.Symbols, "symbols", 0, "symbols that tick")
	cmd.Flags().Int32Var(&needs.Partitions, "partitions", 0, "partitions of the tick topics")
	cmd.Flags().Int32Var(&needs.Instances, "instances", 1, "processes of the audit")
	cmd.Flags().DurationVar(&needs.Checkpoint, "checkpoint", time.Second, "checkpoint.interval.ms")
	cmd.Flags().DurationVar(&needs.Report, "report", 10*time.Second, "report.interval.ms")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object")
	return cmd
}

func capacitySettings(plan engine.CapacityPlan) settingsObject {
	whole := func(x float64) int64 { return int64(math.Ceil(x)) }
	return settingsObject{
		{Name: "instance.ticks_per_second", Value: whole(plan.FetchPerInstance)},
		{Name: "instance.cores", Value: math.Ceil(plan.CoresPerInstance*10) / 10},
		{Name: "instance.memory.bytes", Value: plan.MemoryPerInstance},
		{Name: "instance.recovery.ms", Value: plan.Recovery.Milliseconds()},
		{Name: "table.rows_per_second", Value: whole(plan.RowsPerSecond)},
		{Name: "table.bytes_per_second", Value: whole(plan.RowBytesPerSecond)},
		{Name: "table.bytes", Value: plan.TableBytes},
		{Name: "distribution.records_per_second", Value: whole(plan.StatsPerSecond)},
		{Name: "distribution.bytes_per_second", Value: whole(plan.StatsBytesPerS)},
		{Name: "audit.reports_per_second", Value: whole(plan.ReportsPerSecond)},
		{Name: "audit.bytes_per_second", Value: whole(plan.ReportBytesPerS)},
	}
}
