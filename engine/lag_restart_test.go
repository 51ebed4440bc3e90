package engine

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func gone(group string) LagSample {
	return LagSample{Group: group, Committed: Unknown, Start: Unknown, End: Unknown, State: GroupAbsent, Members: Unknown}
}

// What is remembered is sampled again after a restart: a group that went
// meanwhile is told as one that goes while the audit runs, and once.
func TestAGroupThatIsGoneAfterARestartIsTold(t *testing.T) {
	r := newLagRun(t, func(l *Limits) { l.MaxLagTicks = 10 })
	r.at(0, behind(20, 100))
	r.restart()
	known := r.topic.Watched()
	if len(known) != 1 || known[0].Group != "g" || known[0].Committed != 20 || known[0].Gone != NoTime {
		t.Fatalf("remembers %+v", known)
	}
	r.at(time.Hour, gone(known[0].Group))
	lost := []string{"OPENED CONSUMER_LAG", "OPENED OFFSET_INCONSISTENCY EXPIRED"}
	r.wants(lost...)
	r.restart()
	if known = r.topic.Watched(); len(known) != 1 || known[0].Gone != Time(t0+int64(time.Hour)) {
		t.Errorf("remembers %+v", known)
	}
	r.at(time.Hour+time.Second, gone("g"))
	r.wants(lost...)
	r.at(2*time.Hour, behind(100, 100))
	r.wants(append(lost, "RESOLVED OFFSET_INCONSISTENCY EXPIRED", "RESOLVED CONSUMER_LAG")...)
}

// One that is no longer sampled is forgotten, with a word.
func TestAGroupThatIsWatchedNoLongerIsForgotten(t *testing.T) {
	r := newLagRun(t, nil)
	r.at(0, behind(20, 20))
	r.at(time.Second, gone("g"))
	r.at(2 * time.Second)
	r.wants("OPENED OFFSET_INCONSISTENCY EXPIRED", "RESOLVED OFFSET_INCONSISTENCY EXPIRED")
	if f := r.told[1]; f.Evidence["ended"] != "the group is watched no longer" {
		t.Errorf("evidence %v", f.Evidence)
	}
	r.restart()
	if known := r.topic.Watched(); len(known) != 0 {
		t.Errorf("remembers %+v", known)
	}
}

// Kafka drops a group without members with its last offsets, those of the
// topic that was deleted. That it read the old topic is told once, whatever
// restarts come after.
func TestAGroupThatWentWithItsTopicIsToldOnce(t *testing.T) {
	r := newLagRun(t, nil)
	old, anew := behind(20, 20), gone("g")
	old.TopicID, anew.TopicID = "old", "new"
	r.at(0, old)
	for i := range 3 {
		r.restart()
		r.at(time.Duration(i+1)*time.Hour, anew)
		if known := r.topic.Watched(); len(known) != 1 || known[0].Gone != Time(t0+int64(time.Hour)) {
			t.Errorf("remembers %+v", known)
		}
	}
	r.wants("OPENED OFFSET_INCONSISTENCY RECREATED")
	if r.told[0].Count != 1 {
		t.Errorf("counted %d times", r.told[0].Count)
	}
}

// observe gives the times of a group's rebalances on a clock that begins with
// the process.
func (r *lagRun) observe(now time.Duration, at ...time.Duration) {
	var times []int64
	for _, d := range at {
		times = append(times, int64(d))
	}
	r.topic.ObserveRebalances("g", times, int64(now))
	r.at(now, behind(5, 5))
}

func TestAStormGoesOnOverARestart(t *testing.T) {
	const s = time.Second
	r := newLagRun(t, nil)
	r.observe(100*s, 70*s, 80*s, 90*s, 100*s)
	r.wants("OPENED REBALANCE_STORM")
	r.restart()
	r.observe(5 * s)
	r.observe(40*s, 40*s)
	r.observe(80*s, 40*s)
	r.wants("OPENED REBALANCE_STORM")
	f := r.topic.find("storm/g")
	if f == nil || f.Count != 5 || !strings.Contains(f.Cause, "5 times, 1 of them since the audit went on") {
		t.Fatalf("open: %+v", f)
	}
	r.observe(101*s, 40*s)
	r.wants("OPENED REBALANCE_STORM", "RESOLVED REBALANCE_STORM")
	r.observe(140*s, 40*s, 120*s, 130*s, 140*s)
	r.wants("OPENED REBALANCE_STORM", "RESOLVED REBALANCE_STORM", "OPENED REBALANCE_STORM")
	if f := r.told[2]; f.Count != 3 || !strings.Contains(f.Cause, "rebalanced 3 times within") {
		t.Errorf("told %+v", f)
	}
}

// Times of a clock that has not started anew tell of the storm themselves.
func TestAStormIsNotCountedTwiceOnOneClock(t *testing.T) {
	const s = time.Second
	r := newLagRun(t, nil)
	at := []time.Duration{70 * s, 80 * s, 90 * s, 100 * s}
	r.observe(100*s, at...)
	r.restart()
	r.observe(101*s, at...)
	if f := r.topic.find("storm/g"); f == nil || f.Count != 4 {
		t.Errorf("open: %+v", f)
	}
	r.observe(161*s, at...)
	r.wants("OPENED REBALANCE_STORM", "RESOLVED REBALANCE_STORM")
}

func TestAStormOfAGroupThatIsWatchedNoLongerIsOver(t *testing.T) {
	const s = time.Second
	r := newLagRun(t, nil)
	r.observe(100*s, 70*s, 80*s, 90*s)
	r.restart()
	r.topic.ObserveRebalances("own", nil, int64(s))
	r.at(101 * s)
	r.wants("OPENED REBALANCE_STORM", "RESOLVED REBALANCE_STORM")
}

func (s LagSample) cutTo(to, read int64) LagSample {
	s.Cut = &LogCut{to, read}
	return s
}

// A log that was cut below a commit and has grown past it again is told of its
// groups: the commit stands for another record.
func TestACutThatWasGrownOverIsToldOfItsGroups(t *testing.T) {
	const told, over = "OPENED OFFSET_INCONSISTENCY TRUNCATED", "RESOLVED OFFSET_INCONSISTENCY TRUNCATED"
	for name, c := range map[string]struct {
		after []LagSample // a second apart from the second minute on
		want  []string
	}{
		"stays":           {[]LagSample{behind(90, 200).cutTo(50, 90), behind(90, 210)}, []string{told}},
		"goes back":       {[]LagSample{behind(90, 200).cutTo(50, 90), behind(50, 210)}, []string{told, over}},
		"was back before": {[]LagSample{behind(50, 200).cutTo(50, 90), behind(95, 210).cutTo(50, 90)}, nil},
		"lay below":       {[]LagSample{behind(50, 200).cutTo(50, 51)}, nil},
		"goes on": {append([]LagSample{behind(90, 200).cutTo(50, 90)}, slices.Repeat([]LagSample{behind(95, 210)}, 70)...),
			[]string{told, over}},
		"beyond the end, then not": {[]LagSample{behind(90, 50).cutTo(50, 90), behind(90, 50).cutTo(50, 90), behind(90, 91)}, []string{told}},
		"cut again":                {[]LagSample{behind(90, 200).cutTo(50, 90), behind(90, 200).cutTo(40, 90)}, []string{told, over, told}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newLagRun(t, func(l *Limits) { l.MaxLag = 0 })
			r.at(0, behind(90, 100))
			for i, s := range c.after {
				r.at(time.Minute+time.Duration(i)*time.Second, s)
				if i == 0 && len(c.want) > 0 {
					r.restart()
				}
			}
			r.wants(c.want...)
			if len(c.want) == 0 {
				return
			}
			f := r.told[0]
			if f.FirstOffset != 50 || f.LastOffset != 89 || f.Observed != 40 || f.Evidence["from"] != int64(90) || f.Evidence["to"] != int64(50) {
				t.Errorf("%s, evidence %v", showFinding(&f), f.Evidence)
			}
		})
	}
}

// The leader epoch is kept with the commit that was seen under it.
func TestACommitIsKeptWithItsLeaderEpoch(t *testing.T) {
	r := newLagRun(t, nil)
	at := func(after time.Duration, committed int64, epoch int32) {
		s := behind(committed, 100)
		if s.TopicID = "id"; epoch >= 0 {
			s.Epoch = &epoch
		}
		r.at(after, s)
	}
	for i, step := range []struct {
		committed int64
		epoch     int32
		want      int32
	}{{10, 3, 3}, {10, -1, 3}, {10, 4, 4}, {20, 4, 4}} {
		at(time.Duration(i)*time.Hour, step.committed, step.epoch)
		r.restart()
		known := r.topic.Watched()
		if len(known) != 1 || known[0].Committed != step.committed || known[0].Epoch == nil || *known[0].Epoch != step.want {
			t.Errorf("step %d: remembers %+v", i, known)
		}
	}
}
