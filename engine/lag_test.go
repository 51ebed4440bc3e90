package engine

import (
	"strings"
	"testing"
	"time"
)

// lagRun gives one group's samples to a topic and keeps what it told.
type lagRun struct {
	t     *testing.T
	topic *Topic
	now   int64
	told  []Finding
	rows  map[string]TopicRow
}

func newLagRun(t *testing.T, limit func(*Limits)) *lagRun {
	l := DefaultLimits()
	if limit != nil {
		limit(&l)
	}
	return &lagRun{t: t, topic: NewTopic("ticks", 1, &l), now: t0, rows: map[string]TopicRow{}}
}

// at gives the samples so long after the start.
func (r *lagRun) at(after time.Duration, samples ...LagSample) {
	r.now = t0 + int64(after)
	r.topic.ObserveLag(samples, r.now)
	s := r.topic.Snapshot()
	for _, report := range s.Reports {
		r.told = append(r.told, report.Findings...)
	}
	for _, row := range s.Rows {
		r.rows[row.Key] = row
	}
}

// restart gives the durable rows to a new topic.
func (r *lagRun) restart() {
	next := NewTopic("ticks", 1, r.topic.limits)
	for _, row := range r.rows {
		next.Restore(row)
	}
	r.topic = next
}

// wants compares what was told: state, code, kind.
func (r *lagRun) wants(want ...string) {
	r.t.Helper()
	var got []string
	for _, f := range r.told {
		line := f.State.String() + " " + f.Code.String()
		if kind, ok := f.Evidence["kind"].(string); ok {
			line += " " + kind
		}
		got = append(got, line)
	}
	if strings.Join(got, ", ") != strings.Join(want, ", ") {
		r.t.Errorf("told %q, want %q", got, want)
	}
}

func (r *lagRun) wantLag(want int64) {
	r.t.Helper()
	if r.topic.maxLag == nil || *r.topic.maxLag != want {
		r.t.Errorf("lag %v, want %d", r.topic.maxLag, want)
	}
}

func behind(committed, end int64) LagSample {
	return LagSample{Group: "g", Committed: committed, End: end, Members: 1}
}

func (s LagSample) unreadSince(first int64, recordTime time.Duration, count, through int64) LagSample {
	s.Unread = &Unread{first, t0 + int64(recordTime), count, through}
	if count == 0 {
		s.Unread.Time = NoTime
	}
	return s
}

func TestG36AMarkerAtTheEndIsNoLag(t *testing.T) {
	r := newLagRun(t, func(l *Limits) { l.MaxLagTicks = 0 })
	for _, after := range []time.Duration{0, time.Minute, time.Hour} {
		r.at(after, behind(4, 5).unreadSince(5, 0, 0, 5))
		r.wantLag(0)
	}
	r.wants()
	r.at(time.Hour+time.Second, behind(4, 6).unreadSince(5, time.Hour, 1, 6))
	r.wantLag(1)
	r.wants("OPENED CONSUMER_LAG")
}

func TestAnOpenTransactionIsNoLagOfItsReaders(t *testing.T) {
	r := newLagRun(t, func(l *Limits) { l.MaxLagTicks = 5 })
	open := behind(10, 100)
	open.Open = 90
	r.at(0, open)
	r.wantLag(0)
	// One that has read beyond the last stable offset reads uncommitted.
	open.Committed = 20
	r.at(time.Second, open)
	r.wantLag(80)
	r.wants("OPENED CONSUMER_LAG")
}

func TestG38AnIdlePartitionIsNotStopped(t *testing.T) {
	r := newLagRun(t, nil)
	for _, after := range []time.Duration{0, time.Hour, 6 * time.Hour} {
		r.at(after, behind(100, 100))
	}
	r.at(6*time.Hour+5*time.Second, behind(100, 101))
	r.at(6*time.Hour+12*time.Second, behind(101, 101))
	r.wants()
	for i := range int64(10) {
		r.at(7*time.Hour+time.Duration(i)*time.Minute, behind(101, 102+i))
	}
	r.wants("OPENED CONSUMER_LAG", "UPDATED CONSUMER_LAG", "UPDATED CONSUMER_LAG", "UPDATED CONSUMER_LAG",
		"UPDATED CONSUMER_LAG", "UPDATED CONSUMER_LAG", "UPDATED CONSUMER_LAG", "UPDATED CONSUMER_LAG", "UPDATED CONSUMER_LAG")
	if f := r.told[len(r.told)-1]; f.Evidence["trend"] != "stopped" || f.Unit != "ms" {
		t.Errorf("trend %v, in %s", f.Evidence["trend"], f.Unit)
	}
}

func TestLagInTimeIsTheAgeOfTheOldestUnreadRecord(t *testing.T) {
	r := newLagRun(t, nil)
	r.at(30*time.Second, behind(5, 7).unreadSince(5, 0, 2, 7)) // 30 s is not more than 30 s
	r.wants()
	r.at(31*time.Second, behind(5, 7).unreadSince(5, 0, 2, 7))
	r.at(32*time.Second, behind(6, 7).unreadSince(6, 7*time.Second, 1, 7)) // 25 s: not yet well below
	r.wants("OPENED CONSUMER_LAG")
	f := r.told[0]
	if f.Observed != 31_000 || f.Threshold != 30_000 || f.Unit != "ms" || f.Evidence["lag"] != int64(2) || f.Evidence["lag_is"] != "exact" {
		t.Errorf("%s, evidence %v", showFinding(&f), f.Evidence)
	}
	if want := "its oldest unread record, 5, is 31s old"; !strings.Contains(f.Cause, want) {
		t.Errorf("cause %q does not say %q", f.Cause, want)
	}
	r.at(33*time.Second, behind(7, 7))
	r.wants("OPENED CONSUMER_LAG", "RESOLVED CONSUMER_LAG")
}

func TestG42ACompactedDistanceIsNoNumberOfRecords(t *testing.T) {
	r := newLagRun(t, func(l *Limits) { l.MaxLagTicks = 100 })
	s := behind(1, 1_000)
	s.Compacted = true
	r.at(0, s)
	r.wantLag(999)
	r.at(time.Second, s.unreadSince(500, time.Second, 2, 1_000)) // 500 and 999
	r.wantLag(2)
	r.at(2*time.Second, behind(1_000, 1_000))
	r.wantLag(0)
	r.wants()
}

func TestRetentionOfMarkersIsNoLoss(t *testing.T) {
	r := newLagRun(t, nil)
	r.at(0, behind(4, 5).unreadSince(5, 0, 0, 5))
	s := behind(4, 5)
	s.Start = 5 // the marker has gone too
	r.at(time.Minute, s)
	r.wants()
	s.Start, s.End = 9, 9
	r.at(2*time.Minute, s)
	r.wants("OPENED OFFSET_INCONSISTENCY BELOW_START")
	if f := r.told[0]; f.Evidence["lost"] != int64(4) {
		t.Errorf("lost %v, want 4", f.Evidence["lost"])
	}
}

func TestG44ATruncatedLogIsToldOfItsGroups(t *testing.T) {
	r := newLagRun(t, nil)
	r.at(0, behind(120, 120))
	r.at(time.Second, behind(120, 100))
	r.wants("OPENED OFFSET_INCONSISTENCY AHEAD_OF_END")
	if f := r.told[0]; f.Evidence["end_before"] != int64(120) || !strings.Contains(f.Cause, "moved back from 120 to 100") {
		t.Errorf("cause %q", f.Cause)
	}
}

func TestAGroupOfARecreatedTopicIsToldOnce(t *testing.T) {
	r := newLagRun(t, nil)
	sample := func(partition int32, committed, end int64, id string) LagSample {
		return LagSample{Group: "g", Partition: partition, Committed: committed, End: end, TopicID: id}
	}
	r.at(0, sample(0, 700, 700, "old"), sample(1, 800, 800, "old"))
	r.restart()
	// Kafka drops the commits of a deleted topic; lag is then unknown, not expired.
	r.at(time.Second, sample(0, Unknown, 3, "new"), sample(1, Unknown, 0, "new"))
	r.wants("OPENED OFFSET_INCONSISTENCY RECREATED")
	if f := r.told[0]; f.Count != 1 || f.Group != "g" || f.Evidence["topic_id_before"] != "old" || f.Evidence["last_committed"] != int64(700) {
		t.Errorf("%s, evidence %v", showFinding(&f), f.Evidence)
	}
	r.at(2*time.Second, sample(0, 3, 3, "new"), sample(1, 0, 0, "new"))
	r.at(3*time.Minute, sample(0, 3, 3, "new"), sample(1, 0, 0, "new"))
	r.wants("OPENED OFFSET_INCONSISTENCY RECREATED", "RESOLVED OFFSET_INCONSISTENCY RECREATED")
}

func TestACommitThatExpiredWhileTheAuditWasDownIsTold(t *testing.T) {
	r := newLagRun(t, nil)
	r.at(0, behind(20, 20))
	r.restart()
	r.at(24*time.Hour, LagSample{Group: "g", Committed: Unknown, Start: Unknown, End: Unknown, State: GroupAbsent, Members: Unknown})
	r.wants("OPENED OFFSET_INCONSISTENCY EXPIRED")
	if want := `group "g" is gone`; !strings.Contains(r.told[0].Cause, want) {
		t.Errorf("cause %q does not say %q", r.told[0].Cause, want)
	}
}

func TestOffsetsThatCouldNotBeReadJudgeNothing(t *testing.T) {
	r := newLagRun(t, func(l *Limits) { l.MaxLagTicks = 10 })
	r.at(0, behind(20, 100))
	r.at(time.Second, LagSample{Group: "g", Committed: Unknown, Start: Unknown, End: Unknown, Failed: "not authorized"})
	r.wants("OPENED CONSUMER_LAG")
	if r.topic.maxLag != nil || !strings.HasSuffix(r.topic.unknown, "unknown: not authorized") {
		t.Errorf("lag %v, note %q", r.topic.maxLag, r.topic.unknown)
	}
}

func TestAGroupThatIsWatchedNoLongerHasNoFindings(t *testing.T) {
	r := newLagRun(t, func(l *Limits) { l.MaxLagTicks = 10 })
	r.at(0, behind(0, 100))
	r.at(time.Second, LagSample{Group: "h", Committed: 5, End: 5})
	r.wants("OPENED CONSUMER_LAG", "RESOLVED CONSUMER_LAG")
}

func TestTrendAndTimeToCatchUp(t *testing.T) {
	r := newLagRun(t, func(l *Limits) { l.MaxLagTicks = 10 })
	for i := range int64(13) { // 100 written and 150 read a second
		r.at(time.Duration(i)*5*time.Second, behind(750*i, 10_000+500*i))
	}
	f := r.topic.find("lag//g/0")
	if f == nil {
		t.Fatal("no CONSUMER_LAG")
	}
	want := map[string]any{"trend": "shrinking", "read_per_sec": 150.0, "written_per_sec": 100.0, "catch_up_seconds": 7_000.0 / 50}
	for name, value := range want {
		if f.Evidence[name] != value {
			t.Errorf("%s %v, want %v", name, f.Evidence[name], value)
		}
	}
	for i := range int64(13) {
		r.at(2*time.Minute+time.Duration(i)*5*time.Second, behind(9_000, 16_000+500*i))
	}
	if f = r.topic.find("lag//g/0"); f.Evidence["trend"] != "stopped" || f.Evidence["catch_up_seconds"] != nil {
		t.Errorf("evidence %v, want stopped", f.Evidence)
	}
}

func TestManyUnknownLagsAreOneNote(t *testing.T) {
	r := newLagRun(t, nil)
	var samples []LagSample
	for p := range int32(1000) {
		samples = append(samples, LagSample{Group: "g", Partition: p, Committed: Unknown, End: 5})
	}
	r.at(0, samples...)
	want := `lag of group "g" on partition 0 unknown: it has committed nothing, 5 unread, and 999 more`
	if r.topic.unknown != want {
		t.Errorf("%q, want %q", r.topic.unknown, want)
	}
}

// Its position is the start by then, and what is read from there on says
// nothing of the records before it.
func TestACommitBelowTheStartStaysOneWhileNothingChanges(t *testing.T) {
	r := newLagRun(t, nil)
	s := behind(3, 60)
	r.at(0, s.unreadSince(3, 0, 57, 60))
	s.Start = 40
	for i := range 5 {
		r.at(time.Duration(i+1)*time.Second, s.unreadSince(40, 0, 20, 60))
	}
	r.wants("OPENED OFFSET_INCONSISTENCY BELOW_START")
	s.Committed = 41
	r.at(10*time.Second, s)
	r.wants("OPENED OFFSET_INCONSISTENCY BELOW_START", "RESOLVED OFFSET_INCONSISTENCY BELOW_START")
}

// What a group has committed of a topic that was made anew is told when the
// records of the new one are judged, and what was open of the old one is over.
func TestFindingsOfGroupsEndWithTheirTopic(t *testing.T) {
	r := newLagRun(t, func(l *Limits) { l.MaxLagTicks = 10 })
	sample := func(group string, committed, end int64, id string) LagSample {
		return LagSample{Group: group, Committed: committed, End: end, TopicID: id}
	}
	r.topic.Recovered("old")
	r.topic.Fold(anewStats(0, "old", false, 1))
	r.at(0, sample("behind", 1, 100, "old"), sample("gone", 5, 100, "old"))
	r.at(time.Second, sample("behind", 1, 100, "old"), sample("gone", Unknown, 100, "old"))
	before := []string{"OPENED CONSUMER_LAG", "OPENED CONSUMER_LAG", "OPENED OFFSET_INCONSISTENCY EXPIRED", "RESOLVED CONSUMER_LAG"}
	r.wants(before...)
	after := []LagSample{sample("behind", Unknown, 3, "new"), sample("gone", Unknown, 3, "new")}
	r.at(2*time.Second, after...)
	r.restart()
	r.topic.Recovered("new")
	r.at(3*time.Second, after...)
	r.wants(before...)
	r.topic.Fold(anewStats(0, "new", true, 1))
	r.at(4*time.Second, after...)
	r.at(5*time.Second, after...)
	r.wants(append(before, "RESOLVED CONSUMER_LAG", "RESOLVED OFFSET_INCONSISTENCY EXPIRED",
		"OPENED OFFSET_INCONSISTENCY RECREATED", "OPENED OFFSET_INCONSISTENCY RECREATED", "OPENED OFFSET_INCONSISTENCY RECREATED")...)
	for _, f := range r.told[len(before)+3:] {
		if f.Group != "behind" && f.Group != "gone" {
			t.Errorf("told %s", showFinding(&f))
		}
	}
}
