package engine

import (
	"fmt"
	"time"
)

// judgeLag opens CONSUMER_LAG when a group's lag is above the limit, in
// records or in time, and ends it when it is well below both.
func (t *Topic) judgeLag(s *LagSample, lag int64, before *lagState, now int64) {
	subject := s.subject("lag", "")
	f := t.find(subject)
	if lag == Unknown {
		if f != nil && s.Committed == Unknown && s.End != Unknown {
			t.close(subject) // its commit is gone, which is told as such
		}
		return
	}
	age, measured := lagAge(s, lag, before, now)
	far, old := lagSure(s, lag) > t.limits.MaxLagTicks, t.limits.MaxLag > 0 && age > int64(t.limits.MaxLag)
	switch {
	case f == nil && !far && !old:
		return
	case f != nil && float64(lagSure(s, lag)) <= resolvePart*float64(t.limits.MaxLagTicks) &&
		(t.limits.MaxLag == 0 || float64(age) <= resolvePart*float64(t.limits.MaxLag)):
		f.LastTime = Time(now)
		t.close(subject)
		return
	}
	opened := f == nil
	if opened {
		f = t.groupFinding(ConsumerLag, s, subject, s.Committed, now)
		f.Threshold = float64(t.limits.MaxLagTicks)
		if !far {
			f.Unit, f.Threshold = "ms", millis(int64(t.limits.MaxLag))
		}
	}
	f.Count++
	f.LastTime, f.LastOffset = Time(now), s.Committed
	if f.Unit == "ms" {
		f.Observed = max(f.Observed, millis(age))
	} else {
		f.Observed = max(f.Observed, float64(lag))
	}
	t.describeLag(f, s, lag, before, now)
	f.Cause += lagCause(s, age, measured)
	if opened {
		t.openFinding(subject, f)
	} else {
		t.update(subject)
	}
}

// lagSure is the lag as far as it is one of records: on a compacted log only
// what was read of it is.
func lagSure(s *LagSample, lag int64) int64 {
	switch {
	case !s.Compacted:
		return lag
	case s.Unread == nil:
		return 0
	}
	return min(lag, s.Unread.Count)
}

// lagAge is how old the group's oldest unread record is: by its own time, or
// at least since it was first seen unread.
func lagAge(s *LagSample, lag int64, before *lagState, now int64) (age int64, measured bool) {
	if age = s.Age(now); age != NoTime {
		return age, true
	}
	if lag > 0 && now != NoTime && before.since != NoTime && before.Committed == s.Committed {
		return now - before.since, false
	}
	return 0, false
}

// describeLag fills a finding's evidence and the first part of its cause.
func (t *Topic) describeLag(f *Finding, s *LagSample, lag int64, before *lagState, now int64) {
	t.groupEvidence(f, s)
	f.Evidence["lag"] = lag
	exact := s.Unread != nil && s.Unread.Through >= s.readable()
	f.Evidence["lag_is"] = "at most"
	if exact {
		f.Evidence["lag_is"] = "exact"
	}
	if age, measured := lagAge(s, lag, before, now); measured {
		f.Evidence["lag_ms"] = millis(age)
	} else if age > 0 {
		f.Evidence["lag_ms_at_least"] = millis(age)
	}
	if s.Unread != nil && s.Unread.Time != NoTime && lag > 0 {
		f.Evidence["oldest_unread"] = Time(s.Unread.Time)
	}
	trend := before.trend(s, lag, now)
	f.Evidence["trend"] = trend.word
	delete(f.Evidence, "catch_up_seconds")
	if trend.known {
		f.Evidence["read_per_sec"], f.Evidence["written_per_sec"] = trend.read, trend.written
		if trend.catchUp > 0 {
			f.Evidence["catch_up_seconds"] = trend.catchUp
		}
	}
	most := ""
	if s.Compacted && !exact {
		most = "up to "
	}
	f.Cause = fmt.Sprintf("group %q is %s%s behind the end of %s/%d (committed %d, end %d)",
		s.Group, most, plural(lag, "record"), t.name, s.Partition, s.Committed, s.readable())
	if s.Compacted && !exact {
		f.Cause += ", as the log is compacted"
	}
	if trend.word == "stopped" {
		f.Cause += "; it commits nothing while records come"
	} else if s.Members == 0 {
		f.Cause += "; it has no members"
	}
}

func lagCause(s *LagSample, age int64, measured bool) string {
	switch {
	case age <= 0:
		return ""
	case measured:
		return fmt.Sprintf("; its oldest unread record, %d, is %s old", s.Unread.First, time.Duration(age).Round(time.Millisecond))
	}
	return fmt.Sprintf("; it has been behind for %s at least", time.Duration(age).Round(time.Second))
}
