package main

import (
	"context"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/config"
	"github.com/auditstream/auditstream/internal/kafka"
	"github.com/auditstream/auditstream/topology"
)

// preflight makes sure that an audit can start before it joins anything: the
// groups are free, the tick topics exist, and the topics of its own exist with
// the right partition counts or are made.
func preflight(ctx context.Context, a *kafka.Admin, c *config.Config) (kafka.Prepared, error) {
	names := topology.NamesOf(c.Name)
	for _, group := range []string{names.Group, names.DistributionGroup} {
		if err := a.GroupInUse(ctx, group, c.InstanceID); err != nil {
			return kafka.Prepared{}, err
		}
	}
	return a.EnsureTopics(ctx, c.Topology())
}

// limitsOf turns the configured thresholds into those that findings are judged
// by.
func limitsOf(c *config.Config) engine.Limits {
	limits := engine.DefaultLimits()
	limits.MaxTickAge = c.MaxTickAge
	limits.MaxSymbolSilence, limits.AutoSilence = c.MaxSymbolSilence, c.AutoSilence
	if c.Calendar != nil {
		limits.Calendar = c.Calendar
	}
	limits.ClockSkewTolerance = c.ClockSkewTolerance
	limits.PartitionSkew = c.PartitionSkewThreshold
	limits.PartitionSkewMin = c.PartitionSkewMinTicks
	limits.MaxLagTicks = c.MaxLagTicks
	limits.MaxLag = c.MaxLag
	limits.ReportInterval = c.ReportInterval
	limits.FindingsPerReport = c.FindingsMaxPerReport
	limits.Partitioner = c.Partitioner
	limits.ProducerHeader = c.FieldProducer
	limits.OffsetBasis = c.OffsetBasis
	limits.NormalizeUpper = c.SymbolNormalize == "upper"
	limits.OrderByVenue, limits.Sequences = c.ByVenue(), c.Sequenced()
	limits.SequenceFiltered = c.SequenceFilteredVenues
	limits.BackfillMin = c.BackfillMinRecords
	limits.LateTolerance, limits.LateVenues = c.LateReportTolerance, c.LateReportVenues
	limits.Unit, _ = engine.ParseUnit(c.FieldTimestampUnit)
	limits.UncommittedReads = kafka.ReadsUncommitted(c)
	return limits
}
