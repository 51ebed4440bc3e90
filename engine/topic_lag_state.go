package engine

import (
	"maps"
	"slices"
	"strconv"
	"time"
)

// TopicGroup is what is durable of a watched group's partition: enough to
// tell after a restart that its commit is gone or that its topic was made anew.
type TopicGroup struct {
	Committed int64  `json:"committed"` // a recent one, Unknown: none of the topic that TopicID names
	TopicID   string `json:"topic_id,omitempty"`
	Epoch     *int32 `json:"epoch,omitempty"` // leader epoch of a log that held what lies below Committed, nil: not known
}

// lagState is what the topic remembers of a group's partition.
type lagState struct {
	TopicGroup
	end     int64
	since   int64      // when it was first seen behind at this commit, NoTime: it is not
	kept    int64      // when the row was written last
	from    int64      // Committed when clear was found
	clearTo int64      // no record lies below this from there on
	cut     LogCut     // the last that was told
	points  []lagPoint // ascending, lagPointEvery apart
}

// lagPoint is a sample that trends are reckoned from.
type lagPoint struct{ at, committed, end, lag int64 }

const (
	lagPointEvery = int64(5 * time.Second)
	lagPoints     = 13                     // a minute of them
	lagPointOld   = 2 * int64(time.Minute) // no trend is reckoned from an older one
	// lagStopped is how long a group must have committed nothing, while
	// records came, to be called stopped.
	lagStopped = int64(30 * time.Second)
	// lagKeepEvery is the least time between two rows of a group's partition.
	lagKeepEvery = int64(time.Minute)
)

// clear is the offset below which no record lies from the commit on.
func (l *lagState) clear(committed int64) int64 {
	if l.from == committed {
		return l.clearTo
	}
	return committed
}

func groupKey(group string, partition int32) string {
	return strconv.Itoa(int(partition)) + "/" + group
}

// lagBefore is the state of a sample's group before it. One that was of
// another topic of that name is told and forgotten.
func (t *Topic) lagBefore(s *LagSample, now int64) *lagState {
	key := groupKey(s.Group, s.Partition)
	before := t.lag[key]
	anew := before != nil && s.TopicID != "" && before.TopicID != "" && before.TopicID != s.TopicID
	if anew && before.Committed != Unknown {
		t.groupRecreated(s, before, now)
	}
	if before == nil || anew {
		before = newLagState(TopicGroup{Committed: Unknown})
		t.lag[key] = before
	}
	if anew {
		// Durable, so that it is not told once more after a restart.
		before.TopicID, t.changed["g/"+key] = s.TopicID, true
	}
	return before
}

func newLagState(g TopicGroup) *lagState {
	return &lagState{TopicGroup: g, end: Unknown, since: NoTime, kept: NoTime, from: Unknown}
}

// noteLag brings the state to a sample.
func (t *Topic) noteLag(s *LagSample, lag int64, l *lagState, now int64) {
	moved := s.Committed != Unknown && s.Committed != l.Committed
	named := s.TopicID != "" && s.TopicID != l.TopicID
	elected := false // another leader of the log
	switch {
	case lag <= 0:
		l.since = NoTime
	case moved || l.since == NoTime:
		l.since = now
	}
	if s.Committed != Unknown {
		// What is read from a start beyond the commit on says nothing of the
		// offsets between them.
		if u := s.Unread; u != nil && max(s.Committed, l.clear(s.Committed)) >= s.Start {
			l.from, l.clearTo = s.Committed, u.First
		}
		elected = s.Epoch != nil && (l.Epoch == nil || *l.Epoch != *s.Epoch)
		if l.Committed = s.Committed; moved || elected {
			l.Epoch = s.Epoch
		}
	}
	if named {
		l.TopicID = s.TopicID
	}
	if s.End != Unknown {
		l.end = s.End
	}
	if now == NoTime {
		return
	}
	if lag != Unknown && (len(l.points) == 0 || now-l.points[len(l.points)-1].at >= lagPointEvery) {
		l.points = append(l.points, lagPoint{now, s.Committed, s.End, lag})
		l.points = l.points[max(0, len(l.points)-lagPoints):]
	}
	if l.Committed != Unknown && (named || elected || l.kept == NoTime || moved && now-l.kept >= lagKeepEvery) {
		l.kept = now
		t.changed["g/"+groupKey(s.Group, s.Partition)] = true
	}
}

// restoreGroup takes a durable row of a watched group's partition.
func (t *Topic) restoreGroup(key string, g *TopicGroup) {
	if delete(t.lag, key); g != nil {
		t.lag[key] = newLagState(*g)
	}
}

// lagTrend is how a group's lag has moved of late.
type lagTrend struct {
	word          string // growing, shrinking, steady, stopped or unknown
	read, written float64
	known         bool    // rates are
	catchUp       float64 // seconds until it has read everything at this pace; 0: never
}

// trend compares a sample with the oldest point that is not too old.
func (l *lagState) trend(s *LagSample, lag, now int64) lagTrend {
	old := slices.IndexFunc(l.points, func(p lagPoint) bool { return now-p.at <= lagPointOld })
	if now == NoTime || old < 0 || now <= l.points[old].at {
		return lagTrend{word: "unknown"}
	}
	first := l.points[old]
	span := now - first.at
	seconds := time.Duration(span).Seconds()
	r := lagTrend{word: "steady", known: span >= lagPointEvery}
	r.read = max(0, float64(s.Committed-first.committed)/seconds)
	r.written = max(0, float64(s.End-first.end)/seconds)
	switch {
	case span >= lagStopped && s.Committed == first.committed && s.End > first.end:
		r.word = "stopped"
	case lag > first.lag:
		r.word = "growing"
	case lag < first.lag:
		r.word = "shrinking"
		if r.read > r.written {
			r.catchUp = float64(lag) / (r.read - r.written)
		}
	}
	return r
}

// subjects are the subjects of what is open, ascending.
func (t *Topic) subjects() []string { return slices.Sorted(maps.Keys(t.open)) }
