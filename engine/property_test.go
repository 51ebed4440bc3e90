package engine

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestMain draws the same inputs in every run; -rapid.seed=0 draws others, and
// -rapid.checks more of them.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.seed", "1"); err != nil {
		panic(err)
	}
	m.Run()
}

// drawLimits are limits under which short logs reach every detector.
func drawLimits(t *rapid.T) *Limits {
	l := DefaultLimits()
	l.MaxTickAge = time.Duration(rapid.IntRange(0, 2).Draw(t, "age")) * time.Second
	l.MaxSymbolSilence = time.Duration(rapid.IntRange(0, 2).Draw(t, "silence")) * 4 * time.Second
	l.ReportInterval = time.Duration(rapid.SampledFrom([]int{1, 3, 10}).Draw(t, "interval")) * time.Second
	l.PartitionSkewMin = rapid.Int64Range(0, 5).Draw(t, "skew min")
	l.PartitionSkew = 1.5
	l.SymbolsPerReport = rapid.IntRange(1, 4).Draw(t, "symbols")
	l.SpellingsPerEvidence = rapid.IntRange(1, 3).Draw(t, "spellings")
	l.Replay = rapid.Bool().Draw(t, "replay")
	l.OrderByVenue = rapid.Bool().Draw(t, "venues")
	l.Sequences = rapid.Bool().Draw(t, "sequences")
	l.BackfillMin = rapid.Int64Range(0, 4).Draw(t, "backfill")
	l.LateTolerance = time.Duration(rapid.IntRange(0, 1).Draw(t, "late")) * 100 * time.Millisecond
	return &l
}

var drawnSymbols = []string{"QXA", "QXB", "qxa", "Q\xff", "É", strings.Repeat("L", 70)}

// drawRecord makes the next record of a partition; back says that record times
// may go back.
func drawRecord(t *rapid.T, id int32, offset int64, at *int64, back bool) record {
	*at += rapid.SampledFrom([]int64{0, 0, 1e6, 300e6, 2e9, 9e9, 61e9}).Draw(t, "step")
	r := record{partition: id, now: NoTime, tick: Tick{Offset: offset, RecordTime: *at, EventTime: *at, Value: []byte("{}"), Unit: UnitMillis}}
	tick := &r.tick
	tick.Symbol = []byte(rapid.SampledFrom(drawnSymbols).Draw(t, "symbol"))
	tick.Key = slices.Clone(tick.Symbol)
	drawFeed(t, tick)
	switch rapid.IntRange(0, 19).Draw(t, "fault") {
	case 0:
		tick.EventTime -= rapid.Int64Range(1, 5e9).Draw(t, "late")
	case 1:
		tick.EventTime += rapid.Int64Range(1, 5e9).Draw(t, "ahead")
	case 2:
		tick.Key = nil
	case 3:
		tick.Key = []byte{}
	case 4:
		tick.Key = []byte("other")
	case 5, 6:
		if tick.RecordTime -= rapid.Int64Range(0, 20e9).Draw(t, "record time back"); !back {
			tick.RecordTime = *at
		} else if tick.RecordTime%2 == 0 {
			tick.RecordTime = NoTime
		}
	case 7:
		tick.Kind, tick.Reason, tick.Symbol = Unreadable, ReasonSyntax, nil
	case 8:
		tick.Kind, tick.Reason, tick.Symbol, tick.RecordTime = Unusable, ReasonTimeZero, nil, NoTime
	case 9:
		tick.Kind, tick.Value, tick.Symbol = Tombstone, nil, nil
	case 10:
		tick.Origin = &Place{"ticks", id, 0}
	}
	return r
}

// drawFeed gives the tick a venue, a sequence number and a unit, and makes
// some of them old.
func drawFeed(t *rapid.T, tick *Tick) {
	tick.Venue = []byte(rapid.SampledFrom([]string{"", "X", "V\xff"}).Draw(t, "venue"))
	tick.Sequence = rapid.SampledFrom([]int64{0, 1, 2, 3, 4, 5, 9, 1 << 62, -1 << 62}).Draw(t, "number")
	tick.SequenceFirst = tick.Sequence - rapid.Int64Range(0, 2).Draw(t, "numbers")
	tick.HasSequence = tick.Sequence != 0
	tick.Content = rapid.Uint64Range(0, 2).Draw(t, "content")
	tick.Halt = rapid.SampledFrom([]Halt{0, 0, 0, Halted, Resumed}).Draw(t, "halt")
	tick.Format = Format(rapid.IntRange(0, 2).Draw(t, "format"))
	tick.Unit = rapid.SampledFrom([]Unit{UnitMillis, UnitMillis, UnitMicros, UnitRecord}).Draw(t, "unit")
	if rapid.IntRange(0, 3).Draw(t, "old") == 0 {
		tick.EventTime -= rapid.Int64Range(3, 40).Draw(t, "by") * second
	}
}

// drawLogs makes the records of all partitions.
func drawLogs(t *rapid.T, partitions int, back bool) [][]record {
	logs := make([][]record, partitions)
	for id := range logs {
		at, offset := t0, int64(0)
		for range rapid.IntRange(0, 40).Draw(t, "records") {
			logs[id] = append(logs[id], drawRecord(t, int32(id), offset, &at, back))
			offset += rapid.Int64Range(1, 2).Draw(t, "gap") // markers and compaction leave gaps
		}
	}
	return logs
}

func playLogs(t testing.TB, l *Limits, logs [][]record, pieces int, between func(w *world, id int)) (*world, *Report) {
	w := newWorld(t, len(logs), l)
	w.pieces, w.twice = pieces, pieces < 4
	w.logs = logs
	for going := true; going; {
		going = false
		for id := range logs {
			if w.step(id) {
				going = true
				between(w, id)
			}
		}
	}
	return w, w.finish()
}

func TestRestartsAtAnyPlaceChangeNothing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		l := drawLimits(rt)
		// Where checkpoints are written in part, the partition's time at the
		// record that is read again first is not known: it is that record's.
		atomic := rapid.Bool().Draw(rt, "exactly once")
		logs := drawLogs(rt, rapid.IntRange(1, 3).Draw(rt, "partitions"), atomic)
		plain, want := playLogs(t, l, logs, 1<<30, func(*world, int) {})
		crashes := 0
		w, got := playLogs(t, l, logs, rapid.SampledFrom([]int{1 << 30, 1, 5}).Draw(rt, "pieces"), func(w *world, id int) {
			switch what := rapid.IntRange(0, 9).Draw(rt, "between"); {
			case what < 2:
				w.checkpoint(id, true)
			case what == 2:
				w.checkpoint(id, true)
				w.restart(id)
			case what == 3 && crashes < 20:
				crashes++
				w.restart(id) // what came after the last checkpoint is read again
			case what == 4 && !atomic && crashes < 20:
				crashes++
				w.checkpoint(id, false)
				w.restart(id)
			case what == 5:
				s := w.parts[id].Snapshot() // the checkpoint failed
				w.parts[id].Return(s)
			}
		})
		if a, b := outcome(w.reports, got), outcome(plain.reports, want); !slices.Equal(a, b) {
			rt.Fatalf("exactly once %v; with restarts only\n  %s\nwithout only\n  %s", atomic, without(a, b), without(b, a))
		}
		checkReports(rt, w, atomic)
		checkReports(rt, plain, true)
		if !atomic {
			return
		}
		for _, r := range []*Report{got, want} {
			r.Findings = slices.DeleteFunc(r.Findings, func(f Finding) bool { return acrossPartitions(&f) })
			for i := range r.Findings {
				if f := &r.Findings[i]; f.Code == ClockSkew {
					// How many ticks there were besides is estimated from what has been read of other partitions.
					delete(f.Evidence, "share")
					delete(f.Evidence, "attributed_to")
					f.Cause = ""
				}
			}
			r.Warnings = nil
		}
		if a, b := encode(t, got), encode(t, want); a != b {
			i := 0
			for i < min(len(a), len(b)) && a[i] == b[i] {
				i++
			}
			rt.Fatalf("FINAL with restarts\n...%.300s\nwithout\n...%.300s", a[max(0, i-60):], b[max(0, i-60):])
		}
	})
}

// without lists the lines of a that are not in b.
func without(a, b []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) }), "\n  ")
}

// checkReports holds reports to what the contract says of all of them. once
// says that no checkpoint was written in part.
func checkReports(t *rapid.T, w *world, once bool) {
	if twice := openedTwice(w.reports); once && len(twice) > 0 {
		t.Fatalf("opened more than once: %v", twice)
	}
	counts := map[string]int64{}
	ids := map[string]bool{}
	records := make([]int64, len(w.logs))
	through := make([]int64, len(w.logs))
	for i := range through {
		through[i] = -1
	}
	for _, r := range w.reports {
		if once && ids[r.ID] {
			t.Fatalf("report id %s is not the only one: %v %v", r.ID, r.Scope, r.Trigger)
		}
		ids[r.ID] = true
		checkCounts(t, &r.Counts)
		if once && r.Trigger == TriggerFinding {
			f := r.Findings[0]
			if f.Count < counts[f.ID] {
				t.Fatalf("count of %s fell from %d to %d", showFinding(&f), counts[f.ID], f.Count)
			}
			counts[f.ID] = f.Count
		}
		if once && r.Scope == ScopePartition && r.Trigger == TriggerInterval {
			p := *r.Partition
			records[p] += r.Counts.Records
			if r.FromOffset != nil {
				if *r.FromOffset <= through[p] || *r.ThroughOffset < *r.FromOffset {
					t.Fatalf("window of p%d from %d through %d after %d", p, *r.FromOffset, *r.ThroughOffset, through[p])
				}
				through[p] = *r.ThroughOffset
			} else if r.Counts.Records != 0 {
				t.Fatalf("a window of %d records has no offsets", r.Counts.Records)
			}
		}
	}
	for p, n := range records {
		if once && n != int64(len(w.logs[p])) {
			t.Fatalf("windows of p%d count %d of %d records", p, n, len(w.logs[p]))
		}
	}
	final := w.reports[len(w.reports)-1]
	all := 0
	for _, l := range w.logs {
		all += len(l)
	}
	if final.Trigger != TriggerFinal || final.Counts.Records != int64(all) {
		t.Fatalf("FINAL counts %d of %d records", final.Counts.Records, all)
	}
}

func checkCounts(t *rapid.T, c *Counts) {
	parts := []int64{
		c.Records, c.Ticks, c.Unreadable, c.Unusable, c.Tombstones, c.NullKeys, c.EmptyKeys, c.KeyDiffers,
		c.Duplicates, c.Disorder, c.Old, c.Ahead, c.Late, c.KeyBytes, c.ValueBytes,
	}
	if slices.Min(parts) < 0 || !c.Whole() {
		t.Fatalf("counts do not add up: %+v", c)
	}
	if most := max(c.Disorder, c.Old, c.Ahead, c.Duplicates, c.KeyDiffers); most > c.Ticks {
		t.Fatalf("a share of the ticks exceeds them: %+v", c)
	}
}

// FuzzObserve reads bytes as records of one partition and the calls between
// them. Nothing may panic, and the counts add up.
func FuzzObserve(f *testing.F) {
	f.Add([]byte("\x00\x01\x02\x03\x04\x05\x06\x07"))
	f.Add([]byte(strings.Repeat("\x10\xff\x80\x03", 40)))
	f.Fuzz(func(t *testing.T, b []byte) {
		l := DefaultLimits()
		l.MaxTickAge, l.MaxSymbolSilence, l.PartitionSkewMin = time.Second, 3*time.Second, 1
		w := newWorld(t, 2, &l)
		offset, now := int64(0), t0
		for ; len(b) >= 4; b = b[4:] {
			w.fuzzStep(b[:4], &offset, &now)
		}
		final := w.finish()
		if c := final.Counts; !c.Whole() {
			t.Fatalf("counts do not add up: %+v", c)
		}
		encode(t, final)
	})
}

func (w *world) fuzzStep(b []byte, offset, now *int64) {
	id := int(b[0] & 1)
	p := w.parts[id]
	times := []int64{*now, *now - int64(b[3])*1e8, *now + int64(b[3])*1e8, NoTime, 0, -1, 1<<63 - 1, NoTime + 1}
	switch b[0] >> 4 {
	case 0:
		p.Progress(int64(b[1])<<b[2]%40, *now)
	case 1:
		p.Sweep(*now)
	case 2:
		w.checkpoint(id, b[1]&1 == 0)
	case 3:
		p.Return(p.Snapshot())
	case 4:
		p.Close(times[b[1]&7])
	case 5:
		w.topic.ObserveLag([]LagSample{{Group: "g", Partition: int32(id), Committed: int64(int8(b[1])), Start: int64(int8(b[2])), End: int64(int8(b[3]))}}, times[b[1]&3])
	default:
		t := Tick{
			Offset: *offset, RecordTime: times[b[1]&7], EventTime: times[b[1]>>3&7], Kind: Kind(b[2] % 5), Reason: Reason(b[2] >> 2 % byte(reasonCount)),
			Symbol: fmt.Appendf(nil, "S%d", b[3]&7), Key: []byte{b[3]}, Value: b, Unit: Unit(b[2] % 7),
		}
		if b[0]&2 != 0 {
			t.Key = nil
		}
		if b[0]&4 != 0 {
			t.Origin = &Place{"other", 0, 1}
		}
		clock := int64(NoTime)
		if p.Live() {
			clock = *now
		}
		p.Observe(&t, clock)
		for t.Item = 1; b[0]&8 != 0 && t.Item <= int32(b[3]>>6); t.Item++ {
			t.Symbol, t.Kind = fmt.Appendf(nil, "S%d", (b[3]+byte(t.Item))&3), Kind(b[3]>>4)%5
			p.Observe(&t, clock)
		}
		*offset += int64(b[3] & 3)
	}
	*now += int64(b[3]) * 1e8
}
