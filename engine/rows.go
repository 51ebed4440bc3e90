package engine

// SymbolRow is the durable state of one symbol on one partition. It speaks
// up to the offset Through: a tick at or below it is not applied again.
type SymbolRow struct {
	Symbol    string // exact bytes
	Through   int64
	Count     int64 // ticks judged
	Aside     int64 // of them those without a key, or put back by hand
	Disorder  int64 // of them older than the last accepted one
	First     int64 // offset of the first keyed tick
	LastEvent int64 // greatest accepted event time, NoTime before the first
	LastAhead int64 // the same of ticks far ahead of their record time
	Lead      int64 // greatest event time minus record time of the ticks behind LastEvent
	AheadLead int64 // the same of the ticks behind LastAhead; negative once two have shown it, 0: none
	LastSeen  int64 // when the last tick was seen: the partition's record time, live the clock
	WindowN   int64 // ticks in the partition's window of the last tick
	Sighted   bool  // a keyed tick has been told to the topic

	Partitions int32  // partition count at which the row was written, 0: not known
	Placed     bool   // the symbol's key was hashed at that count
	Fits       Fits   // functions that put the key on this partition
	KeySum     uint32 // hash of the key, 0: the key spells the symbol

	Cuts int64  // truncations of the log before the row was written
	Log  uint32 // LogOf the id of the topic that the row is about, 0: not known

	SilentFrom int64        // offset of the last tick before a silence that is told, -1: none
	Episode    *DisorderRow // open disorder episode, nil: none
	Pulse      *PulseRow    // what its staleness rests on, nil: it is not judged

	Unit     Unit        // unit of its last time where that is not the partition's, UnitAuto: it is
	Streams  []StreamRow // by venue; the one that has been quiet longest first
	Run      *RunRow     // old ticks that may be a backfill, nil: none
	Backfill *Episode    // open episode of BACKFILL, nil: none
	Gap      *Episode    // open episode of SEQUENCE_GAP, nil: none
}

// PulseRow is what the staleness of a symbol rests on beside LastSeen.
type PulseRow struct {
	Halted, Ended, Frozen bool
	Content               uint64 // of the last tick, 0: not known
	Same, From            int64  // ticks of that content; offset of the first
	Since, Event          int64  // when that was seen, and its event time
	Ticked, Changed       int64  // seconds of the last tick, and change of content, that are in the rates; NoTime: none
	Gaps, Changes         []uint16
}

// DisorderRow is an open episode of UPSTREAM_DISORDER.
type DisorderRow struct {
	FirstOffset, LastOffset int64
	FirstTime, LastTime     int64 // record times
	Count                   int64
	Worst, WorstOffset      int64 // nanoseconds; offset of the worst step
	Step                    int64 // the partition's record time at the last step
	Told                    int64 // the partition's record time at the last event

	Venues   map[string]int64 // steps by venue, escaped; nil where none is configured
	Numbered int64            // of the count, ticks whose sequence number shows it
	Into     string           // id of the BACKFILL that it resolves into; not kept, as it ends it
}

// PartitionRow is the durable state of one partition beside its symbols.
type PartitionRow struct {
	Topic      string   `json:"topic"`
	TopicID    string   `json:"topic_id,omitempty"` // Kafka's id of the topic the state is about
	Partition  int32    `json:"partition"`
	From       int64    `json:"from"`               // first offset judged, -1: none
	Through    int64    `json:"through"`            // last offset judged, -1: none
	Resumed    int64    `json:"resumed,omitempty"`  // offset at which reading went on behind lost records, 0: none were
	Cuts       int64    `json:"cuts,omitempty"`     // times that the log was truncated below what had been read
	Leap       int64    `json:"leap,omitempty"`     // record time far ahead of the others that is not believed yet, 0: none
	LeapTick   LeapTick `json:"leap_tick,omitzero"` // the tick of that record
	Counts     Counts   `json:"counts"`
	Keyed      int64    `json:"keyed"`          // ticks whose key is not empty
	Watermark  int64    `json:"watermark"`      // greatest record time
	Sure       int64    `json:"sure,omitempty"` // the same as more than one record without a time of its own shows it, 0: not known
	FirstTime  int64    `json:"first_time"`     // first record time
	SweptTo    int64    `json:"swept_to"`       // whole second of record time swept last
	ClosedTo   int64    `json:"closed_to"`      // end of the last closed window, NoTime: none
	Symbols    int64    `json:"symbols"`
	Disordered int64    `json:"disordered"`            // symbols with at least one late tick
	MaxAge     int64    `json:"max_age"`               // greatest clock minus event time, NoTime: none
	Units      uint8    `json:"units"`                 // bit set of units seen
	Unit       Unit     `json:"unit,omitempty"`        // unit of its first time
	UnitKind   string   `json:"unit_kind,omitempty"`   // last change of unit that was told
	UnitOffset int64    `json:"unit_offset,omitempty"` // where it was seen first

	Partitions int32          `json:"partitions,omitempty"` // partition count at which the row was written, 0: not known
	Fits       []FitTicks     `json:"fits,omitempty"`       // records by the functions that their key fits, at that count
	Producers  []ProducerFits `json:"producers,omitempty"`
	Window     WindowState    `json:"window"`
	Episodes   []Episode      `json:"episodes,omitempty"`
	Began      int64          `json:"began,omitempty"`     // record time at which the stream began, or went on after a break; 0: not known
	Remade     bool           `json:"remade,omitempty"`    // the topic was made anew while it was audited
	Format     Format         `json:"format,omitempty"`    // of the last value whose format is known
	Formats    []FormatRow    `json:"formats,omitempty"`   // values by format
	Snapshots  *Episode       `json:"snapshots,omitempty"` // old ticks that may be a subscription's first messages
	Shared     SharedNumbers  `json:"shared,omitzero"`
}

// WindowState is the open report window of a partition.
type WindowState struct {
	Start   int64  `json:"start"` // NoTime: none is open
	From    int64  `json:"from"`  // first offset counted, -1: none
	Through int64  `json:"through"`
	Counts  Counts `json:"counts"`
	Keyed   int64  `json:"keyed"`         // ticks whose key is not empty: the load for skew
	Symbols int64  `json:"symbols"`       // distinct symbols
	Hot     string `json:"hot,omitempty"` // busiest symbol, escaped
	HotN    int64  `json:"hot_n"`
	MaxAge  int64  `json:"max_age"`
	Usual   int64  `json:"usual,omitempty"` // load that windows before it lead to expect
}

// WindowLoad is a closed window as the topic needs it.
type WindowLoad struct {
	Start   int64  `json:"start"`
	Keyed   int64  `json:"keyed"`
	Ticks   int64  `json:"ticks"`
	Symbols int64  `json:"symbols"`
	Hot     string `json:"hot,omitempty"`
	HotN    int64  `json:"hot_n,omitempty"`
	MaxAge  int64  `json:"max_age"`
	Late    int64  `json:"late,omitempty"`    // records in it that are of a window before
	Missing int64  `json:"missing,omitempty"` // load that may come late: the clock closed it with less than usual
	Through int64  `json:"through"`           // last offset judged when the window closed
	Total   Counts `json:"total"`             // cumulative when the window closed
}

// SymbolLoad is a symbol with a count.
type SymbolLoad struct {
	Symbol string `json:"symbol"`
	Count  int64  `json:"count"`
}

// Sighting tells the topic that a symbol is on a partition: at its first keyed
// tick, again at each power of ten of its count, and at each checkpoint after
// which it has ticked while its key does not fit the function that most others
// follow. One without a key brings the rest up to date, and at the end all
// symbols are told once more.
type Sighting struct {
	Symbol  string `json:"symbol"`
	Offset  int64  `json:"offset"` // of the first tick
	Count   int64  `json:"count"`  // of its ticks with a key
	Key     string `json:"key"`    // escaped
	Time    int64  `json:"time"`
	Fits    Fits   `json:"fits,omitempty"`    // functions that put the key there
	Spelled bool   `json:"spelled,omitempty"` // the key is the symbol
	Before  bool   `json:"before,omitempty"`  // as the symbol stood when the partition count grew
	Closing bool   `json:"closing,omitempty"` // nothing more is to come
	Keyless bool   `json:"keyless,omitempty"` // the symbol is there, in ticks that show no place for a key; all else is unset

	FirstEvent int64 `json:"first_event"` // event time of its first tick there, NoTime: not of this sighting
	LastEvent  int64 `json:"last_event"`  // greatest accepted one, NoTime: none
	Seen       int64 `json:"seen"`        // the partition's record time at its last tick, live the clock

	Venues []VenueTimes `json:"venues,omitempty"` // its streams there, where field.venue is set
}

// VenueTimes are event times of a symbol's ticks from one venue on a partition.
type VenueTimes struct {
	Venue      string `json:"venue"`       // escaped
	FirstEvent int64  `json:"first_event"` // of its first tick there, NoTime: not known
	Offset     int64  `json:"first_offset,omitempty"`
	Time       int64  `json:"first_time,omitempty"` // record time of that tick
	LastEvent  int64  `json:"last_event"`           // greatest accepted one, NoTime: none
}

// PartitionStats is what the topic's state is folded from. Its numbers are
// cumulative and rest on Through, so a repeat changes nothing.
type PartitionStats struct {
	Topic      string     `json:"topic"`
	TopicID    string     `json:"topic_id,omitempty"` // Kafka's id of the topic
	Partition  int32      `json:"partition"`
	Partitions int32      `json:"partitions"` // partition count of the topic
	From       int64      `json:"from"`
	Through    int64      `json:"through"`
	Cuts       int64      `json:"cuts,omitempty"` // times that the log was truncated
	Counts     Counts     `json:"counts"`
	Keyed      int64      `json:"keyed"` // ticks whose key is not empty
	Symbols    int64      `json:"symbols"`
	Disordered int64      `json:"disordered"`
	Watermark  int64      `json:"watermark"`
	FirstTime  int64      `json:"first_time"`
	MaxAge     int64      `json:"max_age"`
	Units      uint8      `json:"units"`
	Passed     int64      `json:"passed"`          // every window that starts before it is closed
	CaughtUp   bool       `json:"caught_up"`       // the partition stood at its end
	Clock      *ClockStep `json:"clock,omitempty"` // the wall clock was set
	Reset      bool       `json:"reset,omitempty"` // totals start anew: the topic was re-created

	Fits      []FitTicks     `json:"fits,omitempty"` // records by the functions that their key fits
	Producers []ProducerFits `json:"producers,omitempty"`
	Windows   []WindowLoad   `json:"windows,omitempty"`
	Ranked    bool           `json:"ranked,omitempty"` // Top and Late are given; else they stand as before
	Top       []SymbolLoad   `json:"top,omitempty"`    // busiest symbols, descending
	Late      []SymbolLoad   `json:"late,omitempty"`   // symbols with most late ticks, descending
	Sightings []Sighting     `json:"sightings,omitempty"`
	Skews     []SkewPart     `json:"skews,omitempty"`    // of ticks ahead of the clock; the last may go on
	Findings  []Finding      `json:"findings,omitempty"` // changed since the last
}
