package engine

import "hash/crc32"

// Snapshot is what a checkpoint makes durable for one partition: first the
// reports, then PartitionRow and Rows in this order, then Next as the offset.
type Snapshot struct {
	Topic        string
	Partition    int32
	Next         int64 // next offset to read, -1: no record was read since the state was restored
	PartitionRow PartitionRow
	Rows         []SymbolRow
	Reports      []*Report
	Stats        *PartitionStats

	dirty  []int32
	told   []Finding
	relist int
}

// Snapshot takes everything that is not durable yet. When it cannot be made
// durable it must be given back with Return.
func (p *Partition) Snapshot() *Snapshot {
	s := &Snapshot{Topic: p.topic, Partition: p.id, Next: -1, dirty: p.dirty, told: p.told, relist: p.relist, Reports: p.out}
	if p.read >= 0 {
		// Not row.Through: symbol rows older than the partition's row are
		// brought up to it by the records that are read again.
		s.Next = p.read + 1
	}
	s.Rows = make([]SymbolRow, 0, len(p.dirty))
	log := LogOf(p.row.TopicID)
	for _, i := range p.dirty {
		p.symbols[i].dirty = false
		s.Rows = append(s.Rows, p.symbolRow(i, log))
	}
	s.PartitionRow = p.partitionRow()
	p.oddSightings()
	s.Stats = p.stats()
	p.dirty, p.out, p.told, p.closed, p.sightings = nil, nil, nil, nil, nil
	p.stepped, p.skews = nil, nil
	p.urgent, p.changed, p.reset, p.relist, p.rankDue = false, false, false, 0, false
	return s
}

// LogOf is by what the row of a symbol says which of the topics that have had
// one name it is about: a hash of Kafka's id, 0 where that is not known.
func LogOf(topicID string) uint32 {
	if topicID == "" {
		return 0
	}
	return max(1, crc32.ChecksumIEEE([]byte(topicID)))
}

// Rewrite has the row of a symbol, where it is held, written again.
func (p *Partition) Rewrite(symbol string) (held bool) {
	i, held := p.index.find([]byte(symbol), p.symbols)
	if held {
		p.markDirty(i)
	}
	return held
}

// Return takes back a snapshot that did not become durable.
func (p *Partition) Return(s *Snapshot) {
	for _, i := range s.dirty {
		p.markDirty(i)
	}
	p.out = append(s.Reports, p.out...)
	p.told = append(s.told, p.told...)
	p.closed = append(s.Stats.Windows, p.closed...)
	p.sightings = append(s.Stats.Sightings, p.sightings...)
	p.reset = p.reset || s.Stats.Reset
	p.skews = append(over(s.Stats.Skews), p.skews...)
	if p.stepped == nil {
		p.stepped = s.Stats.Clock
	}
	p.changed, p.relist = true, max(p.relist, s.relist)
	p.rankDue = p.rankDue || s.Stats.Ranked
	for i := range s.told {
		p.urgent = p.urgent || s.told[i].State == Opened
	}
}

func (p *Partition) symbolRow(i int32, log uint32) SymbolRow {
	s := p.symbols[i]
	r := SymbolRow{
		Symbol: s.name, Through: s.through, Count: s.count, Aside: int64(s.aside), Disorder: s.disorder, First: s.first,
		LastEvent: s.lastEvent, LastAhead: s.lastAhead, Lead: s.lead.nanos(), AheadLead: s.aheadLead.nanos(), LastSeen: s.lastSeen, WindowN: int64(s.windowN), Sighted: s.sighted, SilentFrom: -1,
		Partitions: p.partitions, Placed: s.placed, Fits: s.fits, KeySum: s.keySum,
		Cuts: p.row.Cuts, Log: log,
	}
	if e := p.silences[i]; e != nil {
		r.SilentFrom = e.FirstOffset
	}
	r.Pulse = p.pulseRow(i)
	if d := p.disorders[i]; d != nil {
		r.Episode = d.copied()
	}
	p.feedRow(&r, i)
	return r
}

func (p *Partition) partitionRow() PartitionRow {
	r := p.row
	r.Symbols = int64(len(p.symbols))
	r.Partitions, r.Fits = p.partitions, p.fit.list()
	r.Producers = p.fit.listProducers()
	r.Formats = p.formatRows()
	r.Episodes = make([]Episode, 0, len(p.episodes))
	for _, d := range detectors {
		if e := p.episodes[d.code]; e != nil {
			r.Episodes = append(r.Episodes, *e.copied())
		}
	}
	if p.row.Snapshots != nil {
		c := *p.row.Snapshots.copied()
		r.Snapshots = &c
	}
	return r
}

func (p *Partition) stats() *PartitionStats {
	st := &PartitionStats{
		Topic: p.topic, TopicID: p.row.TopicID, Partition: p.id, Partitions: p.partitions, From: p.row.From, Through: p.row.Through, Cuts: p.row.Cuts,
		Counts: p.row.Counts, Keyed: p.row.Keyed, Symbols: int64(len(p.symbols)), Disordered: p.row.Disordered,
		Watermark: p.row.Watermark, FirstTime: p.row.FirstTime, MaxAge: p.row.MaxAge, Units: p.row.Units,
		Clock: p.stepped, Skews: p.skewsToTell(), Passed: p.row.Window.Start, CaughtUp: p.progress.live, Reset: p.reset,
		Windows: p.closed, Sightings: p.sightings, Findings: p.told, Fits: p.fit.list(), Producers: p.fit.listProducers(),
	}
	if p.rankDue {
		// Reports of the topic list symbols as of its windows, and with every
		// checkpoint these lists would be most of what is written.
		st.Ranked, st.Top, st.Late = true, p.rank(), p.ranked.late
	}
	if p.relist > 0 {
		// The topic lists open findings with their last count.
		fs, _ := p.open(p.relist)
		st.Findings = append(st.Findings[:len(st.Findings):len(st.Findings)], fs...)
	}
	return st
}

// RestoreSymbol takes a symbol's row in recovery. Of two rows of one symbol
// the one that speaks further wins: a stale writer may have come last. After a
// truncation a row speaks of another log, and wins over those before it. A row
// that wins over a later one is to be written again, before compaction keeps
// the stale one.
func (p *Partition) RestoreSymbol(r SymbolRow) {
	s := p.symbol([]byte(r.Symbol))
	if speaksLess(r.Cuts, r.Through, int64(s.cuts), s.through) {
		p.markDirty(p.current)
		return
	}
	i := p.current
	*s = symbol{
		name: s.name, through: r.Through, count: r.Count, aside: uint32(r.Aside), disorder: r.Disorder, first: r.First,
		order: restoredOrder(r.LastEvent, r.LastAhead, r.Lead, r.AheadLead), lastSeen: r.LastSeen,
		windowN: uint32(r.WindowN), sighted: r.Sighted, unranked: s.unranked, cuts: uint16(r.Cuts),
	}
	p.restorePlace(s, &r)
	p.unrank(i)
	if s.sighted {
		s.tell()
	}
	delete(p.disorders, i)
	delete(p.silences, i)
	p.restorePulse(i, &r)
	if r.Episode != nil {
		p.disorders[i] = r.Episode.copied()
	}
	p.restoreFeed(i, s, &r)
	if r.SilentFrom >= 0 {
		p.silences[i] = &Episode{
			Code: StaleTick, Kind: kindSilent, Symbol: s.name, FirstOffset: r.SilentFrom, LastOffset: r.SilentFrom,
			FirstTime: r.LastSeen, LastTime: r.LastSeen, Count: 1, Worst: p.silenceBudget(p.pulseOf(i)), Least: p.silenceBudget(p.pulseOf(i)),
		}
	}
}

// RestorePartition takes a partition's row in recovery; the row that speaks
// further wins, and is to be written again where it is not the last.
func (p *Partition) RestorePartition(r PartitionRow) {
	if speaksLess(r.Cuts, r.Through, p.row.Cuts, p.row.Through) {
		p.changed = true
		return
	}
	p.row = r
	p.row.Episodes, p.row.Fits, p.row.Producers = nil, nil, nil
	p.restoreFits(&r)
	p.row.Formats = nil
	p.restoreFormats(r.Formats)
	clear(p.episodes)
	for i := range r.Episodes {
		e := r.Episodes[i]
		p.episodes[e.Code] = &e
	}
}

// speaksLess reports whether a row of so many truncations that speaks through
// an offset is older than another.
func speaksLess(cuts, through, otherCuts, otherThrough int64) bool {
	return cuts < otherCuts || cuts == otherCuts && through < otherThrough
}
