package engine

import "sort"

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

// open lists the open findings as they stand, the most severe first.
func (p *Partition) open() []Finding {
	fs := make([]Finding, 0, len(p.episodes)+len(p.disorders)+len(p.silences))
	for _, e := range p.episodes {
		fs = append(fs, p.episodeFinding(e, Updated))
	}
	for _, e := range p.silences {
		fs = append(fs, p.episodeFinding(e, Updated))
	}
	for i, d := range p.disorders {
		fs = append(fs, p.disorderFinding(p.symbols[i], d, Updated))
	}
	sortFindings(fs)
	return fs
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
	if len(p.silences) > 0 {
		s = worse(s, StatusStale)
	}
	return s
}
