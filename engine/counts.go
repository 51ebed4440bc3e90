package engine

// Counts are the counters of a report. A record may hold several ticks, and
// one may be known to hold none: Records + Batched = Ticks + Unreadable +
// Unusable + Tombstones + Ignored. Every other counter is a share of those.
type Counts struct {
	Records      int64 `json:"records"`
	Ticks        int64 `json:"ticks"`
	Unreadable   int64 `json:"unreadable"`
	Unusable     int64 `json:"unusable"`
	Tombstones   int64 `json:"tombstones"`
	Ignored      int64 `json:"ignored"`                // messages of a feed that are no ticks
	Batched      int64 `json:"batched"`                // items beyond the first of their record
	RecordTimed  int64 `json:"record_timed,omitempty"` // ticks without a time of their own, judged by their record's
	NullKeys     int64 `json:"null_keys"`
	EmptyKeys    int64 `json:"empty_keys"`
	KeyDiffers   int64 `json:"key_mismatches"`          // the key does not spell the value's symbol
	Duplicates   int64 `json:"duplicates"`              // redelivered ticks
	Disorder     int64 `json:"disorder"`                // ticks older than their symbol's last accepted one
	Old          int64 `json:"old"`                     // ticks older than the staleness budget
	Ahead        int64 `json:"ahead"`                   // ticks ahead of the clock by more than the tolerance
	Late         int64 `json:"late"`                    // records whose own window was closed already
	LateReports  int64 `json:"late_reports,omitempty"`  // ticks behind by no more than what is tolerated
	Backfilled   int64 `json:"backfilled,omitempty"`    // ticks of backfills, but for those counted as disorder before
	SequenceGaps int64 `json:"sequence_gaps,omitempty"` // ticks in front of which sequence numbers are missing
	KeyBytes     int64 `json:"key_bytes"`
	ValueBytes   int64 `json:"value_bytes"`
}

// count counts a record, or a further item of one.
func (c *Counts) count(t *Tick) {
	if t.Item == 0 {
		c.Records++
		c.KeyBytes += int64(len(t.Key))
		c.ValueBytes += int64(len(t.Value))
		if t.Key == nil {
			c.NullKeys++
		} else if len(t.Key) == 0 {
			c.EmptyKeys++
		}
	} else {
		c.Batched++
	}
	switch t.Kind {
	case Good:
		c.Ticks++
		if t.Unit == UnitRecord {
			c.RecordTimed++
		}
	case Tombstone:
		c.Tombstones++
	case Unreadable:
		c.Unreadable++
	case Ignored:
		c.Ignored++
	default:
		c.Unusable++
	}
}

// Whole reports whether every record, and every further item of one, is
// counted as what it turned out to be.
func (c *Counts) Whole() bool {
	return c.Records+c.Batched == c.Ticks+c.Unreadable+c.Unusable+c.Tombstones+c.Ignored
}

// timed are the ticks with a time of their own.
func (c *Counts) timed() int64 { return c.Ticks - c.RecordTimed }

// Add adds d to c.
func (c *Counts) Add(d *Counts) {
	c.Records += d.Records
	c.Ticks += d.Ticks
	c.Unreadable += d.Unreadable
	c.Unusable += d.Unusable
	c.Tombstones += d.Tombstones
	c.Ignored += d.Ignored
	c.Batched += d.Batched
	c.RecordTimed += d.RecordTimed
	c.NullKeys += d.NullKeys
	c.EmptyKeys += d.EmptyKeys
	c.KeyDiffers += d.KeyDiffers
	c.Duplicates += d.Duplicates
	c.Disorder += d.Disorder
	c.Old += d.Old
	c.Ahead += d.Ahead
	c.Late += d.Late
	c.LateReports += d.LateReports
	c.Backfilled += d.Backfilled
	c.SequenceGaps += d.SequenceGaps
	c.KeyBytes += d.KeyBytes
	c.ValueBytes += d.ValueBytes
}
