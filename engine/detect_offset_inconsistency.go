package engine

import "fmt"

// judgeOffset opens OFFSET_INCONSISTENCY for the kind of fault that a sample
// shows, and ends those that it no longer shows.
func (t *Topic) judgeOffset(s *LagSample, kind string, before *lagState, now int64) {
	t.settleGroupRecreated(s, kind, now)
	for _, k := range []string{kindAhead, kindBelow, kindExpired} {
		subject := s.subject("offset", k)
		f := t.find(subject)
		if k == kindExpired && f != nil && s.Committed == Unknown {
			kind = kindExpired // still gone
		}
		switch {
		case k != kind && f != nil:
			f.LastTime = Time(now)
			t.close(subject)
		case k == kind && f != nil:
			f.Count++
			f.LastTime = Time(now)
			t.update(subject)
		case k == kind:
			f = t.groupFinding(OffsetInconsistency, s, subject, max(s.Committed, before.Committed), now)
			f.Count = 1
			t.describeOffset(f, s, k, before)
			t.openFinding(subject, f)
		}
	}
}

func (t *Topic) describeOffset(f *Finding, s *LagSample, kind string, before *lagState) {
	t.groupEvidence(f, s)
	f.Evidence["kind"] = kind
	where := fmt.Sprintf("%s/%d", t.name, s.Partition)
	switch kind {
	case kindAhead:
		f.Observed = float64(s.Committed - s.End)
		f.Cause = fmt.Sprintf("group %q has committed %d on %s, %d beyond its end %d: the topic was truncated or re-created, or the offset was set by hand",
			s.Group, s.Committed, where, s.Committed-s.End, s.End)
		if before.end > s.End {
			f.Evidence["end_before"] = before.end
			f.Cause = fmt.Sprintf("group %q has committed %d on %s, %d beyond its end, which moved back from %d to %d: the log was truncated",
				s.Group, s.Committed, where, s.Committed-s.End, before.end, s.End)
		}
	case kindBelow:
		lost := s.Start - max(s.Committed, before.clear(s.Committed))
		f.Observed = float64(lost)
		f.Evidence["lost"] = lost
		f.Cause = fmt.Sprintf("group %q has committed %d on %s, whose log starts at %d: %s went by retention before they were read",
			s.Group, s.Committed, where, s.Start, plural(lost, "record"))
	case kindExpired:
		f.Observed = 1
		f.Evidence["last_committed"] = before.Committed
		f.Cause = fmt.Sprintf("the committed offset %d of group %q on %s is gone (expired or deleted): its next start follows its auto.offset.reset",
			before.Committed, s.Group, where)
		if s.State == GroupAbsent {
			f.Cause = fmt.Sprintf("group %q is gone, and with it its committed offset %d on %s: its next start follows its auto.offset.reset",
				s.Group, before.Committed, where)
		}
	}
}
