package engine

// Counts are the counters of a report. Records = Ticks + Unreadable +
// Unusable + Tombstones; every other counter is a share of those.
type Counts struct {
	Records    int64 `json:"records"`
	Ticks      int64 `json:"ticks"`
	Unreadable int64 `json:"unreadable"`
	Unusable   int64 `json:"unusable"`
	Tombstones int64 `json:"tombstones"`
	NullKeys   int64 `json:"null_keys"`
	EmptyKeys  int64 `json:"empty_keys"`
	KeyDiffers int64 `json:"key_mismatches"` // the key does not spell the value's symbol
	Duplicates int64 `json:"duplicates"`     // redelivered ticks
	Disorder   int64 `json:"disorder"`       // ticks older than their symbol's last accepted one
	Old        int64 `json:"old"`            // ticks older than the staleness budget
	Ahead      int64 `json:"ahead"`          // ticks ahead of the clock by more than the tolerance
	Late       int64 `json:"late"`           // records whose own window was closed already
	KeyBytes   int64 `json:"key_bytes"`
	ValueBytes int64 `json:"value_bytes"`
}

// Add adds d to c.
func (c *Counts) Add(d *Counts) {
	c.Records += d.Records
	c.Ticks += d.Ticks
	c.Unreadable += d.Unreadable
	c.Unusable += d.Unusable
	c.Tombstones += d.Tombstones
	c.NullKeys += d.NullKeys
	c.EmptyKeys += d.EmptyKeys
	c.KeyDiffers += d.KeyDiffers
	c.Duplicates += d.Duplicates
	c.Disorder += d.Disorder
	c.Old += d.Old
	c.Ahead += d.Ahead
	c.Late += d.Late
	c.KeyBytes += d.KeyBytes
	c.ValueBytes += d.ValueBytes
}
