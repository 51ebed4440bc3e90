package engine

import (
	"maps"
	"slices"
)

// KeyPlace is a key on one partition, as a sample of a topic shows it.
type KeyPlace struct {
	Key       string // its bytes, at least one
	Partition int32
	Records   int64
	First     int64 // record time of its first record, nanoseconds, NoTime: not known
	Last      int64 // of its last one
}

// Inference is what explains where the keys of a sample lie.
type Inference struct {
	Verdict    Verdict
	Keys       int64      // distinct ones
	Places     int64      // keys and partitions: a key on two of them has two
	Elsewhere  int64      // places that none of the functions explains
	Functions  []Function // the one with most records first; keys-ignored or unknown come last
	Same       []string   // functions that put every key where the first one puts it, at this partition count
	Candidates []string   // Undecided: functions that fit every key, or most where some keys lie elsewhere
	MoreKeys   int        // Undecided: about how many more keys decide, 0: no number of keys does
	Grown      []Growing  // rises of the partition count that explain keys on their former partition
}

// InferPlaces judges a sample as a topic of so many partitions is judged
// whose every record it is. Partitions that the topic does not have are left
// out.
func InferPlaces(sample []KeyPlace, partitions int32) Inference {
	l := DefaultLimits()
	l.Replay = true
	t := NewTopic("", partitions, &l)
	parts := map[int32]*PartitionStats{}
	ticks := map[int32]*[1 << familyCount]int64{}
	for _, k := range sample {
		if k.Key == "" || k.Partition < 0 || k.Partition >= partitions {
			continue
		}
		s := parts[k.Partition]
		if s == nil {
			s = &PartitionStats{Partition: k.Partition, Partitions: partitions, Watermark: NoTime, FirstTime: NoTime, MaxAge: NoTime, Passed: NoTime}
			parts[k.Partition], ticks[k.Partition] = s, new([1 << familyCount]int64)
		}
		if k.First != NoTime && (s.FirstTime == NoTime || k.First < s.FirstTime) {
			s.FirstTime = k.First
		}
		s.Watermark = max(s.Watermark, k.Last)
		fits := fitsOf([]byte(k.Key), k.Partition, partitions)
		ticks[k.Partition][fits] += k.Records
		s.Sightings = append(s.Sightings, Sighting{
			Symbol: ShowBytes(k.Key), Key: firstBytes([]byte(k.Key)), Count: k.Records, Fits: fits, Spelled: true,
			Time: k.First, FirstEvent: NoTime, LastEvent: NoTime, Seen: k.Last,
		})
	}
	for _, id := range slices.Sorted(maps.Keys(parts)) {
		parts[id].Fits = (&fitState{ticks: *ticks[id]}).list()
		t.Fold(parts[id])
	}
	t.ending = true
	t.judgePlaces()
	return t.inference()
}

// inference is what is known of where keys lie.
func (t *Topic) inference() Inference {
	e := &t.placing.explained
	p := Inference{
		Verdict: e.verdict, Keys: t.distinct(), Places: t.distinct() + t.placing.several, Elsewhere: int64(e.leftKeys + 0.5),
		MoreKeys: e.moreKeys, Grown: slices.Clone(t.state.Growths),
	}
	for _, f := range e.candidates {
		p.Candidates = append(p.Candidates, f.String())
	}
	if len(e.members) > 0 {
		p.Same = t.placing.kin.same(e.members[0].family)
	}
	p.Functions = t.functions()
	if f := t.find(subjectMixed); f != nil {
		p.Functions, _ = f.Evidence["functions"].([]Function)
		if p.Verdict == Decided {
			p.Verdict = Mixed // beside what no function explains
		}
	}
	return p
}
