package engine

import "strconv"

// symbol is the state of one symbol on one partition.
type symbol struct {
	name     string
	through  int64
	count    int64
	disorder int64
	first    int64
	order
	lastSeen int64
	windowN  uint32 // ticks with a key in the window in which the last one was counted
	aside    uint32 // ticks that do not show where its key lies: without one, or put back by hand
	cuts     uint16 // truncations of the log before its row was written
	unit     Unit   // of its last event time; UnitAuto: none, or the partition's
	keySum   uint32 // hash of its key, 0: the key spells the symbol
	dirty    bool
	judged   bool // its tick at through was judged here, not restored from a row
	sighted  bool
	unranked bool  // its counts have changed since the ranking was made
	placed   bool  // its key was hashed, at today's partition count
	odd      bool  // is among those to be told at the next snapshot
	fits     Fits  // functions that put its key here
	told     uint8 // the symbol is sighted again when its keyed ticks are this power of ten
}

// Partition is the state of one partition of one tick topic and the judge of
// its records. It has no lock: its methods must not run at the same time.
//
// Rules that every method keeps:
//  1. A record at or below the offset up to which a row speaks is not applied
//     to that row again.
//  2. Time is an input. Windows, and the end of episodes about records, go by
//     record time, so that they come out the same live and in replay; the
//     clock only closes what an idle partition would leave open.
//  3. What the clock judges (age, skew, silence) is judged by the wall clock
//     only while the audit keeps up, and by record time otherwise.
type Partition struct {
	topic      string
	id         int32
	idText     string
	partitions int32
	limits     *Limits

	row       PartitionRow
	index     symbolIndex
	symbols   []*symbol
	slab      []symbol // room for the next symbols
	episodes  map[Code]*Episode
	disorders map[int32]*DisorderRow
	silences  map[int32]*Episode
	frozen    map[int32]*Episode
	pulses    []pulse // of the symbols; none where silence is not judged
	streams   map[int32][]*stream
	runs      map[int32]*RunRow
	backfills symbolEpisodes
	gaps      symbolEpisodes
	formats   [FormatCount]formatSeen

	// of the record that is being judged
	fresh          bool  // not counted in the partition's row yet
	again          bool  // observed before since the state was restored
	early, late    int64 // latest and earliest that the clock can be, NoTime: none
	held           int64 // what the partition believes in place of the record's time, NoTime: it believes that
	leaping        bool  // no clock says whether it is right not to
	wall           int64 // the wall clock when the records were read, NoTime: not known
	byWall         bool  // the record's time lies behind it, so that it is the clock
	mark           int64 // greatest record time up to the record
	reread         int64 // the same of the records that are read again after a restart
	rereadSure     int64 // and of those as in the row's Sure
	read           int64 // last offset observed, -1: none since the state was restored
	current        int32 // index of the tick's symbol
	hot            int32 // and of the one that the window names as its hottest, -1: not known
	period         int64 // start of the period of a window's length that the last time lay in, NoTime: none did
	newVenue       bool  // the tick is the first of its symbol from its venue
	passive        bool  // the tick is a repeat or history: it shows no feed alive
	nextSilence    int64 // no symbol is silent before this time
	progress       progress
	reset, changed bool
	urgent         bool
	relist         int        // open findings to list for the topic
	skews          []SkewPart // parts that are over, that the topic has not been told of
	stepped        *ClockStep // of the wall clock, that the topic has not been told of
	dirty          []int32
	out            []*Report
	told           []Finding
	closed         []WindowLoad
	sightings      []Sighting
	ranked         ranking
	rankDue        bool // the next statistics carry the ranking
	fit            fitState
}

// NewPartition is the state of partition id of a topic with that many
// partitions, before its first record. The limits are shared and not changed.
func NewPartition(topic string, id, partitions int32, l *Limits) *Partition {
	return &Partition{
		topic: topic, id: id, idText: strconv.Itoa(int(id)), partitions: partitions, limits: l,
		row: PartitionRow{
			Topic: topic, Partition: id, From: -1, Through: -1, Watermark: NoTime, FirstTime: NoTime,
			SweptTo: NoTime, ClosedTo: NoTime, MaxAge: NoTime, Window: newWindow(NoTime),
		},
		index: newSymbolIndex(), episodes: map[Code]*Episode{}, disorders: map[int32]*DisorderRow{},
		silences: map[int32]*Episode{}, frozen: map[int32]*Episode{}, streams: map[int32][]*stream{}, runs: map[int32]*RunRow{},
		backfills: symbolEpisodes{}, gaps: symbolEpisodes{}, nextSilence: NoTime, changed: true, rankDue: true, mark: NoTime, held: NoTime, reread: NoTime, wall: NoTime, read: -1, hot: -1, period: NoTime,
		progress: progress{behindSince: NoTime, movedAt: NoTime, stuckSince: NoTime},
	}
}

// Through is the last offset judged, -1 before the first.
func (p *Partition) Through() int64 { return p.row.Through }

// TopicID is Kafka's id of the topic that the state is about, "" when unset.
func (p *Partition) TopicID() string { return p.row.TopicID }

// Next is the offset behind all that was judged, or told as lost.
func (p *Partition) Next() int64 { return max(p.row.Through+1, p.row.Resumed, p.read+1) }

// SetTopicID notes Kafka's id of the topic.
func (p *Partition) SetTopicID(id string) { p.row.TopicID = id }

// MarkReset notes that the totals start anew because the topic was re-created.
func (p *Partition) MarkReset() { p.reset, p.changed, p.row.Remade = true, true, true }

// Counts are the partition's counts since its first record.
func (p *Partition) Counts() Counts { return p.row.Counts }

// Symbols is the number of symbols held.
func (p *Partition) Symbols() int { return len(p.symbols) }

// Pending reports whether a finding was opened since the last snapshot, so
// that a checkpoint should follow soon.
func (p *Partition) Pending() bool { return p.urgent }

// Changed reports whether there is anything to make durable. Records that are
// read again leave the partition as it is, but not symbols whose rows were lost.
func (p *Partition) Changed() bool { return p.changed || len(p.out) > 0 || len(p.dirty) > 0 }

// ReadAt tells a partition the wall clock at which the records were read that
// are observed next. A replay has none: what it finds would depend on its day.
func (p *Partition) ReadAt(wall int64) { p.wall = wall }

// Observe judges one record. now is the wall clock while the partition is
// Live, and NoTime otherwise: then record times are the clock. The tick's
// slices are not kept.
//
// A record of several ticks is observed tick by tick, its Items in order and
// nothing between them, a Snapshot neither: what is durable speaks of whole
// records.
func (p *Partition) Observe(t *Tick, now int64) {
	if p.progress.unsure > 0 {
		now = NoTime
	}
	if t.Item > 0 {
		p.observeItem(t, now)
		return
	}
	p.fresh, p.again, p.read = t.Offset > p.row.Through, t.Offset <= p.read, max(p.read, t.Offset)
	at := p.timeOf(t, now)
	p.setClock(t, now, at)
	p.hold(t, at, now)
	if t.RecordTime == NoTime {
		p.assure(at)
	}
	if p.fresh {
		p.changed = true
		p.weighLeap(t, now, at)
		p.advance(at)
		p.count(t)
		if t.Format != FormatUnknown {
			p.countFormat(t)
		}
	} else {
		p.advanceAgain(at)
	}
	p.judge(t, now)
	if p.fresh {
		p.row.Through = t.Offset
	}
}

// observeItem judges a tick beyond the first of its record. Whether it is
// fresh, or was observed before, is as of the first.
func (p *Partition) observeItem(t *Tick, now int64) {
	if p.again {
		return
	}
	if p.fresh {
		if t.RecordTime == NoTime {
			// The items' own times move the partition.
			at := p.itemTime(p.recordTime(t))
			if now != NoTime {
				at = p.timeOf(t, now)
			}
			p.hold(t, at, now)
			p.assure(at)
			if at > p.row.Watermark {
				p.advance(at)
			}
		}
		p.count(t)
	}
	p.judge(t, now)
}

func (p *Partition) judge(t *Tick, now int64) {
	if t.Kind != Good || len(t.Key) == 0 {
		for _, detect := range recordDetectors {
			detect(p, t)
		}
	}
	if t.Kind == Good {
		p.observeGood(t, now)
	}
}

func (p *Partition) observeGood(t *Tick, now int64) {
	s := p.symbol(t.Symbol)
	if t.Offset <= s.through && (t.Item == 0 || t.Offset < s.through || !s.judged) {
		return // a row of the symbol never speaks further than the partition's
	}
	p.load(s, t)
	before := s.through
	s.through, s.judged = t.Offset, true
	s.count++
	p.markDirty(p.current)
	p.unrank(p.current)
	if p.passive, p.newVenue = false, false; t.Unit != s.unit {
		p.detectUnitChanged(s, t, before)
	}
	for _, detect := range tickDetectors {
		detect(p, s, t)
	}
	p.seen(s, t, now)
	p.sight(s, t, p.place(s, t))
}

func (p *Partition) markDirty(i int32) {
	if s := p.symbols[i]; !s.dirty {
		s.dirty = true
		p.dirty = append(p.dirty, i)
	}
}

// count counts a record in the partition and in its window.
func (p *Partition) count(t *Tick) {
	if p.row.From < 0 {
		p.row.From = t.Offset
	}
	w := &p.row.Window
	if w.From < 0 {
		w.From = t.Offset
	}
	w.Through = t.Offset
	p.row.Counts.count(t)
	w.Counts.count(t)
	if t.Kind == Good {
		p.row.Units |= 1 << t.Unit
	}
}

// both applies a change to the partition's counts and to its window's.
func (p *Partition) both(f func(c *Counts)) {
	f(&p.row.Counts)
	f(&p.row.Window.Counts)
}

// load counts a good tick in the load of its window. Whether the symbol has
// ticked in the window before follows from offsets, so that it comes out the
// same after a restart.
func (p *Partition) load(s *symbol, t *Tick) {
	w := &p.row.Window
	if w.From < 0 || t.Offset < w.From {
		return // read again, of a window that is closed
	}
	if s.through < w.From {
		s.windowN = 0
	}
	if len(t.Key) > 0 {
		s.windowN++
	}
	if !p.fresh {
		return
	}
	if len(t.Key) > 0 {
		if s.windowN == 1 {
			w.Symbols++
		}
		w.Keyed++
		p.row.Keyed++
	}
	if int64(s.windowN) > w.HotN {
		if w.HotN = int64(s.windowN); p.hot != p.current || w.Hot == "" {
			p.hot, w.Hot = p.current, ShowBytes(s.name)
		}
	}
	if p.late != NoTime {
		w.MaxAge = max(w.MaxAge, p.late-t.EventTime)
		p.row.MaxAge = max(p.row.MaxAge, p.late-t.EventTime)
	}
}

// seen notes when the symbol ticked; a redelivered tick does not count. The
// partition's record time counts rather than the record's own: a producer
// whose clock is behind must not look silent between its ticks.
func (p *Partition) seen(s *symbol, t *Tick, now int64) {
	if t.Origin != nil || p.passive {
		return
	}
	s.lastSeen = max(s.lastSeen, p.mark, now)
	if p.limits.judgesSilence() && s.lastSeen != NoTime {
		p.nextSilence = min(p.nextSilence, s.lastSeen+p.limits.leastSilence())
		if e := p.silences[p.current]; e != nil {
			p.endSilence(p.current, e, t)
		}
		p.beat(s, t)
	}
}

// recordTime is the record's time, or the event time where it has none.
func (p *Partition) recordTime(t *Tick) int64 {
	if t.RecordTime == NoTime && t.Kind == Good {
		return t.EventTime
	}
	return t.RecordTime
}

// hold notes the time that is believed where the record's is not.
func (p *Partition) hold(t *Tick, believed, now int64) {
	p.held, p.leaping = NoTime, false
	if believed < p.recordTime(t) {
		p.held, p.leaping = believed, now == NoTime && (!p.byWall || believed != p.wall)
	}
}

// timeOf is the time to which the record moves the partition. A record time
// that the wall clock shows to be far in the future moves it no further than
// the clock: otherwise one wrong record would hold up all windows after it.
func (p *Partition) timeOf(t *Tick, now int64) int64 {
	at := p.recordTime(t)
	switch {
	case now != NoTime && at > now+futureMax:
		return now
	case now == NoTime && p.wall != NoTime && at > p.wall+futureMax:
		return p.future()
	case now == NoTime:
		return p.believed(at)
	}
	return at
}

// setClock sets the clock by which the record's event time is judged; a
// record without a record time has none. A record time that is not believed,
// and that the event time does not show either, makes no tick old: the clock
// may as well be at the time that is.
//
// A record that was read was written before: where its time lies behind the
// wall clock of then, that is the clock, whatever the audit has to catch up with.
func (p *Partition) setClock(t *Tick, now, believed int64) {
	p.byWall = false
	switch {
	case p.progress.unsure > 0:
		p.early, p.late = NoTime, NoTime
	case p.limits.Now != NoTime:
		p.early, p.late = p.limits.Now, p.limits.Now
	case now != NoTime:
		p.early, p.late = now, now
	case p.wall != NoTime && t.RecordTime > p.wall:
		p.early, p.late, p.byWall = p.wall, p.wall, true
	case t.RecordTime != NoTime:
		p.early, p.late = t.RecordTime+recordTick, t.RecordTime
		if believed < t.RecordTime && t.RecordTime-t.EventTime > leapMin {
			p.late = believed
		}
	default:
		p.early, p.late = NoTime, NoTime
	}
}
