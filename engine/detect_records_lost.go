package engine

import "fmt"

// Lost tells that the audit goes on at offset to because the log starts there
// by now: the records from offset from on were not audited and cannot be any
// more. What was read, or told as lost, before does not count.
//
// A gap between two offsets that are read is no loss: compaction, markers and
// aborted transactions leave such gaps.
func (p *Partition) Lost(from, to int64) {
	if from = max(from, p.Next()); from >= to {
		return
	}
	p.read, p.row.Resumed = to-1, to
	p.pass(RecordsLost, "", from, to)
}

func describeRecordsLost(p *Partition, e *Episode, f *Finding) {
	f.Observed, f.Threshold, f.Unit = float64(e.Count), 0, "records"
	f.Evidence["from"], f.Evidence["to"] = e.FirstOffset, e.LastOffset
	f.Cause = fmt.Sprintf("up to %s of %s/%d, offsets %d to %d, lost to the audit: the log's start passed them before they were read",
		plural(e.Count, "record"), p.topic, p.id, e.FirstOffset, e.LastOffset)
}

// pass notes in the episode of a code that is about offsets, not records, the
// offsets from from to to-1. The quiet time that ends it begins with the first
// record after them.
func (p *Partition) pass(code Code, kind string, from, to int64) {
	e, at := p.episodes[code], p.row.Watermark
	opened := e == nil
	if opened {
		e = &Episode{Code: code, Kind: kind, FirstOffset: from, FirstTime: at, WorstOffset: from, Told: at}
		p.episodes[code] = e
	}
	e.Count += to - from
	e.LastOffset, e.LastTime, e.Step = to-1, at, NoTime
	p.changed = true
	switch {
	case opened:
		p.tell(p.episodeFinding(e, Opened))
	case at != NoTime && (e.Told == NoTime || at-e.Told >= updateEvery):
		e.Told = at
		p.tell(p.episodeFinding(e, Updated))
	}
}
