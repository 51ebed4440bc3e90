package engine

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

// What is kept over all partitions is what looking at all of them gives, after
// every fold of random statistics: later and repeated ones, of a topic that
// grows and is made anew, and over restarts.
func TestSumsFollowFolds(t *testing.T) {
	t.Parallel()
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 1))
		l := DefaultLimits()
		rows := map[string]TopicRow{}
		topic, partitions, topicID := NewTopic("ticks", 3, &l), int32(3), "one"
		through := map[int32]int64{}
		for step := range 300 {
			switch random.IntN(60) {
			case 0:
				partitions += random.Int32N(3)
			case 1:
				if random.IntN(4) == 0 {
					topicID += "'"
					clear(through)
				}
			case 2:
				for _, r := range topic.Snapshot().Rows {
					rows[r.Key] = r
				}
				topic = NewTopic("ticks", partitions, &l)
				for _, r := range rows {
					topic.Restore(r)
				}
				topic.Recovered(topicID)
			}
			id, at := random.Int32N(partitions), int64(step)*second
			through[id] += random.Int64N(3)
			s := &PartitionStats{
				Topic: "ticks", TopicID: topicID, Reset: topicID != "one", Partition: id, Partitions: partitions - random.Int32N(2), Through: through[id],
				Passed: NoTime, CaughtUp: random.IntN(3) == 0, Watermark: NoTime, FirstTime: NoTime, MaxAge: NoTime,
				Fits: []FitTicks{{Fits: Fits(random.IntN(4)), Ticks: through[id]}, {Fits: 7, Ticks: random.Int64N(5)}},
			}
			if random.IntN(4) > 0 {
				s.Passed = int64(step/50) * 10 * second
			}
			if random.IntN(5) == 0 {
				s.Skews = []SkewPart{{Episode: Episode{FirstOffset: through[id], Told: at, Step: at, Count: 1}, Over: random.IntN(2) == 0}}
			}
			topic.Fold(s)
			got := *topic.summed()
			topic.sums = partSums{}
			if want := *topic.summed(); !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d, step %d: %+v, looking at all gives %+v", seed, step, got, want)
			}
			if random.IntN(10) > 0 {
				topic.sums = got // or errors would not add up
			}
			topic.Sweep(0)
		}
	}
}
