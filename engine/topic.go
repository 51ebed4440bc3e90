package engine

// Topic folds the statistics of the partitions of one tick topic: skew,
// splits, spellings, lag and the reports of TOPIC scope. Statistics are
// cumulative, so that folding one twice changes nothing. It has no lock.
type Topic struct {
	name   string
	limits *Limits

	state      TopicState
	parts      map[int32]*TopicPart
	ranks      map[int32]*TopicRanks
	windows    map[int64]*TopicWindow
	symbols    map[string]*TopicSymbol
	wide       map[string]bool          // symbols with more than one place
	sums       partSums                 // over all partitions
	placing    placing                  // where keys lie, and what explains it
	moving     moving                   // the symbols that growths move
	counted    countWatch               // the partition count as the brokers tell it
	ending     bool                     // nothing more is to come
	kept       bool                     // the row of the state was written, or will be
	present    string                   // Kafka's id of the topic as the caller knows it, "": not known
	spellings  map[string][]string      // by spelling without case and separators: those that are not that themselves, ascending
	open       map[string]*TopicEpisode // by subject: the topic's own open findings
	heard      map[string]Finding       // by id: open findings of partitions; in replay all that are over too
	standing   [StatusHealthy + 1]int   // open findings by the status that they stand for
	lag        map[string]*lagState     // by groupKey
	members    map[string]int           // by watched group
	rebalance  map[string][]int64       // by group: times of the last rebalances, ascending
	rebalanced map[string]int64         // by group: the last of all
	// stormsBefore are the rebalances, by group, of a storm from before a
	// restart, less those that stand for it since.
	stormsBefore map[string]int64

	maxLag    *int64
	lagging   int32
	unknown   string // what of the lag could not be measured
	skew      float64
	skewKnown bool

	changed    map[string]bool
	out        []*Report
	urgent     bool
	clockQuiet int // sweeps since the last step of a clock of the audit
}

// NewTopic is the state of a topic with that many partitions, before the
// first statistics. The limits are shared and not changed.
func NewTopic(name string, partitions int32, l *Limits) *Topic {
	t := &Topic{name: name, limits: l, lagging: -1, changed: map[string]bool{}}
	t.state = TopicState{Partitions: partitions, ClosedTo: NoTime}
	t.lag, t.rebalance, t.rebalanced = map[string]*lagState{}, map[string][]int64{}, map[string]int64{}
	t.members, t.stormsBefore = map[string]int{}, map[string]int64{}
	t.forget()
	return t
}

// forget drops everything that rests on records.
func (t *Topic) forget() {
	t.parts, t.windows, t.ranks = map[int32]*TopicPart{}, map[int64]*TopicWindow{}, map[int32]*TopicRanks{}
	t.symbols, t.spellings = map[string]*TopicSymbol{}, map[string][]string{}
	t.wide, t.sums = map[string]bool{}, partSums{}
	t.placing, t.moving = newPlacing(), moving{}
	t.forgetWaiting()
	t.open, t.heard = map[string]*TopicEpisode{}, map[string]Finding{}
	t.standing = [StatusHealthy + 1]int{}
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
	if s.Partition < 0 {
		return
	}
	t.keepState()
	if t.isFormer(s.TopicID) {
		return
	}
	t.identify(s)
	p := t.part(s.Partition)
	if s.Partitions > t.state.Partitions {
		t.grow(s.Partitions)
	}
	if s.Cuts > p.Stats.Cuts {
		p.Skew.Next = 0 // offsets have gone back
	}
	stale := speaksLess(s.Cuts, s.Through, p.Stats.Cuts, p.Stats.Through)
	sums := t.summed()
	if !stale {
		sums.count(s.Partition, &p.Stats, -1)
		if s.Ranked {
			t.ranks[s.Partition] = &TopicRanks{s.Top, s.Late}
			t.changed[rankKey(s.Partition)] = true
		}
		p.Stats = *s
		p.Stats.Skews = nil
		p.Stats.Windows, p.Stats.Sightings, p.Stats.Findings, p.Stats.Top, p.Stats.Late = nil, nil, nil, nil, nil
		p.Stats.Reset, p.Stats.Ranked, p.Stats.Clock = false, false, nil
		sums.count(s.Partition, &p.Stats, 1)
	}
	for i := range s.Windows {
		t.addWindow(p, s.Partition, &s.Windows[i])
	}
	for i := range s.Sightings {
		t.sight(s.Partition, s.Partitions, &s.Sightings[i])
	}
	for i := range s.Findings {
		// What a stale repeat opens may be over long since.
		if f := &s.Findings[i]; !stale || f.State == Resolved {
			t.hear(f)
		}
	}
	if !stale {
		t.hearSkews(p, s.Skews)
		sums.noteSkew(s.Partition, p)
	}
	t.judgeSkews(!stale && len(s.Skews) > 0)
	if s.Clock != nil && !stale {
		t.hearClock(s.Clock)
	}
	if !p.Settled && s.CaughtUp && (s.Partitions == 0 || s.Partitions >= t.state.Partitions) {
		p.Settled = true
		if s.Partition < sums.partitions {
			sums.unsettled--
		}
	}
	t.changed[partKey(s.Partition)] = true
	t.judgePlaces()
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

// ranksOf are the symbols of a partition that reports list.
func (t *Topic) ranksOf(id int32) TopicRanks {
	if r := t.ranks[id]; r != nil {
		return *r
	}
	return TopicRanks{}
}

// hear notes a finding of a partition as it stands now.
func (t *Topic) hear(f *Finding) {
	old, known := t.heard[f.ID]
	if known && (old.State == Resolved && f.State != Resolved || f.Count < old.Count) {
		return // a repeat of what is over, or of an earlier state
	}
	if f.State == Resolved && !t.limits.Replay {
		if known {
			t.stand(&old, -1)
			delete(t.heard, f.ID)
			t.changed["h/"+f.ID] = true
		}
		return
	}
	g := *f
	if g.State == Opened {
		g.State = Updated
	}
	t.keep(g)
}

// keep holds a finding to list it in reports.
func (t *Topic) keep(f Finding) {
	if old, known := t.heard[f.ID]; known {
		t.stand(&old, -1)
	}
	t.stand(&f, 1)
	t.heard[f.ID] = f
	t.changed["h/"+f.ID] = true
}

// stand counts an open finding among those that make the status.
func (t *Topic) stand(f *Finding, n int) {
	if f.State != Resolved {
		t.standing[statusOf(f.Code)] += n
	}
}

// status is the most severe status that holds now.
func (t *Topic) status() Status {
	for s := StatusOffset; s < StatusHealthy; s++ {
		if t.standing[s] > 0 {
			return s
		}
	}
	return StatusHealthy
}

// Sweep tells the time to the topic, about once a second while live.
func (t *Topic) Sweep(int64) {
	t.closeWindows(t.passed())
	t.judgeSkews(false)
	t.sweepClock()
}
