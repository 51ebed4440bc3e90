package engine

import (
	"fmt"
	"strconv"
)

// Unknown stands for an offset that is not known, or not committed.
const Unknown = -1

// LagSample is one watched group's offset on one partition. The log's start is
// read before the committed offset and its end after it, so that sampling
// alone puts no commit below the one or beyond the other.
type LagSample struct {
	Group     string
	Partition int32
	Committed int64 // next offset to read, Unknown: none committed
	Start     int64 // log start, Unknown
	End       int64 // log end: the high watermark, as a reader of uncommitted records commits beyond the last stable offset; Unknown
	Open      int64 // offsets below End that open transactions hold back from readers of committed records
	Compacted bool  // the log is compacted: a distance of offsets is no number of records
	TopicID   string
	Epoch     *int32  // leader epoch of the log when Committed lay below its end, nil: not known
	Cut       *LogCut // the log was cut since the group was sampled last, nil: not that it is known
	Unread    *Unread // what the log holds for the group, nil: not read
	Members   int     // members of the group, Unknown
	GroupType string  // classic, consumer, or "" when not known
	State     string
	Failed    string // why the offsets could not be read, "" when they were: nothing is judged
}

// Unread is what was read of a log from a group's position on, as a reader of
// committed records sees it: transaction markers, aborted records and what
// compaction removed are no records.
type Unread struct {
	First   int64 // offset of the first record; Through when there is none below it
	Time    int64 // its record time, NoTime when there is none
	Count   int64 // records below Through
	Through int64 // the log was read up to here, exclusive
}

// position is the first offset that the group may still read.
func (s *LagSample) position() int64 { return max(s.Committed, s.Start) }

// readable is the end of what the group can read: the last stable offset,
// unless it has read beyond that.
func (s *LagSample) readable() int64 {
	if stable := s.End - s.Open; s.Committed <= stable {
		return stable
	}
	return s.End
}

// lagOf is the number of offsets that the group can still read, or of records
// as far as the log was read; Unknown when an offset that it needs is not
// known. A commit below the log's start counts from the start, one beyond the
// end as 0.
func lagOf(s *LagSample) int64 {
	if s.Committed == Unknown || s.End == Unknown {
		return Unknown
	}
	lag := max(0, s.readable()-s.position())
	if u := s.Unread; u != nil {
		lag = min(lag, u.Count+max(0, s.readable()-u.Through))
	}
	return lag
}

// Lag is the number of records that the group can still read, Unknown when it
// cannot be told. It is at most that many where markers or gaps lie beyond
// what was read of the log.
func (s *LagSample) Lag() int64 { return lagOf(s) }

// Age is how old the group's oldest unread record is at now, nanoseconds; 0
// when it has read everything, NoTime when the record's time is not known.
func (s *LagSample) Age(now int64) int64 {
	switch lag := lagOf(s); {
	case lag == 0:
		return 0
	case lag == Unknown, now == NoTime, s.Unread == nil, s.Unread.Time == NoTime:
		return NoTime
	}
	return max(0, now-s.Unread.Time)
}

// ObserveLag takes the offsets of all watched groups on all partitions, read
// at one moment; now is the clock, NoTime where there is none.
func (t *Topic) ObserveLag(samples []LagSample, now int64) {
	t.maxLag, t.lagging, t.unknown = nil, -1, ""
	unknown, watched := int64(0), map[string]bool{}
	for i := range samples {
		one := samples[i]
		s := &one
		watched[s.Group] = true
		if s.Failed == "" && t.isBetween(s) {
			s.Failed = "the topic was deleted or made anew"
		}
		if s.Failed != "" {
			if unknown++; unknown == 1 {
				t.unknown = fmt.Sprintf("lag of group %q on partition %d unknown: %s", s.Group, s.Partition, s.Failed)
			}
			continue
		}
		t.members[s.Group] = s.Members
		before := t.lagBefore(s, now)
		t.judgeOffset(s, t.judgeCut(s, offsetFault(s, before), before, now), before, now)
		lag := lagOf(s)
		t.judgeLag(s, lag, before, now)
		t.noteLag(s, lag, before, now)
		if lag == Unknown {
			if unknown++; unknown == 1 {
				t.unknown = fmt.Sprintf("lag of group %q on partition %d unknown%s", s.Group, s.Partition, s.unread())
			}
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
	if unknown > 1 {
		t.unknown += fmt.Sprintf(", and %d more", unknown-1)
	}
	t.unwatch(watched, now)
}

// unread says how much a group that has committed nothing has not read.
func (s *LagSample) unread() string {
	switch {
	case s.State == GroupAbsent:
		return ": no group has that name"
	case s.Committed != Unknown || s.Start == Unknown || s.End == Unknown:
		return ""
	}
	return fmt.Sprintf(": it has committed nothing, %d unread", max(0, s.End-s.Start))
}

// GroupAbsent is the state of a watched group that does not exist.
const GroupAbsent = "absent"

// The kinds of OFFSET_INCONSISTENCY.
const (
	kindAhead     = "AHEAD_OF_END"
	kindBelow     = "BELOW_START"
	kindExpired   = "EXPIRED"
	kindRecreated = "RECREATED"
)

// offsetFault is the kind of fault in a sample, "" for none.
func offsetFault(s *LagSample, before *lagState) string {
	switch {
	case s.Committed == Unknown && before.Committed != Unknown:
		return kindExpired
	case s.Committed == Unknown:
		return ""
	case s.End != Unknown && s.Committed > s.End:
		return kindAhead
	case s.Start != Unknown && max(s.Committed, before.clear(s.Committed)) < s.Start:
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
	f.Evidence["basis"] = t.lagBasis()
	f.Evidence["committed"], f.Evidence["log_start"], f.Evidence["log_end"] = s.Committed, s.Start, s.End
	if s.Open > 0 {
		f.Evidence["last_stable"] = s.End - s.Open
	}
	if s.Members != Unknown {
		f.Evidence["members"] = s.Members
	}
	if s.State != "" {
		f.Evidence["group_state"] = s.State
	}
	if s.GroupType != "" {
		f.Evidence["group_type"] = s.GroupType
	}
}

// lagBasis is what offsets rest on. A live group's position is known to its
// members alone: Kafka tells what it has committed.
func (t *Topic) lagBasis() string {
	if t.limits.Replay {
		return t.limits.OffsetBasis
	}
	return "COMMITTED"
}
