package engine

import (
	"fmt"
	"strconv"
)

// Unknown stands for an offset that is not known, or not committed.
const Unknown = -1

// LagSample is one watched group's offset on one partition. The committed
// offset is read before the log's end, so that the end can never lie below
// it by sampling alone.
type LagSample struct {
	Group     string
	Partition int32
	Committed int64 // next offset to read, Unknown: none committed
	Start     int64 // log start, Unknown
	End       int64 // log end: the high watermark, as a reader of uncommitted records commits beyond the last stable offset; Unknown
	Members   int   // members of the group, Unknown
	GroupType string
	State     string
}

// lagState is what the topic remembers of a group's partition.
type lagState struct {
	committed int64
	lag       int64 // Unknown: not measured
}

// ObserveLag takes the offsets of all watched groups on all partitions, read
// at one moment; now is the clock, NoTime in replay.
func (t *Topic) ObserveLag(samples []LagSample, now int64) {
	t.maxLag, t.lagging, t.unknown = nil, -1, ""
	for i := range samples {
		s := &samples[i]
		key := s.Group + "/" + strconv.Itoa(int(s.Partition))
		before, known := t.lag[key]
		if !known {
			before = lagState{Unknown, Unknown}
		}
		kind := offsetFault(s, before)
		t.judgeOffset(s, kind, before, now)
		lag := lagOf(s)
		t.judgeLag(s, lag, before, now)
		after := lagState{s.Committed, lag}
		if s.Committed == Unknown {
			after.committed = before.committed
		}
		t.lag[key] = after
		if lag == Unknown {
			t.unknown = fmt.Sprintf("lag of group %q on partition %d unknown%s", s.Group, s.Partition, s.unread())
			continue
		}
		if t.maxLag == nil || lag > *t.maxLag {
			l := lag
			t.maxLag = &l
			if lag > 0 {
				t.lagging = s.Partition
			}
		}
	}
}

// lagOf is the number of offsets that the group can still read; Unknown when
// an offset that it needs is not known. A commit below the log's start counts
// from the start, one beyond the end as 0.
func lagOf(s *LagSample) int64 {
	if s.Committed == Unknown || s.End == Unknown {
		return Unknown
	}
	return max(0, s.End-max(s.Committed, s.Start))
}

// unread says how much a group that has committed nothing has not read.
func (s *LagSample) unread() string {
	if s.Committed != Unknown || s.Start == Unknown || s.End == Unknown {
		return ""
	}
	return fmt.Sprintf(": it has committed nothing, %d unread", max(0, s.End-s.Start))
}

// The kinds of OFFSET_INCONSISTENCY.
const (
	kindAhead     = "AHEAD_OF_END"
	kindBelow     = "BELOW_START"
	kindExpired   = "EXPIRED"
	kindRecreated = "RECREATED"
)

// offsetFault is the kind of fault in a sample, "" for none.
func offsetFault(s *LagSample, before lagState) string {
	switch {
	case s.Committed == Unknown && before.committed != Unknown:
		return kindExpired
	case s.Committed == Unknown:
		return ""
	case s.End != Unknown && s.Committed > s.End:
		return kindAhead
	case s.Start != Unknown && s.Committed < s.Start:
		return kindBelow
	}
	return ""
}

func (s *LagSample) subject(prefix, kind string) string {
	return prefix + "/" + kind + "/" + s.Group + "/" + strconv.Itoa(int(s.Partition))
}

// groupFinding is a new finding about a group on a partition.
func (t *Topic) groupFinding(c Code, s *LagSample, subject string, offset, now int64) *Finding {
	f := t.newFinding(c, subject, offset)
	id := s.Partition
	f.Partition, f.Group = &id, s.Group
	f.FirstTime, f.LastTime = Time(now), Time(now)
	f.Unit = "records"
	return f
}

// groupEvidence is what every finding about a group carries.
func (t *Topic) groupEvidence(f *Finding, s *LagSample) {
	f.Evidence["basis"] = t.limits.OffsetBasis
	f.Evidence["committed"], f.Evidence["log_start"], f.Evidence["log_end"] = s.Committed, s.Start, s.End
	if s.Members != Unknown {
		f.Evidence["members"] = s.Members
	}
	if s.State != "" {
		f.Evidence["group_state"] = s.State
	}
}
