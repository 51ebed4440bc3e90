package engine

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

func TestHistoryUnreadIsNotLive(t *testing.T) {
	l := DefaultLimits()
	p := NewPartition("ticks", 0, 1, &l)
	p.Progress(500, t0)
	if p.Live() {
		t.Fatal("live before the first of 500 records is read")
	}
	for i := range int64(500) {
		r := at(i, i*1e9, "QXA")
		p.Observe(&r.tick, NoTime)
	}
	p.Progress(500, t0+3600e9)
	if !p.Live() {
		t.Error("not live at the end")
	}
}

func TestAnEmptyPartitionIsLiveAndReports(t *testing.T) {
	l := DefaultLimits()
	p := NewPartition("ticks", 0, 1, &l)
	var reports []*Report
	for s := range int64(65) {
		p.Progress(0, t0+s*1e9)
		p.Sweep(t0 + s*1e9)
		reports = append(reports, p.Snapshot().Reports...)
	}
	ids := map[string]bool{}
	for _, r := range reports {
		if ids[r.ID] = true; r.Counts.Records != 0 || r.FromOffset != nil || r.Status != StatusHealthy {
			t.Errorf("report %+v", r)
		}
	}
	if len(reports) != 7 || len(ids) != 7 {
		t.Errorf("%d reports with %d ids in 65 s, want 7", len(reports), len(ids))
	}
}

func TestLiveIsLostFarBehindAndComesBack(t *testing.T) {
	l := DefaultLimits()
	p := NewPartition("ticks", 0, 1, &l)
	r := at(0, 0, "QXA")
	p.Observe(&r.tick, NoTime)
	steps := []struct {
		after, high int64
		live        bool
	}{
		{0, 1, true},
		{1, 1000, true},    // near
		{8, 1000, true},    // old, but few
		{8, 20_000, false}, // many and old
		{9, 20_000, false},
		{10, 900, true}, // stands still near the end: what is left are markers
	}
	for _, s := range steps {
		if p.Progress(s.high, t0+s.after*1e9); p.Live() != s.live {
			t.Errorf("after %d s with end %d: live %v, want %v", s.after, s.high, p.Live(), s.live)
		}
	}
}

func TestRecordsAfterCloseAreCountedInTheNextWindow(t *testing.T) {
	l := DefaultLimits()
	p := NewPartition("ticks", 0, 1, &l)
	observe := func(offset, after int64) {
		r := at(offset, after, "QXA")
		p.Observe(&r.tick, NoTime)
	}
	observe(0, 1e9)
	p.Close(NoTime)
	observe(1, 2e9) // its window is closed
	observe(2, 11e9)
	p.Close(NoTime)
	p.Close(NoTime) // nothing more to close
	var got []int64
	for _, r := range p.Snapshot().Reports {
		got = append(got, int64(r.WindowStart)-t0, r.Counts.Records, r.Counts.Late)
	}
	want := []int64{0, 1, 0, 10e9, 2, 1}
	if len(got) != len(want) {
		t.Fatalf("windows %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("windows %v, want %v", got, want)
		}
	}
}

// What was not read on purpose says nothing about the audit's pace, nor that
// a symbol is silent.
func TestHeldInputIsNoStall(t *testing.T) {
	held := func(goesOn bool) (told []string) {
		l := DefaultLimits()
		l.MaxSymbolSilence = 10e9
		p := NewPartition("ticks", 0, 1, &l)
		r := at(0, 0, "QXA")
		p.Observe(&r.tick, t0)
		p.Progress(1, t0)
		p.Progress(50_000, t0+1e9)
		if goesOn {
			p.GoesOn()
		}
		for _, after := range []int64{0, 1e9} {
			p.Progress(50_000, t0+600e9+after)
			p.Sweep(t0 + 600e9 + after)
		}
		for _, r := range p.Snapshot().Reports {
			for i := range r.Findings {
				told = append(told, r.Findings[i].Code.String())
			}
		}
		return told
	}
	if got := held(false); len(got) == 0 {
		t.Error("without a pause nothing was told of 600 s that nothing was read in")
	}
	if got := held(true); len(got) != 0 {
		t.Errorf("told after a pause: %v", got)
	}
}

func TestAuditorBehindSurvivesARestart(t *testing.T) {
	l := DefaultLimits()
	l.MaxLagTicks = 100
	p := NewPartition("ticks", 0, 1, &l)
	r := at(0, 0, "QXA")
	p.Observe(&r.tick, NoTime)
	var ids []string
	sweep := func(after, high int64) {
		p.Progress(high, t0+after*1e9)
		p.Sweep(t0 + after*1e9)
		s := p.Snapshot()
		for _, r := range s.Reports {
			if r.Trigger == TriggerFinding {
				ids = append(ids, r.Findings[0].State.String()+" "+r.Findings[0].ID)
			}
		}
		restored := NewPartition("ticks", 0, 1, &l)
		restored.RestorePartition(s.PartitionRow)
		restored.Sweep(t0 + after*1e9) // the end is not known yet: nothing is judged
		if p.progress.behindSince == NoTime || len(ids) > 0 {
			restored.progress = p.progress
			p = restored
		}
	}
	sweep(0, 50_000)
	sweep(10, 50_000)
	sweep(20, 50_000)
	sweep(30, 1)
	if len(ids) != 2 || !strings.HasPrefix(ids[0], "OPENED ") || "RESOLVED "+strings.TrimPrefix(ids[0], "OPENED ") != ids[1] {
		t.Errorf("findings %v", ids)
	}
}

// windowsOf are statistics with windows of 10 s, one hot symbol in each.
func windowsOf(partition int32, n int, passed int64) *PartitionStats {
	s := &PartitionStats{Topic: "ticks", Partition: partition, Partitions: 4, Through: int64(n) * 1000, Symbols: 4, Watermark: t0, FirstTime: t0, MaxAge: NoTime, Passed: passed}
	for i := range n {
		s.Counts.Records += 200
		s.Counts.Ticks += 200
		s.Windows = append(s.Windows, WindowLoad{Start: t0 + int64(i)*10e9, Keyed: 200, Ticks: 200, Symbols: 4, Hot: "H", HotN: 100, MaxAge: NoTime, Total: s.Counts})
	}
	s.Keyed = s.Counts.Ticks
	return s
}

func TestWindowsThatDoNotWaitAnyLongerAreNotJudged(t *testing.T) {
	l := DefaultLimits()
	topic := NewTopic("ticks", 4, &l)
	const n = maxWindows + 50
	for id := range int32(4) { // partition after partition
		topic.Fold(windowsOf(id, n, t0+n*10e9))
	}
	s := topic.Snapshot()
	starts := map[Time]bool{}
	for _, r := range s.Reports {
		if r.Trigger == TriggerFinding {
			t.Fatalf("found %s", showFinding(&r.Findings[0]))
		}
		if starts[r.WindowStart] {
			t.Fatalf("two reports of one window")
		}
		starts[r.WindowStart] = true
	}
	if r := topic.Final(""); len(starts) != n || r.Counts.Records != 4*n*200 || r.Status != StatusHealthy {
		t.Errorf("%d windows, %d records, %v", len(starts), r.Counts.Records, r.Status)
	}
	if last := s.Reports[len(s.Reports)-1]; last.Counts.Records != 4*n*200 {
		t.Errorf("the last window's totals are %d", last.Counts.Records)
	}
}

func TestATopicMadeAgainIsToldOnceAndSettles(t *testing.T) {
	l := DefaultLimits()
	topic := NewTopic("ticks", 2, &l)
	stats := func(id int32, topicID string, reset bool, windows int) *PartitionStats {
		s := windowsOf(id, windows, t0+int64(windows)*10e9)
		s.Partitions, s.TopicID, s.Reset = 2, topicID, reset
		s.Sightings = []Sighting{{Symbol: "QXA", Offset: 0, Count: 1, Key: "QXA", Time: t0}}
		return s
	}
	topic.Fold(stats(0, "old", false, 1))
	for _, s := range []*PartitionStats{stats(0, "new", true, 0), stats(1, "new", true, 0)} {
		s.Sightings = s.Sightings[:1-s.Partition] // the symbol moved to p0
		topic.Fold(s)
		topic.Fold(s) // a repeat
	}
	topic.Fold(stats(0, "new", false, 5))
	s := stats(1, "new", false, 5)
	s.Sightings = nil
	topic.Fold(s)
	var told []string
	for _, r := range topic.Snapshot().Reports {
		if r.Trigger == TriggerFinding {
			told = append(told, r.Findings[0].State.String()+" "+r.Findings[0].Code.String())
		}
	}
	if got := strings.Join(told, ", "); got != "OPENED OFFSET_INCONSISTENCY, RESOLVED OFFSET_INCONSISTENCY" {
		t.Errorf("told %s", got)
	}
	if r := topic.Final(""); r.Counts.Records != 2*5*200 || r.Status != StatusHealthy {
		t.Errorf("%d records, %v", r.Counts.Records, r.Status)
	}
}

func TestFinalListsOpenFindingsWithTheirLastCount(t *testing.T) {
	log := caseLog{0, []record{at(0, 5e9, "QXA")}}
	for i := range int64(25) {
		r := at(1+i, 5e9-i*1e6-1e6, "QXA")
		r.tick.RecordTime = t0 + 5e9
		log.records = append(log.records, r)
	}
	runCase(t, 1, nil, []caseLog{log}, func(t *testing.T, _ *world, final *Report) {
		if f := one(t, final, UpstreamDisorder); f.Count != 25 || f.FirstOffset != 1 || f.LastOffset != 25 || f.Observed != 25 {
			t.Errorf("found %s", showFinding(&f))
		}
	})
}

func TestAnyCallsInAnyOrder(t *testing.T) {
	cases := uint64(60)
	if testing.Short() {
		cases = 20
	}
	for seed := range cases {
		random := rand.New(rand.NewPCG(5, seed))
		l := DefaultLimits()
		l.MaxTickAge, l.MaxSymbolSilence, l.PartitionSkewMin = time.Second, 3*time.Second, 1
		w := newWorld(t, 2, &l)
		offset, now := int64(0), t0
		for range random.IntN(200) {
			b := random.Uint32()
			w.fuzzStep([]byte{byte(b), byte(b >> 8), byte(b >> 16), byte(b >> 24)}, &offset, &now)
		}
		if c := w.finish().Counts; !c.Whole() {
			t.Fatalf("seed %d: counts do not add up: %+v", seed, c)
		}
	}
}

func TestARecordTimeFarInTheFutureDoesNotHoldUpWindows(t *testing.T) {
	l := DefaultLimits()
	p := NewPartition("ticks", 0, 1, &l)
	p.Progress(0, t0)
	windows := 0
	for i := range int64(30) {
		r := at(i, i*1e9, "QXA")
		if i == 3 {
			r.tick.RecordTime = t0 + 365*24*3600e9
		}
		p.Observe(&r.tick, t0+i*1e9)
		p.Progress(i+1, t0+i*1e9)
		p.Sweep(t0 + i*1e9)
		for _, r := range p.Snapshot().Reports {
			if windows++; r.Trigger != TriggerInterval || r.Counts.Records != 10 || r.Counts.Late != 0 {
				t.Errorf("report %v of %d records, %d late", r.Trigger, r.Counts.Records, r.Counts.Late)
			}
		}
	}
	if windows != 2 {
		t.Errorf("%d windows closed in 30 s, want 2", windows)
	}
}

func TestAStaleRepeatOpensNothing(t *testing.T) {
	l := DefaultLimits()
	p, topic := NewPartition("ticks", 0, 1, &l), NewTopic("ticks", 1, &l)
	observe := func(offset, after int64, key []byte) *PartitionStats {
		r := at(offset, after, "QXA")
		r.tick.Key = key
		p.Observe(&r.tick, NoTime)
		return p.Snapshot().Stats
	}
	first := observe(0, 0, nil)
	second := observe(1, 30e9, []byte("QXA"))
	topic.Fold(first)
	topic.Fold(second)
	topic.Fold(first)
	if r := topic.Final(""); r.FindingsTotal != 0 || r.Counts.Records != 2 {
		t.Errorf("%d findings open, %d records", r.FindingsTotal, r.Counts.Records)
	}
}
