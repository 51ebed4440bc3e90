package engine

import (
	"maps"
	"slices"
	"strconv"
)

// TopicRow is one durable row of a topic's state. Exactly one of its values
// is set, or none in a row that deletes the key.
//
// Keys: t for the state, p/<partition>, r/<partition> for its ranking,
// w/<window start>, s/<symbol>,
// f/<subject> for an open finding of the topic, h/<id> for one that a
// partition has told, g/<partition>/<group> for a watched group's commit.
type TopicRow struct {
	Key     string        `json:"key"`
	State   *TopicState   `json:"state,omitempty"`
	Part    *TopicPart    `json:"part,omitempty"`
	Window  *TopicWindow  `json:"window,omitempty"`
	Symbol  *TopicSymbol  `json:"symbol,omitempty"`
	Episode *TopicEpisode `json:"episode,omitempty"`
	Heard   *Finding      `json:"heard,omitempty"`
	Group   *TopicGroup   `json:"group,omitempty"`
	Ranks   *TopicRanks   `json:"ranks,omitempty"`
}

// Deletes reports whether the row removes its key.
func (r *TopicRow) Deletes() bool {
	return r.State == nil && r.Part == nil && r.Window == nil && r.Symbol == nil && r.Episode == nil && r.Heard == nil && r.Group == nil && r.Ranks == nil
}

// TopicState is what is neither a partition's, a window's, a symbol's nor a
// finding's.
type TopicState struct {
	Partitions int32            `json:"partitions"`
	ClosedTo   int64            `json:"closed_to"`            // start of the last closed window, NoTime: none
	Calm       int              `json:"calm,omitempty"`       // windows in a row below the skew limit
	Ended      string           `json:"ended,omitempty"`      // FINAL report written last
	Generation int              `json:"generation,omitempty"` // times that the topic was re-created
	Anew       int              `json:"anew,omitempty"`       // windows closed since the last time
	Past       map[string]int64 `json:"past,omitempty"`       // findings that are over, by subject
	Growths    []Growing        `json:"growths,omitempty"`    // rises of the partition count, the smallest first
	TopicID    string           `json:"topic_id,omitempty"`   // Kafka's id of the topic
	Former     []string         `json:"former,omitempty"`     // ids of topics of its name that are gone, the last at the end
}

// TopicEpisode is an open finding of the topic.
type TopicEpisode struct {
	Subject string  `json:"subject"`
	Finding Finding `json:"finding"`
	Told    int64   `json:"told"` // when it was told last, NoTime: unknown
}

// TopicPart is what the topic knows of one partition.
type TopicPart struct {
	Stats      PartitionStats `json:"stats"`                // the last, without lists
	Closed     Counts         `json:"closed"`               // cumulative at the last window of the topic that is closed
	Last       int64          `json:"last"`                 // start of the last window heard of
	Generation int            `json:"generation,omitempty"` // times that it started anew
	Settled    bool           `json:"settled,omitempty"`    // it has been read to its end once at today's partition count
	Skew       TopicSkew      `json:"skew"`                 // of the ticks ahead of the clock
}

// TopicRanks are the symbols of a partition that reports list, as of its last
// window.
type TopicRanks struct {
	Top  []SymbolLoad `json:"top,omitempty"`  // busiest, descending
	Late []SymbolLoad `json:"late,omitempty"` // with most late ticks, descending
}

// TopicWindow is a window that not every partition has passed yet.
type TopicWindow struct {
	Start   int64                 `json:"start"`
	Loads   map[int32]*WindowLoad `json:"loads"`
	TopicID string                `json:"topic_id,omitempty"` // of the topic whose window it is
}

// TopicSymbol is where a symbol has been seen. It has no places where no tick
// of it had a key.
type TopicSymbol struct {
	Partitions int32         `json:"partitions"` // partition count of the topic at the time
	Places     []SymbolPlace `json:"places"`
	Moved      bool          `json:"moved,omitempty"` // growth has moved it

	moves uint64 // growths that are counted for it, of those that are followed
}

// newTopicSymbol has room for the one place that most symbols have: with a
// million of them each allocation is worth sparing.
func newTopicSymbol(partitions int32) *TopicSymbol {
	s := &struct {
		TopicSymbol
		place [1]SymbolPlace
	}{TopicSymbol: TopicSymbol{Partitions: partitions}}
	s.Places = s.place[:0]
	return &s.TopicSymbol
}

// SymbolPlace is a symbol on one partition.
type SymbolPlace struct {
	Partition int32 `json:"partition"`
	Old       bool  `json:"old,omitempty"`     // from before the partition count grew
	Fits      Fits  `json:"fits,omitempty"`    // functions that put the key there
	Spelled   bool  `json:"spelled,omitempty"` // the key is the symbol
	counted   bool  // its key is among those that are counted

	Offset int64  `json:"first_offset"`
	Count  int64  `json:"count"` // ticks with a key; at least, as they are told at powers of ten and at the end
	Key    string `json:"key"`
	Since  int64  `json:"since,omitempty"` // record time of its first tick

	FirstEvent int64 `json:"first_event"` // event time of its first tick, NoTime: not known
	LastEvent  int64 `json:"last_event"`  // greatest event time told, NoTime: none
	Seen       int64 `json:"seen"`        // when it ticked last, as told

	Venues []VenueTimes `json:"venues,omitempty"` // by venue, escaped, ascending; where field.venue is set
}

// TopicSnapshot is what a checkpoint makes durable for a topic.
type TopicSnapshot struct {
	Topic   string
	Rows    []TopicRow
	Reports []*Report

	keys []string
}

func partKey(id int32) string { return "p/" + strconv.Itoa(int(id)) }

func rankKey(id int32) string { return "r/" + strconv.Itoa(int(id)) }

func windowKey(start int64) string { return "w/" + strconv.FormatInt(start, 10) }

// Snapshot takes everything that is not durable yet. When it cannot be made
// durable it must be given back with Return.
func (t *Topic) Snapshot() *TopicSnapshot {
	s := &TopicSnapshot{Topic: t.name, Reports: t.out, keys: slices.Sorted(maps.Keys(t.changed))}
	for _, k := range s.keys {
		s.Rows = append(s.Rows, t.row(k))
	}
	t.changed, t.out, t.urgent = map[string]bool{}, nil, false
	return s
}

// Return takes back a snapshot that did not become durable.
func (t *Topic) Return(s *TopicSnapshot) {
	for _, k := range s.keys {
		t.changed[k] = true
	}
	t.out = append(s.Reports, t.out...)
	t.urgent = t.urgent || len(s.Reports) > 0
}

// row is the durable row of a key as it stands.
func (t *Topic) row(key string) TopicRow {
	r := TopicRow{Key: key}
	switch key[0] {
	case 't':
		st := t.state
		st.Past, st.Growths, st.Former = maps.Clone(st.Past), slices.Clone(st.Growths), slices.Clone(st.Former)
		r.State = &st
	case 'p':
		id, _ := strconv.ParseInt(key[2:], 10, 32)
		if p := t.parts[int32(id)]; p != nil {
			c := *p
			r.Part = &c
		}
	case 'r':
		id, _ := strconv.ParseInt(key[2:], 10, 32)
		if ranks := t.ranks[int32(id)]; ranks != nil {
			c := *ranks
			r.Ranks = &c
		}
	case 'w':
		start, _ := strconv.ParseInt(key[2:], 10, 64)
		if w := t.windows[start]; w != nil {
			r.Window = &TopicWindow{w.Start, maps.Clone(w.Loads), w.TopicID}
		}
	case 's':
		if s := t.symbols[key[2:]]; s != nil {
			r.Symbol = &TopicSymbol{Partitions: s.Partitions, Places: slices.Clone(s.Places), Moved: s.Moved}
			for i := range r.Symbol.Places {
				r.Symbol.Places[i].Venues = slices.Clone(r.Symbol.Places[i].Venues)
			}
		}
	case 'f':
		if e := t.open[key[2:]]; e != nil {
			r.Episode = &TopicEpisode{e.Subject, e.Finding.copied(), e.Told}
		}
	case 'g':
		if l := t.lag[key[2:]]; l != nil {
			g := l.TopicGroup
			r.Group = &g
		}
	case 'h':
		if f, ok := t.heard[key[2:]]; ok {
			r.Heard = &f
		}
	}
	return r
}

// Restore takes a durable row in recovery; of rows of one key, the one
// written last comes last.
func (t *Topic) Restore(r TopicRow) {
	if len(r.Key) == 0 || r.Key != "t" && (len(r.Key) < 2 || r.Key[1] != '/') {
		return
	}
	switch r.Key[0] {
	case 't':
		if r.State != nil && !(t.kept && r.State.before(&t.state)) {
			t.state, t.kept = *r.State, true
		}
	case 'p':
		if id, err := strconv.ParseInt(r.Key[2:], 10, 32); err == nil {
			t.restorePart(int32(id), r.Part)
		}
	case 'r':
		if id, err := strconv.ParseInt(r.Key[2:], 10, 32); err == nil {
			if delete(t.ranks, int32(id)); r.Ranks != nil {
				t.ranks[int32(id)] = r.Ranks
			}
		}
	case 'w':
		if start, err := strconv.ParseInt(r.Key[2:], 10, 64); err == nil {
			t.restoreWindow(start, r.Window)
		}
	case 's':
		t.restoreSymbol(r.Key[2:], r.Symbol)
	case 'f':
		t.restoreEpisode(r.Key[2:], r.Episode)
	case 'g':
		t.restoreGroup(r.Key[2:], r.Group)
	case 'h':
		t.restoreHeard(r.Key[2:], r.Heard)
	}
}

// before reports that the state is from before another one of the same topic:
// its row was written late, by a process that had stood still while its
// successor wrote.
func (s *TopicState) before(other *TopicState) bool {
	return s.TopicID == other.TopicID && s.Generation == other.Generation && s.ClosedTo < other.ClosedTo
}

// restorePart leaves out a row that was written late.
func (t *Topic) restorePart(id int32, p *TopicPart) {
	old := t.parts[id]
	if p != nil && old != nil && old.Stats.TopicID == p.Stats.TopicID &&
		speaksLess(p.Stats.Cuts, p.Stats.Through, old.Stats.Cuts, old.Stats.Through) {
		return
	}
	t.sums = partSums{}
	if delete(t.parts, id); p != nil {
		t.parts[id] = p
	}
}

// restoreWindow keeps the loads that an earlier row had: a window gains loads
// and loses none, and a row without one was written late.
func (t *Topic) restoreWindow(start int64, w *TopicWindow) {
	old := t.windows[start]
	if delete(t.windows, start); w == nil {
		return
	}
	if old != nil && old.TopicID == w.TopicID {
		if w.Loads == nil {
			w.Loads = map[int32]*WindowLoad{}
		}
		for id, l := range old.Loads {
			if w.Loads[id] == nil {
				w.Loads[id] = l
			}
		}
	}
	t.windows[start] = w
}

func (t *Topic) restoreSymbol(name string, s *TopicSymbol) {
	if delete(t.symbols, name); s != nil {
		t.symbols[name] = s
		t.noteWide(name, s)
		if len(s.Places) > 0 {
			t.addSpelling(name)
		}
	} else {
		delete(t.wide, name)
		t.dropSpelling(name)
	}
}

func (t *Topic) restoreEpisode(subject string, e *TopicEpisode) {
	if old := t.open[subject]; old != nil {
		t.stand(&old.Finding, -1)
	}
	if delete(t.open, subject); e != nil {
		if e.Finding.Evidence == nil {
			e.Finding.Evidence = map[string]any{}
		}
		t.open[subject] = e
		t.stand(&e.Finding, 1)
	}
}

func (t *Topic) restoreHeard(id string, f *Finding) {
	if old, ok := t.heard[id]; ok {
		t.stand(&old, -1)
	}
	if delete(t.heard, id); f != nil {
		t.heard[id] = *f
		t.stand(f, 1)
	}
}
