package engine

const (
	// breakFor is a pause of a partition after which its feed may have been
	// subscribed anew.
	breakFor = 5 * second
	// snapshotFor is the time within which a fresh tick shows that the old ones
	// before it were a subscription's first.
	snapshotFor = 2 * second
)

// begins notes that the stream of the partition begins, or goes on after a
// break, with a record at time at.
func (p *Partition) begins(at int64) {
	if p.row.Watermark == NoTime || at-p.row.Watermark >= breakFor {
		p.row.Began = at
	}
}

// isSnapshot reports whether an old tick is the message by which a feed tells,
// after each subscription, what it told last: the first one of its symbol
// since the stream began or went on, about a time before that.
func (p *Partition) isSnapshot(s *symbol, t *Tick) bool {
	return p.limits.Now == NoTime && p.row.Began != 0 && s.lastSeen < p.row.Began && t.EventTime < p.row.Began &&
		p.episodes[StaleTick] == nil
}

// holdSnapshot keeps such a tick back: it is nothing when a fresh tick follows
// soon on the partition, and old like any other when not.
func (p *Partition) holdSnapshot(s *symbol, t *Tick, age int64) {
	e := p.row.Snapshots
	if e == nil {
		e = &Episode{
			Code: StaleTick, Kind: kindOld, Symbol: ShowBytes(s.name), FirstOffset: t.Offset, FirstTime: p.recordTime(t),
			Worst: age, Least: age, WorstOffset: t.Offset, Step: p.row.Watermark,
		}
		p.row.Snapshots = e
	}
	e.Count++
	e.LastOffset, e.LastTime = t.Offset, p.recordTime(t)
	if age > e.Worst {
		e.Worst, e.WorstOffset, e.Symbol = age, t.Offset, ShowBytes(s.name)
	}
	e.Least = min(e.Least, age)
	e.tally(ShowBytes(s.name), p.limits.SpellingsPerEvidence)
}

// sweepSnapshots tells of ticks held back that no fresh one has followed.
func (p *Partition) sweepSnapshots(at int64) {
	if e := p.row.Snapshots; e != nil && at-e.Step >= snapshotFor {
		p.tellSnapshots()
	}
}

// tellSnapshots opens OLD_TICK with the ticks that were held back.
func (p *Partition) tellSnapshots() {
	e := p.row.Snapshots
	if e == nil {
		return
	}
	p.row.Snapshots, p.changed = nil, true
	if p.episodes[StaleTick] != nil {
		return
	}
	c := *e
	c.Step, c.Told = p.row.Watermark, p.row.Watermark
	p.episodes[StaleTick] = &c
	p.tell(p.episodeFinding(&c, Opened))
}
