package engine

import "strconv"

// newFinding is an open finding of the topic about a subject, with an id by
// code, subject and, where it is not -1, the offset that opened it. A later
// finding about the same has the number of those before it in its id too.
func (t *Topic) newFinding(c Code, subject string, offset int64) *Finding {
	info := c.Info()
	about := subject
	if n := t.state.Past[subject]; n > 0 {
		about += "#" + strconv.FormatInt(n, 10)
	}
	return &Finding{
		ID: findingID(t.name, c, about, offset), Code: c, State: Opened, Severity: info.Severity, Topic: t.name,
		FirstOffset: offset, LastOffset: offset, FirstTime: NoTime, LastTime: NoTime, Action: info.Action,
		Evidence: map[string]any{},
	}
}

// find is the open finding of a subject, nil: none.
func (t *Topic) find(subject string) *Finding {
	if e := t.open[subject]; e != nil {
		return &e.Finding
	}
	return nil
}

// openFinding opens the finding of a subject and reports it.
func (t *Topic) openFinding(subject string, f *Finding) {
	e := &TopicEpisode{subject, *f, int64(f.LastTime)}
	t.open[subject] = e
	t.stand(f, 1)
	t.tell(*f)
	e.Finding.State = Updated
	t.changed["f/"+subject] = true
	t.urgent = true
}

// update notes that an open finding has changed, and reports it when it was
// told last a minute before.
func (t *Topic) update(subject string) {
	e := t.open[subject]
	t.changed["f/"+subject] = true
	at := int64(e.Finding.LastTime)
	if at == NoTime || e.Told != NoTime && at-e.Told < updateEvery {
		return
	}
	e.Told = at
	t.tell(e.Finding)
}

// close resolves the finding of a subject and reports it.
func (t *Topic) close(subject string) {
	e := t.open[subject]
	if e == nil {
		return
	}
	delete(t.open, subject)
	t.stand(&e.Finding, -1)
	e.Finding.State = Resolved
	if t.state.Past == nil {
		t.state.Past = map[string]int64{}
	}
	t.state.Past[subject]++
	t.changed["t"], t.changed["f/"+subject] = true, true
	t.tell(e.Finding)
	if t.limits.Replay {
		t.keep(e.Finding.copied())
	}
}

// tell writes the report of a finding's event.
func (t *Topic) tell(f Finding) {
	cause := f.ID + "/" + f.State.String()
	if f.State == Updated {
		cause += "/" + f.LastTime.text()
	}
	r := t.report(TriggerFinding, cause)
	t.count(r, func(p *TopicPart) *Counts { return &p.Stats.Counts })
	r.list([]Finding{f}, 1)
	r.Status = worse(t.status(), r.Status)
	t.out = append(t.out, r)
}

// findings lists every finding that is open, in replay those that are over
// too. They share their evidence with the state.
func (t *Topic) findings() []Finding {
	fs := make([]Finding, 0, len(t.open)+len(t.heard))
	for _, e := range t.open {
		fs = append(fs, e.Finding)
	}
	for _, f := range t.heard {
		fs = append(fs, f)
	}
	sortFindings(fs)
	return fs
}
