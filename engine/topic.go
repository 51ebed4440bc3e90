package engine

import (
	"maps"
	"slices"
	"strconv"
)

// Topic folds the statistics of the partitions of one tick topic: skew,
// splits, spellings, lag and the reports of TOPIC scope. Statistics are
// cumulative, so that folding one twice changes nothing. It has no lock.
type Topic struct {
	name   string
	limits *Limits

	state   TopicState
	parts   map[int32]*TopicPart
	windows map[int64]*TopicWindow
	symbols map[string]*TopicSymbol
	folded  map[string]string   // spelling without case and separators -> first spelling
	open    map[string]*Finding // by subject: the topic's own open findings
	heard   map[string]Finding  // by id: open findings of partitions; in replay the ended ones too
	ended   []Finding           // in replay: the topic's own findings that are over
	lag     map[string]lagState

	maxLag    *int64
	lagging   int32
	unknown   string // what of the lag could not be measured
	skew      float64
	skewKnown bool

	changed map[string]bool
	out     []*Report
	urgent  bool
}

// NewTopic is the state of a topic with that many partitions, before the
// first statistics. The limits are shared and not changed.
func NewTopic(name string, partitions int32, l *Limits) *Topic {
	return &Topic{
		name: name, limits: l, state: TopicState{Partitions: partitions}, lagging: -1,
		parts: map[int32]*TopicPart{}, windows: map[int64]*TopicWindow{}, symbols: map[string]*TopicSymbol{},
		folded: map[string]string{}, open: map[string]*Finding{}, heard: map[string]Finding{},
		lag: map[string]lagState{}, changed: map[string]bool{},
	}
}

// Name is the topic's name.
func (t *Topic) Name() string { return t.name }

// Pending reports whether a finding was opened since the last snapshot.
func (t *Topic) Pending() bool { return t.urgent }

// Changed reports whether there is anything to make durable.
func (t *Topic) Changed() bool { return len(t.changed) > 0 || len(t.out) > 0 }

// Through is the last offset of a partition that the state rests on, -1
// before the first.
func (t *Topic) Through(partition int32) int64 {
	if p := t.parts[partition]; p != nil {
		return p.Stats.Through
	}
	return -1
}

// Fold takes a partition's statistics.
func (t *Topic) Fold(s *PartitionStats) {
	p := t.part(s.Partition)
	if s.Reset {
		t.recreated(s, p)
		*p = TopicPart{Last: NoTime}
	}
	if s.Partitions > t.state.Partitions {
		t.state.Partitions = s.Partitions
		t.changed["t"] = true
	}
	if s.Through >= p.Stats.Through {
		p.Stats = *s
		p.Stats.Windows, p.Stats.Sightings, p.Stats.Findings = nil, nil, nil
	}
	for i := range s.Windows {
		t.addWindow(p, s.Partition, &s.Windows[i])
	}
	for i := range s.Sightings {
		t.sight(s.Partition, &s.Sightings[i])
	}
	for i := range s.Findings {
		t.hear(p, &s.Findings[i])
	}
	t.changed["p/"+strconv.Itoa(int(s.Partition))] = true
	t.closeWindows(t.passed())
}

func (t *Topic) part(id int32) *TopicPart {
	p := t.parts[id]
	if p == nil {
		p = &TopicPart{Last: NoTime, Stats: PartitionStats{
			Topic: t.name, Partition: id, From: -1, Through: -1, Watermark: NoTime, FirstTime: NoTime, MaxAge: NoTime, Passed: NoTime,
		}}
		t.parts[id] = p
	}
	return p
}

// hear notes a finding of a partition as it stands now.
func (t *Topic) hear(p *TopicPart, f *Finding) {
	if old, ok := t.heard[f.ID]; ok && old.State == Resolved && f.State != Resolved {
		return // a repeat of what is over
	}
	p.Open = slices.DeleteFunc(p.Open, func(o Finding) bool { return o.ID == f.ID })
	if f.State == Resolved && !t.limits.Replay {
		delete(t.heard, f.ID)
		return
	}
	g := *f
	if g.State == Opened {
		g.State = Updated
	}
	t.heard[f.ID] = g
	if f.State != Resolved && len(p.Open) < t.limits.FindingsPerReport {
		p.Open = append(p.Open, g)
	}
}

// Sweep tells the time to the topic, about once a second while live.
func (t *Topic) Sweep(int64) { t.closeWindows(t.passed()) }

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
		for _, k := range slices.Sorted(maps.Keys(t.open)) {
			st.Episodes = append(st.Episodes, TopicEpisode{k, t.open[k].copied()})
		}
		r.State = &st
	case 'p':
		id, _ := strconv.Atoi(key[2:])
		c := *t.parts[int32(id)]
		c.Open = slices.Clone(c.Open)
		r.Part = &c
	case 'w':
		start, _ := strconv.ParseInt(key[2:], 10, 64)
		if w := t.windows[start]; w != nil {
			r.Window = &TopicWindow{w.Start, maps.Clone(w.Loads)}
		}
	case 's':
		if s := t.symbols[key[2:]]; s != nil {
			r.Symbol = &TopicSymbol{s.Partitions, slices.Clone(s.Places), s.Split}
		}
	}
	return r
}

// Restore takes a durable row in recovery; rows come in the order in which
// they were written.
func (t *Topic) Restore(r TopicRow) {
	switch {
	case len(r.Key) == 0:
	case r.State != nil:
		t.state = *r.State
		t.state.Episodes = nil
		clear(t.open)
		for _, e := range r.State.Episodes {
			f := e.Finding
			t.open[e.Subject] = &f
		}
	case r.Part != nil:
		p := *r.Part
		for _, f := range p.Open {
			t.heard[f.ID] = f
		}
		t.parts[p.Stats.Partition] = &p
	case r.Key[0] == 'w':
		start, _ := strconv.ParseInt(r.Key[2:], 10, 64)
		if delete(t.windows, start); r.Window != nil {
			t.windows[start] = r.Window
		}
	case r.Symbol != nil:
		t.symbols[r.Key[2:]] = r.Symbol
		t.foldSpelling(r.Key[2:])
	}
}
