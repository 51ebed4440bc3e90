package engine

// TopicRow is one durable row of a topic's state. Exactly one of its values
// is set, or none in a row that deletes the key.
type TopicRow struct {
	Key    string       `json:"key"` // t, p/<partition>, w/<window start>, s/<symbol>
	State  *TopicState  `json:"state,omitempty"`
	Part   *TopicPart   `json:"part,omitempty"`
	Window *TopicWindow `json:"window,omitempty"`
	Symbol *TopicSymbol `json:"symbol,omitempty"`
}

// Deletes reports whether the row removes its key.
func (r *TopicRow) Deletes() bool {
	return r.State == nil && r.Part == nil && r.Window == nil && r.Symbol == nil
}

// TopicState is what is neither a partition's, a window's nor a symbol's.
type TopicState struct {
	Partitions int32          `json:"partitions"`
	Episodes   []TopicEpisode `json:"episodes,omitempty"`
	Calm       int            `json:"calm,omitempty"`  // windows in a row below the skew limit
	Ended      string         `json:"ended,omitempty"` // FINAL report written last
}

// TopicEpisode is an open finding of the topic.
type TopicEpisode struct {
	Subject string  `json:"subject"`
	Finding Finding `json:"finding"`
}

// TopicPart is what the topic knows of one partition.
type TopicPart struct {
	Stats  PartitionStats `json:"stats"`  // the last, without windows, sightings and findings
	Open   []Finding      `json:"open"`   // open findings, bounded
	Closed Counts         `json:"closed"` // cumulative at the last window of the topic that is closed
	Last   int64          `json:"last"`   // start of the last window heard of
}

// TopicWindow is a window that not every partition has passed yet.
type TopicWindow struct {
	Start int64                 `json:"start"`
	Loads map[int32]*WindowLoad `json:"loads"`
}

// TopicSymbol is where a symbol has been seen.
type TopicSymbol struct {
	Partitions int32         `json:"partitions"` // partition count of the topic at the time
	Places     []SymbolPlace `json:"places"`
	Split      bool          `json:"split,omitempty"`
}

// SymbolPlace is a symbol on one partition.
type SymbolPlace struct {
	Partition int32  `json:"partition"`
	Offset    int64  `json:"first_offset"`
	Count     int64  `json:"count"` // at least; told at powers of ten
	Key       string `json:"key"`
	Time      int64  `json:"-"`
}

// TopicSnapshot is what a checkpoint makes durable for a topic.
type TopicSnapshot struct {
	Topic   string
	Rows    []TopicRow
	Reports []*Report

	keys []string
}
