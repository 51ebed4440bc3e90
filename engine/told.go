package engine

import (
	"cmp"
	"slices"
	"sort"
)

// tell writes the report of a finding's event and notes it for the topic.
func (p *Partition) tell(f Finding) {
	cause := f.ID + "/" + f.State.String()
	if f.State == Updated {
		cause += "/" + f.LastTime.text()
	}
	r := p.report(TriggerFinding, cause)
	r.list([]Finding{f}, 1)
	r.Status = worse(r.Status, p.status())
	p.out = append(p.out, r)
	p.told = append(p.told, f)
	p.changed = true
	if f.State == Opened {
		p.urgent = true
	}
}

// open lists the open findings as they stand, at most limit, the most severe
// first, and says how many there are.
func (p *Partition) open(limit int) (fs []Finding, total int) {
	for _, e := range p.episodes {
		if e.Code == ClockSkew {
			continue // the topic tells of it
		}
		fs = append(fs, p.episodeFinding(e, Updated))
	}
	for _, i := range earliest(p.silences, func(e *Episode) int64 { return e.FirstOffset }, limit) {
		fs = append(fs, p.episodeFinding(p.silences[i], Updated))
	}
	for _, i := range earliest(p.frozen, func(e *Episode) int64 { return e.FirstOffset }, limit) {
		fs = append(fs, p.episodeFinding(p.frozen[i], Updated))
	}
	for _, i := range earliest(p.disorders, func(d *DisorderRow) int64 { return d.FirstOffset }, limit) {
		fs = append(fs, p.disorderFinding(p.symbols[i], p.disorders[i], Updated))
	}
	for _, of := range []symbolEpisodes{p.backfills, p.gaps} {
		for _, i := range earliest(of, func(e *Episode) int64 { return e.FirstOffset }, limit) {
			fs = append(fs, p.episodeFinding(of[i], Updated))
		}
	}
	sortFindings(fs)
	total = len(p.episodes) + len(p.silences) + len(p.frozen) + len(p.disorders) + len(p.backfills) + len(p.gaps)
	if p.episodes[ClockSkew] != nil {
		total--
	}
	return fs[:min(len(fs), limit)], total
}

// earliest are the keys of the least values, ascending, at most limit: only
// what is listed is worth to be described, as a storm has many.
func earliest[V any](m map[int32]V, offset func(V) int64, limit int) []int32 {
	keys := make([]int32, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b int32) int { return cmp.Compare(offset(m[a]), offset(m[b])) })
	return keys[:min(len(keys), limit)]
}

// sortFindings orders by severity, most severe first, then by code, place
// and id, so that the order never depends on a map.
func sortFindings(fs []Finding) {
	sort.Slice(fs, func(i, j int) bool {
		a, b := &fs[i], &fs[j]
		switch {
		case a.Severity != b.Severity:
			return a.Severity > b.Severity
		case a.Code != b.Code:
			return a.Code < b.Code
		case a.FirstOffset != b.FirstOffset:
			return a.FirstOffset < b.FirstOffset
		}
		return a.ID < b.ID
	})
}

// status is the most severe status that holds on the partition now.
func (p *Partition) status() Status {
	s := StatusHealthy
	for c := range p.episodes {
		s = worse(s, statusOf(c))
	}
	if len(p.silences)+len(p.frozen) > 0 {
		s = worse(s, StatusStale)
	}
	return s
}
