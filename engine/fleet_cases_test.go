package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestG25SharesOfTwoHashes(t *testing.T) {
	for _, mixed := range []bool{false, true} {
		l := DefaultLimits()
		w := newFleet(t, 12, &l)
		for round := range 100 {
			for _, s := range []string{"QXA", "QXB", "BTC-USD"} {
				h := HashMurmur2
				if mixed && round == 99 {
					h = HashCRC32
				}
				w.send(s, h.Partition([]byte(s), 12))
			}
		}
		final := w.finish()
		if !mixed {
			none(t, final, PartitionerMixed, SymbolSplit)
			continue
		}
		functions := one(t, final, PartitionerMixed).Evidence["functions"].([]Function)
		if len(functions) != 2 || functions[0].Name != "murmur2" || functions[0].Share != 0.99 || functions[1].Name != "crc32" || len(functions[1].Or) > 0 || functions[1].Share != 0.01 {
			t.Errorf("functions %+v", functions)
		}
		if n := len(found(final, SymbolSplit)); n != 3 {
			t.Errorf("%d splits, want 3", n)
		}
	}
}

func TestG26TheReductionsOfFNV1a(t *testing.T) {
	for hash, places := range map[Hash][3]int32{HashFNV1aAbs: {2, 1, 7}, HashFNV1aMask: {6, 7, 7}, HashFNV1aUint: {2, 3, 7}} {
		l := DefaultLimits()
		w := newFleet(t, 12, &l)
		for i, s := range []string{"ZTKR", "qxa", "QXA"} {
			w.send(s, places[i])
		}
		if final := w.finish(); final.Partitioner != hash.String() {
			t.Errorf("%s: named %q; %s", hash, final.Partitioner, final.Notes)
		}
	}
	l := DefaultLimits()
	w := newFleet(t, 12, &l)
	w.send("QXA", 7)
	final := w.finish()
	none(t, final, PartitionerMixed)
	if final.Partitioner != "undecided" || !strings.Contains(final.Notes, "fnv1a-abs, fnv1a-mask, fnv1a-uint") {
		t.Errorf("with QXA alone: %q; %s", final.Partitioner, final.Notes)
	}
}

func TestG29EmptyKeysAreNoEvidence(t *testing.T) {
	l := DefaultLimits()
	w := newFleet(t, 12, &l)
	for i := range int32(300) {
		for _, id := range []int32{9, 3, 5, i % 12} {
			r := at(w.offsets[id], int64(i)*1e6, "QXA")
			r.tick.Key, r.partition = []byte{}, id
			w.offsets[id]++
			w.produce(r)
			w.step(int(id))
		}
	}
	final := w.finish()
	none(t, final, PartitionerMixed, SymbolSplit, PartitionUnbalanced)
	if final.Partitioner != "undecided" || !strings.Contains(final.Notes, "no key was seen") || len(found(final, KeyEmpty)) == 0 {
		t.Errorf("partitioner %q; %s", final.Partitioner, final.Notes)
	}
}

func TestG30PartitionCountRaised(t *testing.T) {
	p := newPlay(t, &scriptCase{name: "G-30", limits: []string{"partitions=8"}, lines: []string{
		"7@0 QXA 0s x10 every=1s", "2@0 QXB 0s x11 every=1s", "1@0 BTC-USD 0s x9 every=1s", "2@11 ZTKR 9s",
		"grow 12", "7@10 QXA 10s", "6@0 QXB 9s", "5@0 BTC-USD 10s", "2@12 ZTKR 11s",
	}})
	p.run()
	final := p.reports[len(p.reports)-1]
	f := one(t, final, PartitionsChanged)
	moved := encode(t, f.Evidence["moved"])
	if f.Threshold != 8 || f.Observed != 12 || f.Count != 2 || !strings.Contains(moved, `"QXB","from":2,"to":6`) || !strings.Contains(moved, `"BTC-USD","from":1,"to":5`) {
		t.Errorf("found %s, moved %s", showFinding(&f), moved)
	}
	if d := one(t, final, UpstreamDisorder); d.Symbol != "QXB" || *d.Partition != 6 || d.FirstOffset != 0 || d.Observed != 1000 {
		t.Errorf("found %s", showFinding(&d))
	}
	none(t, final, SymbolSplit, PartitionerMixed)
}

func TestG31FramedKeys(t *testing.T) {
	framed := func(offset, after int64, id byte) record {
		r := at(offset, after, "QXA")
		r.tick.Key = []byte{0, 0, 0, 0, id, 6, 'Q', 'X', 'A'}
		return r
	}
	logs := []caseLog{
		{1, []record{framed(0, 0, 7), framed(1, 1e9, 7)}},
		{8, []record{framed(0, 2e9, 8), framed(1, 3e9, 8)}},
	}
	runCase(t, 12, nil, logs, func(t *testing.T, _ *world, final *Report) {
		f := one(t, final, KeyMismatch)
		if f.Symbol != "QXA" || *f.Partition != 8 || f.Threshold != 7 || f.Observed != 8 || !strings.Contains(f.Cause, "key schema id 7 -> 8 moved QXA of ticks from partition 1 to 8") {
			t.Errorf("found %s: %s", showFinding(&f), f.Cause)
		}
		none(t, final, KeyEmpty, KeyMissing, UnreadableValue)
		if final.Counts.KeyDiffers != 0 {
			t.Errorf("%d keys do not spell their symbol", final.Counts.KeyDiffers)
		}
	})
}

// TestAnHourOfAHealthyMarketFindsNothing is a market as it should be, audited
// live through restarts, crashes and moves of its partitions.
func TestAnHourOfAHealthyMarketFindsNothing(t *testing.T) {
	const partitions, symbols, hour = 6, 60, 3600
	for seed := range uint64(1) {
		random := rand.New(rand.NewPCG(7, seed))
		l := DefaultLimits()
		l.MaxTickAge, l.MaxSymbolSilence, l.ClockSkewTolerance = 2*time.Second, 2*time.Minute, 50*time.Millisecond
		w := newWorld(t, partitions, &l)
		offsets := [partitions]int64{}
		last := [symbols]int64{}
		for s := range int64(hour) {
			now := t0 + s*1e9
			for range 10 + random.IntN(30) {
				i := int(float64(symbols) * random.Float64() * random.Float64()) // some tick more than others
				tickAt(w, random, now, i, &offsets, &last)
			}
			if s%20 == 0 { // the thin ones tick too
				for i := range symbols {
					tickAt(w, random, now, i, &offsets, &last)
				}
			}
			now += 1e9
			for id, p := range w.parts {
				for w.step(id) {
				}
				p.Progress(offsets[id], now)
				p.Sweep(now)
				if s%3 == int64(id%3) {
					w.checkpoint(id, true)
				}
				if random.IntN(400) == 0 { // it moves, or its owner is gone
					w.restart(id)
				}
			}
			w.topic.Sweep(now)
			w.checkpointTopic()
		}
		for _, r := range w.reports {
			for _, f := range r.Findings {
				if f.Severity >= Warning {
					t.Fatalf("seed %d: %s: %s", seed, showFinding(&f), f.Cause)
				}
			}
		}
		r := w.finish()
		none(t, r, slices.Collect(codes())...)
		if r.Partitioner != "murmur2" || r.Counts.Records < hour*10 {
			t.Errorf("seed %d: partitioner %q, %d records; %s", seed, r.Partitioner, r.Counts.Records, r.Notes)
		}
	}
}

func codes() func(yield func(Code) bool) {
	return func(yield func(Code) bool) {
		for _, c := range Codes() {
			if c.Severity >= Warning && !yield(c.Code) {
				return
			}
		}
	}
}

// tickAt writes one tick of a symbol in the second from now on: in order, a few
// milliseconds after the event, many at equal times.
func tickAt(w *world, random *rand.Rand, now int64, i int, offsets *[6]int64, last *[60]int64) {
	name := fmt.Sprintf("SYM-%03d", i)
	id := HashMurmur2.Partition([]byte(name), 6)
	recorded := now + random.Int64N(900)*1e6
	event := max(last[i], recorded-random.Int64N(40)*1e6)
	recorded = max(recorded, event)
	last[i] = event
	r := at(offsets[id], event-t0, name)
	r.tick.RecordTime, r.partition, r.now = recorded, id, now+1e9
	if !w.parts[id].Live() {
		r.now = NoTime
	}
	offsets[id]++
	w.produce(r)
}
