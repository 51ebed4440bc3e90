package engine

// newFinding is an open finding of the topic, with an id by code and subject
// and, where it is not -1, the offset that opened it.
func (t *Topic) newFinding(c Code, subject string, offset int64) *Finding {
	info := c.Info()
	return &Finding{
		ID: findingID(t.name, c, subject, offset), Code: c, State: Opened, Severity: info.Severity, Topic: t.name,
		FirstOffset: offset, LastOffset: offset, FirstTime: NoTime, LastTime: NoTime, Action: info.Action,
		Evidence: map[string]any{},
	}
}

// openFinding opens the finding of a subject and reports it.
func (t *Topic) openFinding(subject string, f *Finding) {
	t.open[subject] = f
	f.State = Opened
	t.tell(*f)
	t.urgent = true
}

// update reports an open finding as it stands.
func (t *Topic) update(f *Finding) {
	g := *f
	g.State = Updated
	t.tell(g)
}

// close resolves the finding of a subject and reports it.
func (t *Topic) close(subject string) {
	f := t.open[subject]
	if f == nil {
		return
	}
	delete(t.open, subject)
	f.State = Resolved
	t.tell(*f)
	if t.limits.Replay {
		t.ended = append(t.ended, f.copied())
	}
}

// tell writes the report of a finding's event.
func (t *Topic) tell(f Finding) {
	cause := f.ID + "/" + f.State.String()
	if f.State != Opened {
		cause += "/" + f.LastTime.text()
	}
	r := t.report(TriggerFinding, cause)
	t.count(r, func(p *TopicPart) *Counts { return &p.Stats.Counts })
	r.Findings, r.Warnings = []Finding{}, []string{}
	status := r.Status
	r.list([]Finding{f.copied()}, 1)
	r.Status = worse(status, r.Status)
	t.out = append(t.out, r)
	t.changed["t"] = true
}
