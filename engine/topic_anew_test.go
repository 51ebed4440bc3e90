package engine

import (
	"fmt"
	"slices"
	"testing"
)

// told are the states of a topic's own findings, and its records by partition.
func toldAndCounted(topic *Topic) (told []string, counted string) {
	for _, r := range topic.Snapshot().Reports {
		if r.Trigger == TriggerFinding {
			told = append(told, fmt.Sprintf("%s %v", r.Findings[0].State, r.Findings[0].Evidence["kind"]))
		}
	}
	return told, fmt.Sprint(topic.Final("").PartitionTicks)
}

func anewStats(id int32, topicID string, reset bool, windows int) *PartitionStats {
	s := windowsOf(id, windows, t0+int64(windows)*10e9)
	s.Partitions, s.TopicID, s.Reset = 2, topicID, reset
	return s
}

// A partition in which there had been nothing does not know that its topic was
// made anew. When it is the first to speak it is not forgotten with the rest.
func TestAPartitionWithoutAPastMayTellOfANewTopic(t *testing.T) {
	l := DefaultLimits()
	topic := NewTopic("ticks", 2, &l)
	topic.Fold(anewStats(0, "old", false, 1))
	topic.Fold(anewStats(1, "new", false, 2))
	topic.Fold(anewStats(0, "new", true, 1))
	told, counted := toldAndCounted(topic)
	if !slices.Equal(told, []string{"OPENED RECREATED"}) || counted != "map[0:200 1:400]" {
		t.Errorf("told %q, counted %s", told, counted)
	}
}

// A member that has not heard of it yet still tells of the old topic.
func TestStatisticsOfAFormerTopicAreLeftOut(t *testing.T) {
	l := DefaultLimits()
	topic := NewTopic("ticks", 2, &l)
	topic.Fold(anewStats(0, "old", false, 1))
	topic.Fold(anewStats(0, "new", true, 2))
	topic.Fold(anewStats(1, "old", false, 5))
	topic.Fold(anewStats(1, "old", true, 3)) // it was given the partition after another had started it anew
	topic.Fold(anewStats(1, "new", true, 1))
	told, counted := toldAndCounted(topic)
	if !slices.Equal(told, []string{"OPENED RECREATED"}) || counted != "map[0:400 1:200]" {
		t.Errorf("told %q, counted %s", told, counted)
	}
}

// Of a checkpoint that makes a topic anew any row may be the last that was
// written: what is read again makes the rest good.
func TestATopicMadeAnewByHalf(t *testing.T) {
	l := DefaultLimits()
	steps := "hstwp" // as they become durable
	for written := range len(steps) + 1 {
		topic := NewTopic("ticks", 2, &l)
		news := []*PartitionStats{anewStats(0, "new", true, 2), anewStats(1, "new", true, 1)}
		topic.Fold(anewStats(0, "old", false, 5))
		topic.Fold(anewStats(1, "old", false, 4))
		before := topic.Snapshot()
		for _, s := range news {
			topic.Fold(s)
		}
		after := topic.Snapshot()
		again := NewTopic("ticks", 2, &l)
		for _, r := range before.Rows {
			again.Restore(r)
		}
		for _, r := range after.Rows {
			if slices.Contains([]byte(steps[:written]), r.Key[0]) {
				again.Restore(r)
			}
		}
		again.Recovered("new")
		for _, s := range news {
			again.Fold(s)
		}
		if _, counted := toldAndCounted(again); counted != "map[0:400 1:200]" {
			t.Errorf("rows of %q written: counted %s", steps[:written], counted)
		}
		for _, w := range again.windows {
			if w.TopicID != "new" {
				t.Errorf("rows of %q written: a window of the old topic is open", steps[:written])
			}
		}
	}
}

// A window whose closing was durable when its own row was not yet deleted is
// not judged again by whatever loads that row has.
func TestAClosedWindowIsNotJudgedAgain(t *testing.T) {
	l := DefaultLimits()
	topic := NewTopic("ticks", 2, &l)
	half := anewStats(0, "id", false, 1)
	whole := []*PartitionStats{anewStats(0, "id", false, 2), anewStats(1, "id", false, 2)}
	topic.Fold(half)
	before := topic.Snapshot()
	for _, s := range whole {
		topic.Fold(s)
	}
	after := topic.Snapshot()
	again := NewTopic("ticks", 2, &l)
	for _, r := range before.Rows {
		again.Restore(r)
	}
	for _, r := range after.Rows {
		if r.Key == "t" {
			again.Restore(r)
		}
	}
	again.Recovered("id")
	for _, s := range whole {
		again.Fold(s)
	}
	windows := func(reports []*Report) (starts []string) {
		for _, r := range reports {
			if r.Trigger == TriggerInterval {
				starts = append(starts, fmt.Sprint(r.WindowStart))
			}
		}
		return starts
	}
	if first, second := windows(after.Reports), windows(again.Snapshot().Reports); len(first) == 0 || slices.Contains(second, first[0]) {
		t.Errorf("windows %q were reported first, then %q", first, second)
	}
	if a, b := topic.Final(""), again.Final(""); a.Counts != b.Counts {
		t.Errorf("totals %+v and then %+v", a.Counts, b.Counts)
	}
}
