package engine

import (
	"reflect"
	"slices"
	"testing"
)

// Of symbols that share keys the same ones stand for the keys, in whatever
// order the topic hears of them.
func TestSharedKeysAreCountedTheSameInAnyOrder(t *testing.T) {
	l := DefaultLimits()
	heard := func(order []int) *placing {
		topic := NewTopic("ticks", 3, &l)
		for _, i := range order {
			key, partition := "other", int32(i%3)
			if i%4 == 0 {
				key = "another"
			}
			topic.Fold(&PartitionStats{
				Topic: "ticks", Partition: partition, Partitions: 3, Through: int64(i), Sightings: []Sighting{{
					Symbol: names(12)[i], Count: int64(i%5 + 1), Key: key, Time: t0, FirstEvent: NoTime, LastEvent: t0, Seen: t0,
					Fits: fitsOf([]byte(key), partition, 3),
				}},
			})
		}
		return &topic.placing
	}
	order := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
	want := heard(order)
	for range 3 {
		order = append(order[5:], order[:5]...)
		back := slices.Clone(order)
		slices.Reverse(back)
		for _, o := range [][]int{order, back} {
			got := heard(o)
			if !reflect.DeepEqual(got.witness, want.witness) || got.keys != want.keys || got.main != want.main || got.several != want.several {
				t.Errorf("heard %v:\n%+v, main %v\nwant\n%+v, main %v", o, got.named, got.main, want.named, want.main)
			}
		}
	}
}

// The topic is told of a symbol's ticks without a key too: they show that it
// goes on, but are not of the place of its key.
func TestATickWithoutAKeyIsToldOfAnOddSymbol(t *testing.T) {
	l := DefaultLimits()
	p := NewPartition("ticks", 0, 3, &l)
	p.Observe(&Tick{Offset: 0, RecordTime: t0, EventTime: t0, Symbol: []byte("QXA"), Key: []byte("QXA"), Unit: UnitMillis}, NoTime)
	p.Snapshot()
	p.Observe(&Tick{Offset: 1, RecordTime: t0 + second, EventTime: t0 + second, Symbol: []byte("QXA"), Unit: UnitMillis}, NoTime)
	g := p.Snapshot().Stats.Sightings
	if len(g) != 1 || g[0].Count != 1 || g[0].Seen != t0+second {
		t.Errorf("told %+v", g)
	}
}
