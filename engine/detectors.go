package engine

// detector judges one code. Its functions are called in the order of the
// list; a nil function is not called.
type detector struct {
	code Code
	// record judges records that are no good tick, or have no key: most are
	// neither, and are spared the calls.
	record func(p *Partition, t *Tick)
	// tick judges every good tick that its symbol has not judged yet.
	tick func(p *Partition, s *symbol, t *Tick)
	// describe fills a finding's numbers, cause and evidence from an episode.
	describe func(p *Partition, e *Episode, f *Finding)
	// lasting is not 0 for a code whose episodes do not end by quiet time.
	lasting int
}

// detectors is the ordered list of what judges records and ticks. Findings
// across partitions (OFFSET_INCONSISTENCY of groups, CONSUMER_LAG, PARTITION_UNBALANCED,
// SYMBOL_SPLIT, spellings of KEY_MISMATCH, REBALANCE_STORM) are judged by
// Topic. It is filled by init to let describe functions refer to it.
var detectors []detector

// Of each function that is called for every record and tick, those that are
// there, in the order of the list.
var (
	recordDetectors []func(p *Partition, t *Tick)
	tickDetectors   []func(p *Partition, s *symbol, t *Tick)
)

func init() {
	detectors = []detector{
		{code: UnreadableValue, record: detectUnreadable, describe: describeUnreadable},
		{code: FormatMixed, describe: describeFormatMixed},
		{code: SchemaUnknown, record: detectSchemaUnknown, describe: describeSchemaUnknown},
		{code: TimestampUnusable, record: detectTimestampUnusable, describe: describeTimestampUnusable},
		{code: KeyMissing, record: detectKeyMissing, describe: describeKeyMissing},
		{code: KeyEmpty, record: detectKeyEmpty, describe: describeKeyEmpty},
		{code: Redelivered, tick: detectRedelivered, describe: describeRedelivered},
		{code: KeyMismatch, tick: detectKeyMismatch, describe: describeKeyMismatch},
		{code: ClockSkew, tick: detectClockSkew},
		{code: StaleTick, tick: detectOldTick, describe: describeStaleTick},
		{code: UpstreamDisorder, tick: detectUpstreamDisorder},
		{code: Backfill, describe: describeBackfill},
		{code: SequenceGap, describe: describeSequenceGap},
		{code: TimestampUnitChanged, describe: describeUnitChanged},
		{code: OffsetInconsistency, describe: describeTruncated},
		{code: RecordsLost, describe: describeRecordsLost},
		{code: AuditorBehind, describe: describeAuditorBehind, lasting: 1},
	}
	for _, d := range detectors {
		if d.record != nil {
			recordDetectors = append(recordDetectors, d.record)
		}
		if d.tick != nil {
			tickDetectors = append(tickDetectors, d.tick)
		}
	}
}
