package engine

import (
	"fmt"
	"strconv"
)

const kindTruncated = "TRUNCATED" // of OFFSET_INCONSISTENCY

// Truncate tells that the log's end has moved back: the records from offset to
// on, up to what was read, are gone, and others may stand or come in their
// place, as after an unclean election. Those are judged as new ones.
//
// What had been counted of the lost records stays counted, so the counts of
// the partition are not exact any more, and its reports say so. A symbol whose
// last tick is lost is judged from its next one on: what it was compared with
// does not exist.
func (p *Partition) Truncate(to int64) {
	from := p.Next()
	if to = max(to, 0); to >= from {
		return
	}
	p.endAll()
	p.row.Cuts++
	p.row.Through = min(p.row.Through, to-1)
	p.row.Resumed, p.read = min(p.row.Resumed, to), to-1
	w := &p.row.Window
	if w.From > to {
		w.From = to
	}
	w.Through = min(w.Through, to-1)
	for i, s := range p.symbols {
		if s.through < to {
			continue
		}
		s.through, s.order = to-1, newOrder()
		p.forgetFeed(int32(i))
		p.markDirty(int32(i))
	}
	p.pass(OffsetInconsistency, kindTruncated, to, from)
}

// Succeed gives the state of the topic that was made anew in the place of this
// one. What was open here is resolved, and its reports are the successor's to
// write.
func (p *Partition) Succeed(partitions int32) *Partition {
	p.endAll()
	for _, i := range earliest(p.frozen, func(e *Episode) int64 { return e.FirstOffset }, len(p.frozen)) {
		p.tell(p.episodeFinding(p.frozen[i], Resolved))
	}
	next := NewPartition(p.topic, p.id, partitions, p.limits)
	next.MarkReset()
	next.out = p.out
	return next
}

// endAll resolves every open finding of the partition.
func (p *Partition) endAll() {
	for _, d := range detectors {
		if e := p.episodes[d.code]; e != nil {
			p.endEpisode(e)
		}
	}
	for _, i := range earliest(p.disorders, func(d *DisorderRow) int64 { return d.FirstOffset }, len(p.disorders)) {
		p.endDisorder(i, p.disorders[i])
	}
	for _, of := range []symbolEpisodes{p.backfills, p.gaps} {
		for _, i := range earliest(of, func(e *Episode) int64 { return e.FirstOffset }, len(of)) {
			p.endSymbolEpisode(of, i)
		}
	}
	for _, i := range earliest(p.silences, func(e *Episode) int64 { return e.FirstOffset }, len(p.silences)) {
		e := p.silences[i]
		delete(p.silences, i)
		p.markDirty(i)
		p.tell(p.episodeFinding(e, Resolved))
	}
}

func describeTruncated(p *Partition, e *Episode, f *Finding) {
	f.Observed, f.Threshold, f.Unit = float64(e.Count), 0, "records"
	f.Evidence["from"], f.Evidence["to"] = e.LastOffset+1, e.FirstOffset
	f.Cause = fmt.Sprintf("the end of %s/%d moved back from %d to %d: %s that had been read are gone (unclean leader election), and counts of the partition are not exact",
		p.topic, p.id, e.LastOffset+1, e.FirstOffset, plural(e.Count, "record"))
	f.Action = "Find out which broker became leader without being in sync; set unclean.leader.election.enable=false and acks=all, and have readers of the partition go back to the offset named."
}

// life tells findings of one place apart that were judged before and after a
// truncation, or in a topic and the one made anew in its place: the same offset
// then stands for another record.
func (p *Partition) life() (l string) {
	if p.row.Remade {
		l = "/topic/" + p.row.TopicID
	}
	if p.row.Cuts > 0 {
		l += "/cut/" + strconv.FormatInt(p.row.Cuts, 10)
	}
	return l
}
