package engine

import "fmt"

// judgeBehind opens AUDITOR_BEHIND when the audit's own lag is above the
// limit for a while, or the audit has stood still before the end for a longer
// one, and ends it when the lag has shrunk and the audit moves.
func (p *Partition) judgeBehind(now int64) {
	g := &p.progress
	if g.movedAt == NoTime {
		return // the log's end is not known yet
	}
	behind, limit := p.behind(), p.limits.MaxLagTicks
	e := p.episodes[AuditorBehind]
	if behind > limit {
		if g.behindSince == NoTime {
			g.behindSince = now
		}
	} else if e == nil || float64(behind) <= resolvePart*float64(limit) {
		g.behindSince = NoTime
	}
	long := g.behindSince != NoTime && now-g.behindSince >= behindFor
	_, stalled := p.Stalled(now)
	switch {
	case e == nil && (long || stalled):
		e = &Episode{
			Code: AuditorBehind, FirstOffset: p.row.Through, LastOffset: p.row.Through,
			FirstTime: now, LastTime: now, Count: 1, Worst: behind, Told: now, Step: now,
		}
		p.episodes[AuditorBehind] = e
		p.tell(p.episodeFinding(e, Opened))
	case e != nil && g.behindSince == NoTime && !stalled:
		e.LastOffset, e.LastTime = p.row.Through, now
		p.endEpisode(e)
	case e != nil:
		e.Worst = max(e.Worst, behind)
		e.LastOffset, e.LastTime = p.row.Through, now
	}
}

func describeAuditorBehind(p *Partition, e *Episode, f *Finding) {
	f.Observed, f.Threshold, f.Unit = float64(e.Worst), float64(p.limits.MaxLagTicks), "records"
	f.Cause = fmt.Sprintf("the audit is up to %s behind the end of %s/%d", plural(e.Worst, "record"), p.topic, p.id)
	f.Evidence["through_offset"] = p.row.Through
	f.Evidence["log_end"] = p.progress.high
	if _, stalled := p.Stalled(e.LastTime); stalled && f.State != Resolved {
		f.Evidence["stalled"] = true
		f.Cause = fmt.Sprintf("the audit has stood still at offset %d of %s/%d, %s before its end", p.reached(), p.topic, p.id, plural(p.behind(), "record"))
	}
}
