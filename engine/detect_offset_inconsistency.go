package engine

import (
	"fmt"
	"strconv"
)

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

// recreated tells that a partition's totals start anew because its topic was
// deleted and made again. The first partition to say so ends all that was
// known of the old topic; the others follow it.
func (t *Topic) recreated(s *PartitionStats) {
	old := *t.part(s.Partition)
	generation := old.Generation + 1
	if generation > t.state.Generation {
		t.startAnew(s, generation)
		t.tellRecreated(&old)
	}
	delete(t.parts, s.Partition)
	delete(t.ranks, s.Partition)
	t.changed[rankKey(s.Partition)] = true
	t.part(s.Partition).Generation = generation
}

// startAnew drops the rows of the old topic.
func (t *Topic) startAnew(s *PartitionStats, generation int) {
	for subject := range t.open {
		t.changed["f/"+subject] = true
	}
	for id := range t.heard {
		t.changed["h/"+id] = true
	}
	for name := range t.symbols {
		t.changed["s/"+name] = true
	}
	for start := range t.windows {
		t.changed[windowKey(start)] = true
	}
	parts := t.parts
	t.forget()
	for id, p := range parts {
		t.changed[partKey(id)], t.changed[rankKey(id)] = true, true
		if id < s.Partitions {
			t.part(id).Generation = p.Generation
		}
	}
	t.state = TopicState{Partitions: s.Partitions, ClosedTo: NoTime, Generation: generation, Past: t.state.Past}
	t.changed["t"] = true
}

func (t *Topic) tellRecreated(old *TopicPart) {
	f := t.newFinding(OffsetInconsistency, "topic/"+kindRecreated+"/"+strconv.Itoa(t.state.Generation), old.Stats.Through)
	f.Count, f.Observed, f.Threshold, f.Unit = 1, float64(old.Stats.Through+1), 0, "records"
	f.FirstTime, f.LastTime = Time(old.Stats.Watermark), Time(old.Stats.Watermark)
	f.Evidence["kind"] = kindRecreated
	f.Evidence["audited_before"] = old.Stats.Counts.Records
	f.Cause = fmt.Sprintf("topic %s was deleted and made again: its totals start anew, and what was known of the old one judges nothing", t.name)
	f.Action = "Nothing, if it was done on purpose; reset the offsets of other groups that read the topic."
	t.openFinding(subjectRecreated, f)
}

// subjectRecreated is the subject of the open finding about a topic that was
// made again.
const subjectRecreated = "recreated"

// settleRecreated ends that finding when some windows of the new topic are
// over: its totals speak for themselves by then.
func (t *Topic) settleRecreated() {
	if t.find(subjectRecreated) == nil {
		return
	}
	if t.state.Anew++; t.state.Anew >= recreatedWindows {
		t.state.Anew = 0
		t.close(subjectRecreated)
	}
}

// recreatedWindows is the number of windows that it lasts.
const recreatedWindows = 3
