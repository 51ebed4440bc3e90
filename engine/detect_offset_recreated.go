package engine

import (
	"fmt"
	"strings"
)

// groupRecreated tells that a watched group's offsets were of another topic of
// that name: one finding a group, whatever its partitions.
func (t *Topic) groupRecreated(s *LagSample, before *lagState, now int64) {
	subject := "offset/" + kindRecreated + "/" + s.Group
	f := t.find(subject)
	if f != nil {
		f.Count++
		f.LastTime = Time(now)
		t.changed["f/"+subject] = true
		return
	}
	f = t.newFinding(OffsetInconsistency, subject, before.Committed)
	f.Group, f.Count, f.Observed, f.Unit = s.Group, 1, float64(before.Committed), "records"
	f.FirstTime, f.LastTime = Time(now), Time(now)
	t.groupEvidence(f, s)
	f.Evidence["kind"] = kindRecreated
	f.Evidence["topic_id"], f.Evidence["topic_id_before"] = s.TopicID, before.TopicID
	f.Evidence["last_committed"] = before.Committed
	f.Cause = fmt.Sprintf("group %q had committed %d on %s/%d of a topic that was deleted and made again since: its offsets are of the old log",
		s.Group, before.Committed, t.name, s.Partition)
	f.Action = "Nothing, if it was done on purpose and the group has started anew; otherwise reset its offsets."
	t.openFinding(subject, f)
}

// settleGroupRecreated ends that finding a minute later, when the group has
// offsets that are true for the new log.
func (t *Topic) settleGroupRecreated(s *LagSample, kind string, now int64) {
	subject := "offset/" + kindRecreated + "/" + s.Group
	f := t.find(subject)
	if f == nil || now == NoTime || kind != "" || s.Committed == Unknown || now-int64(f.LastTime) < updateEvery {
		return
	}
	for _, other := range t.subjects() {
		if strings.HasPrefix(other, "offset/") && other != subject && t.find(other).Group == s.Group {
			return
		}
	}
	f.LastTime = Time(now)
	t.close(subject)
}
