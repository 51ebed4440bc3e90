package engine

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The cases of public bug reports that the engine decides, by their numbers.
// Each runs twice, the second time with a restart after its first record.

// caseLog is one partition's records.
type caseLog struct {
	id      int32
	records []record
}

func at(offset, after int64, symbol string) record {
	return record{now: NoTime, tick: Tick{
		Offset: offset, EventTime: t0 + after, RecordTime: t0 + after, Symbol: []byte(symbol), Key: []byte(symbol), Value: []byte("{}"), Unit: UnitNanos,
	}}
}

// runCase audits the logs, both ways, and gives each result to check.
func runCase(t *testing.T, partitions int, change func(*Limits), logs []caseLog, check func(t *testing.T, w *world, final *Report)) {
	t.Helper()
	for _, restart := range []bool{false, true} {
		name := "in one go"
		if restart {
			name = "with a restart"
		}
		t.Run(name, func(t *testing.T) {
			l := DefaultLimits()
			if change != nil {
				change(&l)
			}
			w := newWorld(t, partitions, &l)
			for _, log := range logs {
				for _, r := range log.records {
					r.partition = log.id
					w.produce(r)
				}
			}
			for id := range w.logs {
				for i := 0; w.step(id); i++ {
					if restart && i == 0 {
						w.checkpoint(id, true)
						w.restart(id)
					}
				}
			}
			check(t, w, w.finish())
		})
	}
}

// found are the findings of a code in a FINAL report.
func found(r *Report, c Code) (fs []Finding) {
	for _, f := range r.Findings {
		if f.Code == c {
			fs = append(fs, f)
		}
	}
	return fs
}

// one is the only finding of a code.
func one(t *testing.T, r *Report, c Code) Finding {
	t.Helper()
	fs := found(r, c)
	if len(fs) != 1 {
		t.Fatalf("%d findings of %v, want one: %+v", len(fs), c, r.Findings)
	}
	return fs[0]
}

func none(t *testing.T, r *Report, codes ...Code) {
	t.Helper()
	for _, c := range codes {
		if fs := found(r, c); len(fs) > 0 {
			t.Errorf("found %s", showFinding(&fs[0]))
		}
	}
}

func bad(offset int64, k Kind, reason Reason, value string) record {
	return record{now: NoTime, tick: Tick{Offset: offset, RecordTime: t0, Kind: k, Reason: reason, Key: []byte("QXA"), Value: []byte(value)}}
}

func TestG01ARecordThatCannotBeDecoded(t *testing.T) {
	log := caseLog{0, []record{at(0, 0, "QXA"), bad(1, Unreadable, ReasonTruncated, `{"symbol":"QXA","ts":17358`), at(2, 1e9, "QXA")}}
	runCase(t, 1, nil, []caseLog{log}, func(t *testing.T, w *world, final *Report) {
		f := one(t, final, UnreadableValue)
		if final.TotalTicks != 2 || f.Count != 1 || f.FirstOffset != 1 || w.next[0] != 3 {
			t.Errorf("%d ticks, %s, committed %d", final.TotalTicks, showFinding(&f), w.next[0])
		}
		if len(found(final, UpstreamDisorder)) > 0 {
			t.Error("disorder found")
		}
	})
}

func TestG01TenThousandOfThemAreOneFinding(t *testing.T) {
	log := caseLog{0, []record{at(0, 0, "QXA")}}
	for i := range int64(10_001) {
		log.records = append(log.records, bad(1+i, Unreadable, ReasonTruncated, `{"symb`))
	}
	log.records = append(log.records, at(10_002, 1e9, "QXA"))
	runCase(t, 1, nil, []caseLog{log}, func(t *testing.T, w *world, final *Report) {
		if f := one(t, final, UnreadableValue); f.Count != 10_001 || final.Counts.Unreadable != 10_001 {
			t.Errorf("%s, counts %+v", showFinding(&f), final.Counts)
		}
		if len(w.reports) > 8 {
			t.Errorf("%d reports for one storm", len(w.reports))
		}
	})
}

func TestG02StateComesBackOnTheRecordsOwnPartition(t *testing.T) {
	log := caseLog{2, []record{at(0, 10e9, "QXA"), at(1, 5e9, "QXA")}}
	runCase(t, 3, nil, []caseLog{log}, func(t *testing.T, _ *world, final *Report) {
		if f := one(t, final, UpstreamDisorder); f.Observed != 5000 || f.FirstOffset != 1 || *f.Partition != 2 {
			t.Errorf("found %s", showFinding(&f))
		}
	})
}

func TestG04AReportThatWasNotWrittenIsGivenAgainAndHoldsTheOffset(t *testing.T) {
	l := DefaultLimits()
	p := NewPartition("ticks", 0, 1, &l)
	var offsets []int64
	for i := range int64(3) { // each opens a finding of its own
		r := at(10+i, i*20e9, "QXA")
		r.tick.Key = nil
		p.Observe(&r.tick, NoTime)
	}
	s := p.Snapshot()
	if s.Next != 13 {
		t.Fatalf("next %d", s.Next)
	}
	p.Return(s) // one of its reports failed: nothing of it is durable
	if !p.Pending() || !p.Changed() {
		t.Error("no checkpoint is due")
	}
	again := p.Snapshot()
	for _, r := range again.Reports {
		if r.Trigger == TriggerFinding && r.Findings[0].State == Opened {
			offsets = append(offsets, r.Findings[0].FirstOffset)
		}
	}
	if !slices.Equal(offsets, []int64{10, 11, 12}) || again.Next != 13 || len(again.Rows) != 1 || len(again.Stats.Findings) < 5 {
		t.Errorf("given again: reports about %v, next %d, %d rows, %d findings for the topic", offsets, again.Next, len(again.Rows), len(again.Stats.Findings))
	}
	for i := range again.Reports {
		if again.Reports[i].ID != s.Reports[i].ID {
			t.Errorf("report %d has another id", i)
		}
	}
}

func TestG09EveryRecordIsCountedOnceWhenPartitionsMove(t *testing.T) {
	l := DefaultLimits()
	w := newWorld(t, 4, &l)
	for id := range int32(4) {
		for i := range int64(2_500) {
			r := at(i, i*1e6, "QX"+string(rune('A'+i%3)))
			r.partition = id
			w.produce(r)
		}
	}
	for id := range w.logs {
		for i := 0; w.step(id); i++ {
			switch i {
			case 1_000: // moves after a last checkpoint
				w.checkpoint(id, true)
				w.restart(id)
			case 1_700: // its owner is gone, without one
				w.checkpoint(id, true)
			case 2_000:
				w.restart(id)
			}
		}
	}
	final := w.finish()
	for id, p := range w.parts {
		if p.row.Counts.Records != 2_500 || p.Through() != 2_499 || final.PartitionTicks[p.idText] != 2_500 {
			t.Errorf("p%d: %d records through %d", id, p.row.Counts.Records, p.Through())
		}
	}
	none(t, final, UpstreamDisorder)
}

func TestG11ATombstoneIsCountedAndLeavesTheSymbolAlone(t *testing.T) {
	tombstone := record{now: NoTime, tick: Tick{Offset: 1, RecordTime: t0 + 5e9, Kind: Tombstone, Key: []byte("QXA")}}
	log := caseLog{0, []record{at(0, 5e9, "QXA"), tombstone, at(2, 3e9, "QXA")}}
	runCase(t, 1, nil, []caseLog{log}, func(t *testing.T, w *world, final *Report) {
		if f := one(t, final, UpstreamDisorder); f.Observed != 2000 || f.FirstOffset != 2 {
			t.Errorf("found %s", showFinding(&f))
		}
		if c := final.Counts; c.Tombstones != 1 || c.Unreadable != 0 || w.next[0] != 3 || w.symbols[0]["QXA"].LastEvent != t0+5e9 {
			t.Errorf("counts %+v, committed %d", c, w.next[0])
		}
		none(t, final, UnreadableValue)
	})
}

func TestG14TheNextOffsetIsCommitted(t *testing.T) {
	log := caseLog{0, []record{at(0, 0, "QXA"), at(1, 1, "QXA"), at(2, 2, "QXA")}}
	runCase(t, 1, nil, []caseLog{log}, func(t *testing.T, w *world, final *Report) {
		if w.next[0] != 3 || final.Counts.Records != 3 {
			t.Errorf("committed %d, %d records", w.next[0], final.Counts.Records)
		}
		w.restart(0)
		if w.step(0) {
			t.Error("a record is read again")
		}
		if s := w.parts[0].Snapshot(); s.Next != -1 || s.PartitionRow.Counts.Records != 3 {
			t.Errorf("nothing new: next %d, %d records", s.Next, s.PartitionRow.Counts.Records)
		}
		w.parts[0].Progress(3, t0)
		if w.parts[0].behind() != 0 || !w.parts[0].Live() {
			t.Errorf("own lag %d", w.parts[0].behind())
		}
	})
}

func TestG17OffsetGapsOfMarkersAreNoLoss(t *testing.T) {
	log := caseLog{0, []record{at(0, 0, "QXA"), at(4, 1e9, "QXA")}}
	runCase(t, 1, nil, []caseLog{log}, func(t *testing.T, w *world, final *Report) {
		if final.Counts.Records != 2 || final.FindingsTotal != 0 || w.next[0] != 5 {
			t.Errorf("%d records, %d findings, committed %d", final.Counts.Records, final.FindingsTotal, w.next[0])
		}
		w.parts[0].Progress(5, t0)
		if w.parts[0].behind() != 0 {
			t.Errorf("own lag %d", w.parts[0].behind())
		}
	})
	uncommitted := func(l *Limits) { l.UncommittedReads = true }
	runCase(t, 1, uncommitted, []caseLog{log}, func(t *testing.T, _ *world, final *Report) {
		if !strings.Contains(final.Notes, "reads uncommitted records") {
			t.Errorf("notes %q", final.Notes)
		}
	})
}

func TestG24ProducerRetriesSwapRecords(t *testing.T) {
	log := caseLog{0, []record{at(0, 0, "QXA"), at(1, 2e6, "QXA"), at(2, 1e6, "QXA"), at(3, 3e6, "QXA")}}
	runCase(t, 1, nil, []caseLog{log}, func(t *testing.T, w *world, final *Report) {
		f := one(t, final, UpstreamDisorder)
		if f.Count != 1 || f.FirstOffset != 2 || f.LastOffset != 2 || f.Observed != 1 || f.Unit != "ms" || final.Counts.Disorder != 1 {
			t.Errorf("found %s", showFinding(&f))
		}
		if w.symbols[0]["QXA"].LastEvent != t0+3e6 {
			t.Errorf("last %d", w.symbols[0]["QXA"].LastEvent-t0)
		}
	})
}

// TestG25TwoHashesOnOneTopic holds the split and the hashes that fit each of
// its places.
func TestG25TwoHashesOnOneTopic(t *testing.T) {
	symbols := []string{"QXA", "QXB", "BTC-USD"}
	logs := func(hashes ...Hash) (out []caseLog) {
		for _, h := range hashes {
			n := int64(99)
			if h == HashCRC32 {
				n = 1
			}
			for _, s := range symbols {
				id := h.Partition([]byte(s), 12)
				i := slices.IndexFunc(out, func(l caseLog) bool { return l.id == id })
				if i < 0 {
					out, i = append(out, caseLog{id: id}), len(out)
				}
				for range n {
					offset := int64(len(out[i].records))
					out[i].records = append(out[i].records, at(offset, offset*1e6, s))
				}
			}
		}
		return out
	}
	for _, h := range []Hash{HashMurmur2, HashCRC32} {
		runCase(t, 12, nil, logs(h), func(t *testing.T, _ *world, final *Report) { none(t, final, SymbolSplit) })
	}
	runCase(t, 12, nil, logs(HashMurmur2, HashCRC32), func(t *testing.T, _ *world, final *Report) {
		fs := found(final, SymbolSplit)
		if len(fs) != 3 {
			t.Fatalf("%d splits, want 3", len(fs))
		}
		for _, f := range fs {
			right, wrong := HashMurmur2.Partition([]byte(f.Symbol), 12), HashCRC32.Partition([]byte(f.Symbol), 12)
			hashes := encode(t, f.Evidence["hashes"])
			if *f.Partition != wrong || !strings.Contains(hashes, "murmur2") || !strings.Contains(hashes, "crc32") {
				t.Errorf("%s: p%d, want p%d beside p%d; hashes %s", f.Symbol, *f.Partition, wrong, right, hashes)
			}
		}
	})
}

func TestG29EmptyKeysAreTheirOwnFindingNotSkewOfASymbol(t *testing.T) {
	logs := []caseLog{{id: 9}}
	for i := range int64(300) {
		r := at(i, i*1e6, "QXA")
		r.tick.Key = []byte{}
		logs[0].records = append(logs[0].records, r)
	}
	for id := range int32(12) {
		log := caseLog{id: id}
		base := int64(0)
		if id == 9 {
			base = 300
		}
		for i := range int64(10) {
			log.records = append(log.records, at(base+i, 300e6+i*1e6, "Z"+string('A'+id)))
		}
		logs = append(logs, log)
	}
	runCase(t, 12, nil, logs, func(t *testing.T, _ *world, final *Report) {
		if f := one(t, final, KeyEmpty); f.Count != 300 || *f.Partition != 9 {
			t.Errorf("found %s", showFinding(&f))
		}
		none(t, final, PartitionUnbalanced, SymbolSplit)
		if !final.SkewApplicable || final.SkewRatio != 1 {
			t.Errorf("skew %v", final.SkewRatio)
		}
	})
}

func TestG34SpellingsAreToldTogetherAndNothingIsFolded(t *testing.T) {
	var logs []caseLog
	for i, s := range []string{"QXA", "qxa", "QXA ", "QXA\n", "BRKX.B", "BRKX-B", "CAF\u00c9", "CAFE\u0301"} {
		logs = append(logs, caseLog{int32(i), []record{at(0, 0, s)}})
	}
	runCase(t, 12, nil, logs, func(t *testing.T, _ *world, final *Report) {
		fs := found(final, KeyMismatch)
		if len(fs) != 3 || final.Symbols != 8 {
			t.Fatalf("%d findings, want 3; %d symbols, want 8", len(fs), final.Symbols)
		}
		all := encode(t, []any{fs[0].Evidence, fs[1].Evidence, fs[2].Evidence})
		for _, s := range []string{`"QXA "`, `QXA\\x0a`, `"BRKX.B"`, "É"} {
			if !strings.Contains(all, s) {
				t.Errorf("evidence %s does not show %s", all, s)
			}
		}
	})
}

func TestG35TwoClocksMakeNoNegativeLag(t *testing.T) {
	l := DefaultLimits()
	topic := NewTopic("ticks", 1, &l)
	for _, s := range []struct{ committed, end, want int64 }{{680, 659, 0}, {680, 690, 10}} {
		topic.ObserveLag([]LagSample{{Group: "g", Committed: s.committed, Start: 0, End: s.end}}, t0)
		if topic.maxLag == nil || *topic.maxLag != s.want {
			t.Errorf("committed %d, end %d: lag %v, want %d", s.committed, s.end, topic.maxLag, s.want)
		}
	}
}

func TestG40ACommitBelowTheLogStart(t *testing.T) {
	l := DefaultLimits()
	for end, want := range map[int64]int64{5_000: 0, 5_020: 20} {
		topic := NewTopic("ticks", 1, &l)
		topic.ObserveLag([]LagSample{{Group: "g", Committed: 1_000, Start: 5_000, End: end}}, t0)
		r := topic.Final("")
		if *r.MaxLagTicks != want {
			t.Errorf("end %d: lag %d, want %d", end, *r.MaxLagTicks, want)
		}
		if f := one(t, r, OffsetInconsistency); f.Observed != 4_000 || f.Evidence["lost"] != int64(4_000) {
			t.Errorf("found %s", showFinding(&f))
		}
	}
}

func TestG41NoCommitIsNoNumber(t *testing.T) {
	l := DefaultLimits()
	topic := NewTopic("ticks", 4, &l)
	sample := func(p int32, committed, start, end int64) LagSample {
		return LagSample{Group: "g", Partition: p, Committed: committed, Start: start, End: end}
	}
	topic.ObserveLag([]LagSample{sample(0, -1, 29, 29), sample(1, -1, 0, 50), sample(2, -1, 0, 0), sample(3, 20, 0, 20)}, t0)
	if *topic.maxLag != 0 || len(topic.open) != 0 {
		t.Errorf("lag %d, %d findings", *topic.maxLag, len(topic.open))
	}
	topic.ObserveLag([]LagSample{sample(0, -1, 29, 29), sample(1, -1, 0, 50), sample(2, -1, 0, 0), sample(3, -1, 0, 20)}, t0)
	if topic.maxLag != nil {
		t.Errorf("lag %d, want unknown", *topic.maxLag)
	}
	r := topic.Final("")
	if f := one(t, r, OffsetInconsistency); f.Evidence["kind"] != "EXPIRED" || *f.Partition != 3 {
		t.Errorf("found %s", showFinding(&f))
	}
	for p, want := range []int64{0, 50, 0} {
		s := sample(int32(p), -1, []int64{29, 0, 0}[p], []int64{29, 50, 0}[p])
		if says := s.unread(); !strings.Contains(says, "committed nothing, "+strconv.FormatInt(want, 10)+" unread") {
			t.Errorf("p%d: %q, want %d unread", p, says, want)
		}
	}
}

func TestG49EqualTimesAreInOrder(t *testing.T) {
	log := caseLog{0, []record{at(0, 0, "QXA"), at(1, 0, "QXA"), at(2, 0, "QXA"), at(3, 0, "QXA"), at(4, 0, "QXA")}}
	runCase(t, 1, nil, []caseLog{log}, func(t *testing.T, _ *world, final *Report) {
		if final.FindingsTotal != 0 || final.TotalTicks != 5 {
			t.Errorf("%d findings of %d ticks", final.FindingsTotal, final.TotalTicks)
		}
	})
}

func TestG50TimesThatAreNone(t *testing.T) {
	log := caseLog{0, []record{
		bad(0, Unusable, ReasonTimeZero, `{"ts":0}`), bad(1, Unusable, ReasonTimeMissing, `{}`),
		bad(2, Unusable, ReasonTimeNull, `{"ts":null}`), bad(3, Unusable, ReasonTimeNegative, `{"ts":-1}`),
		at(4, 0, "QXA"), at(5, 1e9, "QXA"),
	}}
	log.records[5].tick.RecordTime = NoTime
	age := func(l *Limits) { l.MaxTickAge = time.Second }
	runCase(t, 1, age, []caseLog{log}, func(t *testing.T, w *world, final *Report) {
		f := one(t, final, TimestampUnusable)
		// The first of them was zero: no other reason is said to be at its place.
		if says := "the first at offset 0; reasons: time_missing 1, time_negative 1, time_null 1, time_zero 1"; !strings.HasSuffix(f.Cause, says) {
			t.Errorf("%q, want %q", f.Cause, says)
		}
		want := `{"time_missing":1,"time_negative":1,"time_null":1,"time_zero":1}`
		if got := encode(t, f.Evidence["reasons"]); f.Count != 4 || got != want {
			t.Errorf("%s, reasons %s", showFinding(&f), got)
		}
		none(t, final, UpstreamDisorder, ClockSkew, StaleTick)
		if w.symbols[0]["QXA"].LastEvent != t0+1e9 {
			t.Errorf("last %d", w.symbols[0]["QXA"].LastEvent)
		}
	})
}

func TestG53ALeapSecondIsInOrderBetweenItsNeighbours(t *testing.T) {
	// 23:59:60.5 is an instant between 23:59:59.9 and 00:00:00.1; the codec
	// says which. Here: neighbours that are equal or rise are in order.
	end := time.Date(2017, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano() - t0
	log := caseLog{0, []record{at(0, end-1e8, "QXA"), at(1, end, "QXA"), at(2, end+1e8, "QXA")}}
	runCase(t, 1, nil, []caseLog{log}, func(t *testing.T, _ *world, final *Report) {
		if final.FindingsTotal != 0 || final.TotalTicks != 3 {
			t.Errorf("%d findings of %d ticks", final.FindingsTotal, final.TotalTicks)
		}
	})
}
