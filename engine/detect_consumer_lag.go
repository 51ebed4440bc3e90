package engine

import "fmt"

// judgeLag opens CONSUMER_LAG when a group's lag is above the limit and ends
// it when the lag is well below.
func (t *Topic) judgeLag(s *LagSample, lag int64, before lagState, now int64) {
	subject := s.subject("lag", "")
	f := t.find(subject)
	limit := t.limits.MaxLagTicks
	switch {
	case lag == Unknown:
		return
	case f == nil && lag <= limit:
		return
	case f != nil && float64(lag) <= resolvePart*float64(limit):
		f.LastTime = Time(now)
		t.close(subject)
		return
	}
	opened := f == nil
	if opened {
		f = t.groupFinding(ConsumerLag, s, subject, s.Committed, now)
		f.Threshold = float64(limit)
	}
	f.Count++
	f.LastTime, f.LastOffset = Time(now), s.Committed
	f.Observed = max(f.Observed, float64(lag))
	t.groupEvidence(f, s)
	f.Evidence["lag"] = lag
	trend := "unknown"
	if before.lag != Unknown {
		switch {
		case lag > before.lag:
			trend = "growing"
		case lag < before.lag:
			trend = "shrinking"
		default:
			trend = "steady"
		}
	}
	f.Evidence["trend"] = trend
	f.Cause = fmt.Sprintf("group %q is %d records behind the end of %s/%d (committed %d, end %d)",
		s.Group, lag, t.name, s.Partition, s.Committed, s.End)
	if opened {
		t.openFinding(subject, f)
	} else {
		t.update(subject)
	}
}
