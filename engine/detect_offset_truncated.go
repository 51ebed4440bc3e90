package engine

import "fmt"

// LogCut is a truncation of a log below what a group had read of it.
type LogCut struct {
	To   int64 // the log was cut back to here; what lies from here on came since
	Read int64 // the group had read the log before the cut up to here
}

// judgeCut opens OFFSET_INCONSISTENCY of kind TRUNCATED when a log was cut
// below a group's commit, whether it ends behind that again by now or not: the
// offset stands for other records. It ends when the group goes back to the cut,
// or a minute after it has gone on without. While it is open the same commit
// beyond the end is told by it. It returns the kind that is left to judge.
func (t *Topic) judgeCut(s *LagSample, kind string, before *lagState, now int64) string {
	subject := s.subject("offset", kindTruncated)
	f := t.find(subject)
	c := s.Cut
	if c != nil && (before.cut == *c || f != nil && f.FirstOffset == c.To) {
		c = nil // judged before
	}
	if c != nil {
		before.cut = *c
	}
	switch {
	case c != nil && s.Committed >= c.Read && s.Committed > c.To:
		t.close(subject) // of an earlier cut
		t.openCut(s, subject, now)
	case f == nil:
		return kind
	case s.Committed != f.LastOffset+1:
		back := s.Committed <= f.FirstOffset // or gone
		if back || now != NoTime && now-int64(f.LastTime) >= updateEvery {
			f.LastTime = Time(now)
			t.close(subject)
		}
		return kind
	default:
		f.Count++
		f.LastTime = Time(now)
		t.update(subject)
	}
	if kind == kindAhead {
		return ""
	}
	return kind
}

func (t *Topic) openCut(s *LagSample, subject string, now int64) {
	f := t.groupFinding(OffsetInconsistency, s, subject, s.Cut.To, now)
	f.LastOffset, f.Count, f.Observed = s.Committed-1, 1, float64(s.Committed-s.Cut.To)
	t.groupEvidence(f, s)
	f.Evidence["kind"] = kindTruncated
	f.Evidence["from"], f.Evidence["to"] = s.Committed, s.Cut.To
	f.Cause = fmt.Sprintf("the log of %s/%d was truncated to %d, and group %q has committed %d: what stands between the two came since and is not what it has read (unclean leader election)",
		t.name, s.Partition, s.Cut.To, s.Group, s.Committed)
	f.Action = fmt.Sprintf("Reset the group to %d on partition %d, or records are not read; find out which broker became leader without being in sync, and set unclean.leader.election.enable=false and acks=all.",
		s.Cut.To, s.Partition)
	t.openFinding(subject, f)
}
