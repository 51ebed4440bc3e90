package engine

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// maxFormer bounds the ids of topics that are gone.
const maxFormer = 8

// Recovered is told once all rows are restored, with Kafka's id of the topic
// as it is now, "" where it is not known. Where a checkpoint was cut short that
// made the state anew or closed a window, what is left of the old topic or the
// window is dropped.
func (t *Topic) Recovered(id string) {
	t.present = id
	other := func(id string) bool { return id != "" && t.state.TopicID != "" && id != t.state.TopicID }
	for id, p := range t.parts {
		if other(p.Stats.TopicID) {
			delete(t.parts, id)
			delete(t.ranks, id)
			t.sums = partSums{}
			t.changed[partKey(id)], t.changed[rankKey(id)] = true, true
		}
	}
	for start, w := range t.windows {
		if other(w.TopicID) {
			delete(t.windows, start)
			t.changed[windowKey(start)] = true
		}
	}
	t.dropClosed()
}

// dropClosed drops restored windows that are closed already: judged once more
// by the loads that they happen to have they would show a skew that never was.
func (t *Topic) dropClosed() {
	for _, start := range slices.Sorted(maps.Keys(t.windows)) {
		if start > t.state.ClosedTo {
			return
		}
		for id, load := range t.windows[start].Loads {
			if p := t.parts[id]; p != nil && p.Closed.Records < load.Total.Records {
				p.Closed = load.Total
				t.changed[partKey(id)] = true
			}
		}
		delete(t.windows, start)
		t.changed[windowKey(start)] = true
	}
}

// isFormer reports whether statistics are of a topic that is gone: of a
// partition whose owner had not heard of it yet.
func (t *Topic) isFormer(id string) bool {
	return id != "" && id != t.state.TopicID && id != t.present && slices.Contains(t.state.Former, id)
}

// identify starts the topic anew when statistics come from another topic of
// its name. The first partition that tells of it ends all that was known of
// the old one, whether it had state of that or not. Without ids only those
// that had say so, each for itself.
func (t *Topic) identify(s *PartitionStats) {
	switch {
	case s.TopicID == "":
		if s.Reset {
			t.recreated(s)
		}
	case s.TopicID == t.state.TopicID:
	case t.state.TopicID == "" && (!s.Reset || !t.heardOf()):
		t.state.TopicID, t.changed["t"] = s.TopicID, true
	default:
		old := t.furthest(s.Partition)
		t.startAnew(s, t.state.Generation+1)
		t.tellRecreated(&old)
	}
}

// isBetween reports whether a sample is of another topic than the one whose
// records are judged: what it says is told when both have started anew.
func (t *Topic) isBetween(s *LagSample) bool {
	other := func(id, known string) bool { return id != "" && known != "" && id != known }
	return other(s.TopicID, t.present) || other(t.present, t.state.TopicID)
}

// leave gives the ids of former topics when the topic's is another.
func (t *Topic) leave(next string) []string {
	former := slices.DeleteFunc(slices.Clone(t.state.Former), func(id string) bool { return id == next })
	if was := t.state.TopicID; was != "" && was != next {
		former = append(former, was)
	}
	return former[max(0, len(former)-maxFormer):]
}

// furthest is the partition, or where nothing is known of it the one that was
// read the furthest.
func (t *Topic) furthest(id int32) TopicPart {
	most := *t.part(id)
	if most.Stats.Through >= 0 {
		return most
	}
	for id := range t.state.Partitions {
		if p := t.parts[id]; p != nil && p.Stats.Through > most.Stats.Through {
			most = *p
		}
	}
	return most
}

// recreated tells, where no ids do, that a partition's totals start anew. The
// first partition to say so ends all that was known of the old topic; the
// others follow it.
func (t *Topic) recreated(s *PartitionStats) {
	old := *t.part(s.Partition)
	generation := old.Generation + 1
	if generation > t.state.Generation {
		t.startAnew(s, generation)
		t.tellRecreated(&old)
	}
	delete(t.parts, s.Partition)
	delete(t.ranks, s.Partition)
	t.sums = partSums{}
	t.changed[rankKey(s.Partition)] = true
	t.part(s.Partition).Generation = generation
}

// startAnew drops the rows of the old topic. What is open of it is over.
func (t *Topic) startAnew(s *PartitionStats, generation int) {
	for _, subject := range t.subjects() {
		t.close(subject)
	}
	for id := range t.heard {
		t.changed["h/"+id] = true
	}
	for name := range t.symbols {
		t.changed["s/"+name] = true
	}
	for start := range t.windows {
		t.changed[windowKey(start)] = true
	}
	parts := t.parts
	t.forget()
	for id, p := range parts {
		t.changed[partKey(id)], t.changed[rankKey(id)] = true, true
		if id < s.Partitions {
			t.part(id).Generation = p.Generation
		}
	}
	t.state = TopicState{
		Partitions: s.Partitions, ClosedTo: NoTime, Generation: generation, Past: t.state.Past,
		TopicID: s.TopicID, Former: t.leave(s.TopicID),
	}
	t.changed["t"] = true
}

func (t *Topic) tellRecreated(old *TopicPart) {
	f := t.newFinding(OffsetInconsistency, "topic/"+kindRecreated+"/"+strconv.Itoa(t.state.Generation), old.Stats.Through)
	f.Count, f.Observed, f.Threshold, f.Unit = 1, float64(old.Stats.Through+1), 0, "records"
	f.FirstTime, f.LastTime = Time(old.Stats.Watermark), Time(old.Stats.Watermark)
	f.Evidence["kind"] = kindRecreated
	f.Evidence["audited_before"] = old.Stats.Counts.Records
	f.Cause = fmt.Sprintf("topic %s was deleted and made again: its totals start anew, and what was known of the old one judges nothing", t.name)
	f.Action = "Nothing, if it was done on purpose; reset the offsets of other groups that read the topic."
	t.openFinding(subjectRecreated, f)
}

// subjectRecreated is the subject of the open finding about a topic that was
// made again.
const subjectRecreated = "recreated"

// settleRecreated ends that finding when some windows of the new topic are
// over: its totals speak for themselves by then.
func (t *Topic) settleRecreated() {
	if t.find(subjectRecreated) == nil {
		return
	}
	if t.state.Anew++; t.state.Anew >= recreatedWindows {
		t.state.Anew = 0
		t.close(subjectRecreated)
	}
}

// recreatedWindows is the number of windows that it lasts.
const recreatedWindows = 3
