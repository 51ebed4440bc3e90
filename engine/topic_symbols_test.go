package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// A symbol counts once, whatever its partitions: split, moved by growth, with
// and without keys; as a batch of the same ticks counts it.
func TestEachSymbolCountsOnce(t *testing.T) {
	for seed := range uint64(8) {
		random := rand.New(rand.NewPCG(5, seed))
		l := DefaultLimits()
		l.Replay = seed%2 == 0
		w := newWorld(t, 3, &l)
		symbols := map[string]bool{}
		offsets := make([]int64, 8)
		if !l.Replay {
			w.topic.HasPartitions(3, 0, 0)
		}
		for i := range int64(200) {
			if i == 120 && seed%3 == 0 {
				w.grow(8)
			}
			name := fmt.Sprintf("S%02d", random.IntN(30))
			id := random.IntN(len(w.parts))
			if random.IntN(3) > 0 {
				id = int(HashMurmur2.Partition([]byte(name), int32(len(w.parts))))
			}
			r := at(offsets[id], i*1e8, name)
			r.partition = int32(id)
			offsets[id]++
			switch random.IntN(6) {
			case 0:
				r.tick.Key = nil
			case 1:
				r.tick.Key = []byte{}
			case 2:
				r.tick.Origin = &Place{"ticks", 0, 0}
			case 3:
				r.tick.Key = []byte("other")
			}
			symbols[name] = true
			w.produce(r)
			w.step(id)
			switch random.IntN(12) {
			case 0:
				w.checkpoint(id, true)
			case 1:
				w.checkpoint(id, true)
				w.restart(id)
			case 2:
				w.restart(id) // what came after the last checkpoint is read again
			case 3:
				w.parts[id].Return(w.parts[id].Snapshot())
			}
		}
		for id := range w.parts { // what was read last may be gone by a restart
			for w.step(id) {
			}
		}
		if final := w.finish(); final.Symbols != int64(len(symbols)) {
			t.Errorf("seed %d: %d symbols, want %d", seed, final.Symbols, len(symbols))
		}
	}
}

// A window with fewer symbols than partitions is no skew, however many
// partitions each lies on.
func TestASplitSymbolIsNoSecondOneOfAWindow(t *testing.T) {
	l := DefaultLimits()
	l.PartitionSkewMin = 10
	w := newFleet(t, 4, &l)
	for i := range 60 {
		w.send([]string{"QXA", "QXB"}[i%2], int32(i%2*2+i/2%2))
		w.send("QXA", 0)
		w.send("QXA", 0)
	}
	for id := range w.parts {
		w.checkpoint(id, true)
	}
	final := w.finish()
	none(t, final, PartitionUnbalanced)
	if final.SkewApplicable || final.Symbols != 2 {
		t.Errorf("judged %v, %d symbols", final.SkewApplicable, final.Symbols)
	}
}

// A window is judged the same while its partitions are still read as after it,
// though a symbol on two partitions may then have been moved by a growth that
// is not known yet, or no second key has been seen.
func TestAWindowIsJudgedTheSameHoweverFarIsRead(t *testing.T) {
	l := DefaultLimits()
	l.PartitionSkewMin, l.PartitionSkew, l.ReportInterval = 0, 1.4, time.Second
	type row struct {
		at          int64
		symbol, key string
	}
	held, oneKey := 0, 0
	play := func(logs [3][]row, between func(*world, int)) (string, *Report) {
		w := newWorld(t, 3, &l)
		for id, log := range logs {
			for i, r := range log {
				w.produce(record{partition: int32(id), now: NoTime, tick: Tick{
					Offset: int64(i), RecordTime: t0 + r.at, EventTime: t0 + r.at, Symbol: []byte(r.symbol), Key: []byte(r.key), Value: []byte("{}"), Unit: UnitMillis,
				}})
			}
		}
		for i := range 3 {
			for id := range slices.Backward(w.parts) {
				if i < len(w.logs[id]) {
					w.step(id)
					between(w, id)
				}
			}
		}
		final := w.finish()
		return strings.Join(outcome(w.reports, final), "\n  "), final
	}
	for _, s := range names(20) {
		for name, logs := range map[string][3][]row{
			"split":   {{{0, s, s}, {60 * second, s, s}}, {{50 * second, "late", "late"}, {90 * second, "late", "late"}}, {{1e6, s, s}, {2e6, "other", "other"}, {61 * second, s, s}}},
			"one key": {{{0, "one", s}, {60 * second, "one", s}}, {{50 * second, "late", s}, {70 * second, "late", s}, {90 * second, "later", "later"}}, {{1e6, "two", s}, {2e6, "three", s}, {61 * second, "two", s}}},
		} {
			want, wantFinal := play(logs, func(*world, int) {})
			got, gotFinal := play(logs, func(w *world, id int) {
				w.checkpoint(id, true)
				held += len(w.topic.placing.held)
				if w.topic.distinct() == 1 {
					oneKey++
				}
			})
			if got != want {
				t.Errorf("%s, %s: as it is read\n  %s\nat once\n  %s", s, name, got, want)
			}
			if judged := strings.Contains(want, "PARTITION_UNBALANCED"); judged != (name == "one key") {
				t.Errorf("%s, %s: judged %v", s, name, judged)
			}
			action := func(r *Report) string {
				for _, f := range r.Findings {
					if f.Code == PartitionUnbalanced {
						return f.Action
					}
				}
				return ""
			}
			if a, b := action(gotFinal), action(wantFinal); a != b {
				t.Errorf("%s, %s: as it is read %q, at once %q", s, name, a, b)
			}
		}
	}
	if held == 0 || oneKey == 0 {
		t.Errorf("held %d, one key %d times: nothing was tried", held, oneKey)
	}
}

// Of the whole, all keys count, however late they were first seen.
func TestTheWholeIsJudgedByAllKeys(t *testing.T) {
	l := DefaultLimits()
	l.PartitionSkewMin, l.PartitionSkew, l.ReportInterval = 4, 1.4, time.Second
	for _, oneKey := range []bool{false, true} {
		w := newWorld(t, 3, &l)
		for i, symbol := range []string{"QXA", "QXA", "QXB", "QXC", "QXD"} {
			at, key := t0+int64(i)*20*second, symbol
			if oneKey {
				key = "key"
			}
			w.produce(record{partition: 0, now: NoTime, tick: Tick{
				Offset: int64(i), RecordTime: at, EventTime: at, Symbol: []byte(symbol), Key: []byte(key), Value: []byte("{}"), Unit: UnitMillis,
			}})
			w.step(0)
		}
		final := w.finish()
		i := slices.IndexFunc(final.Findings, func(f Finding) bool { return f.Code == PartitionUnbalanced })
		if i < 0 {
			t.Fatalf("one key %v: not judged", oneKey)
		}
		if a := final.Findings[i].Action; strings.HasPrefix(a, "All keys are equal") != oneKey {
			t.Errorf("one key %v: %s", oneKey, a)
		}
	}
}
