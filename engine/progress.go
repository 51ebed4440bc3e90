package engine

import "math"

// progress is what a live partition knows of its own lag.
type progress struct {
	live        bool
	since       int64 // clock when the partition became live
	high        int64 // the log's end
	through     int64 // last offset judged when progress was told last
	movedAt     int64 // clock when through moved last
	at          int64 // offset reached at that time, markers included
	stuckSince  int64 // clock since when it has not moved although records are unread, NoTime: it moves
	unsure      int   // sweeps for which the wall clock is not trusted, because it was set
	behindSince int64 // clock since when the audit is behind, NoTime: it is not
}

const (
	liveBehind  = 1024           // records behind the end at which the audit still keeps up
	liveAge     = 2 * int64(1e9) // age of the newest record up to which it does
	lostBehind  = 10 * 1024      // records behind at which it no longer does
	lostAge     = 5 * int64(1e9)
	stillFor    = int64(1e9)      // standing still this long near the end is being at the end
	behindFor   = 10 * int64(1e9) // time behind after which AUDITOR_BEHIND opens
	stalledFor  = 30 * int64(1e9) // time without a move, with records unread, that is a stall
	resolvePart = 0.8             // share of a limit at which a breach of it is over
)

// Progress tells a live partition the log's end and the clock, after each
// frame of records and at least once a second. The partition becomes live
// when it has caught up: only then the wall clock judges it.
func (p *Partition) Progress(highWatermark, now int64) {
	g := &p.progress
	if g.movedAt == NoTime || g.through != p.row.Through {
		g.through, g.movedAt = p.row.Through, now
	}
	g.high = highWatermark
	behind, at := p.behind(), p.reached()
	switch {
	case behind == 0 || at != g.at:
		g.stuckSince = NoTime
	case g.stuckSince == NoTime:
		g.stuckSince = now
	}
	g.at = at
	age := int64(math.MaxInt64) // of the newest record judged
	if p.row.Watermark != NoTime {
		age = now - p.row.Watermark
	}
	switch {
	case !g.live && (behind == 0 || behind <= liveBehind && (age <= liveAge || now-g.movedAt >= stillFor)):
		g.live, g.since = true, now
		p.nextSilence = NoTime
		p.changed = true // the topic waits to hear that all have been read
	case g.live && behind > lostBehind && age > lostAge:
		g.live = false
	}
}

// GoesOn tells that the partition was not read on purpose, until now: what
// went by meanwhile is caught up with as after a restart, and tells nothing
// about the audit's own pace.
func (p *Partition) GoesOn() {
	p.progress = progress{behindSince: NoTime, movedAt: NoTime, stuckSince: NoTime}
}

// Live reports whether the audit keeps up with the partition.
func (p *Partition) Live() bool { return p.progress.live }

// Stalled reports whether the partition has stood still for 30 s although
// records are unread, and how many.
func (p *Partition) Stalled(now int64) (unread int64, stalled bool) {
	since := p.progress.stuckSince
	return p.behind(), since != NoTime && now-since >= stalledFor
}

// reached is the last offset read, -1: none.
func (p *Partition) reached() int64 {
	if p.read >= 0 {
		return p.read
	}
	return p.row.Through
}

// behind is the number of offsets between the audit and the log's end.
func (p *Partition) behind() int64 { return max(0, p.progress.high-p.reached()-1) }
