package engine

import (
	"math/rand/v2"
	"testing"
	"time"
)

// replayedAt judges a tick a record time, as a replay does, and gives the
// partition.
func replayedAt(seconds ...int64) *Partition {
	l := DefaultLimits()
	l.Replay = true
	p := NewPartition("ticks", 0, 1, &l)
	for i, s := range seconds {
		at := int64(1735831800_000000000) + s*second
		p.Observe(&Tick{Offset: int64(i), RecordTime: at, EventTime: at, Symbol: []byte("QXA"), Key: []byte("QXA"), Unit: UnitNanos}, NoTime)
	}
	return p
}

// One record time that is wrong by years, or by hours, holds up nothing.
func TestWrongRecordTimeMovesNoReplay(t *testing.T) {
	for _, wrong := range []int64{75 * 365 * 86400, 7200} {
		p := replayedAt(0, 1, wrong, 2, 3, wrong, 14, 25)
		if late := p.row.Counts.Late; late != 0 || p.row.Watermark != int64(1735831825_000000000) {
			t.Errorf("ahead by %d s: %d late records, time %d", wrong, late, p.row.Watermark)
		}
	}
}

// After a pause the second record shows that time has gone on, and a restart
// between the two changes nothing.
func TestPauseOfAReplay(t *testing.T) {
	const pause = 2 * 86400
	p := replayedAt(0, 1, pause)
	if p.row.Watermark != int64(1735831801_000000000) {
		t.Errorf("a leap was believed by itself: time %d", p.row.Watermark)
	}
	s := p.Snapshot()
	q := NewPartition("ticks", 0, 1, p.limits)
	q.RestorePartition(s.PartitionRow)
	for _, r := range s.Rows {
		q.RestoreSymbol(r)
	}
	at := int64(1735831800_000000000) + (pause+1)*second
	q.Observe(&Tick{Offset: 3, RecordTime: at, EventTime: at, Symbol: []byte("QXA"), Key: []byte("QXA"), Unit: UnitNanos}, NoTime)
	if q.row.Watermark != at || q.row.Counts.Late != 0 {
		t.Errorf("after a pause: time %d, %d late", q.row.Watermark, q.row.Counts.Late)
	}
}

const years = 75 * 365 * 86400

// wrongTick is a tick of a history, before one of whose ticks another stands that is
// wrong by years, by its event time, its record time or both.
type wrongTick struct {
	symbol        string
	record, event int64 // seconds
}

func observed(ticks []wrongTick, recordTimes bool) *Partition {
	l := DefaultLimits()
	l.Replay, l.MaxSymbolSilence, l.MaxTickAge = true, time.Minute, time.Hour
	p := NewPartition("ticks", 0, 1, &l)
	for i, w := range ticks {
		t := Tick{
			Offset: int64(i), RecordTime: t0 + w.record*second, EventTime: t0 + w.event*second,
			Symbol: []byte(w.symbol), Key: []byte(w.symbol), Unit: UnitNanos,
		}
		if !recordTimes {
			t.RecordTime = NoTime
		}
		p.Observe(&t, NoTime)
	}
	return p
}

// One record far in the future, wherever it stands and whatever of it is wrong,
// makes no symbol silent and no later tick late.
func TestOneWrongRecordPoisonsNoHistory(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	symbols := []string{"QXA", "QXB", "QXC"}
	for round := range 300 {
		n := 20 + random.IntN(20)
		ahead := int64(years)
		if round%3 == 0 {
			ahead = 2 * 3600
		}
		withTimes := round%2 == 0
		wrongAt := random.IntN(n + 1)
		if round < 20 {
			wrongAt = []int{0, 1, n - 1, n}[round%4]
		}
		if wrongAt == n {
			ahead = years // by less, the last record may as well follow a pause
		}
		var ticks []wrongTick
		for i := range n + 1 {
			if i == wrongAt {
				w := wrongTick{symbols[random.IntN(3)], int64(i), int64(i)}
				if w.event += ahead; withTimes {
					w.record += ahead
				}
				if withTimes && random.IntN(2) == 0 {
					w.event = int64(i)
				}
				ticks = append(ticks, w)
			}
			if i < n {
				ticks = append(ticks, wrongTick{symbols[i%3], int64(i), int64(i)})
			}
		}
		p := observed(ticks, withTimes)
		p.Close(Reached([]*Partition{p}))
		c := p.row.Counts
		if c.Late != 0 || c.Disorder != 0 || p.row.Watermark > t0+int64(n+1)*second {
			t.Fatalf("round %d: wrong at %d of %d by %d s, record times %v: %+v, time %d", round, wrongAt, n, ahead, withTimes, c, (p.row.Watermark-t0)/second)
		}
		for _, r := range p.Snapshot().Reports {
			for _, f := range r.Findings {
				if f.Code == StaleTick && f.Evidence["kind"] == kindSilent {
					t.Fatalf("round %d: wrong at %d of %d: %s", round, wrongAt, n, f.Cause)
				}
			}
		}
	}
}

// Partitions have come to a time that two records show, of whatever partitions.
func TestReachedNeedsTwo(t *testing.T) {
	at := func(seconds ...int64) *Partition { return replayedAt(seconds...) }
	for name, c := range map[string]struct {
		parts []*Partition
		want  int64
	}{
		"one record":                            {[]*Partition{at(5)}, 5},
		"a wrong one beside others":             {[]*Partition{at(0, 1, 2), at(years)}, 2},
		"a wrong one that is last":              {[]*Partition{at(0, 1, years), at(0, 7)}, 7},
		"two that agree":                        {[]*Partition{at(0, 1, 86400), at(2), at(3, 86410)}, 86410},
		"two that agree within a partition":     {[]*Partition{at(0, 1, 86400, 86401), at(2)}, 86401},
		"single records, one of which is wrong": {[]*Partition{at(1), at(years), at(3)}, 3},
		"single records apart":                  {[]*Partition{at(0), at(8 * 86400)}, 0},
		"a pause before the last record":        {[]*Partition{at(0, 1, 2*86400), at(2)}, 2 * 86400},
		"a pause of a week before it":           {[]*Partition{at(0, 1, 8*86400), at(2)}, 2},
	} {
		if got := (Reached(c.parts) - t0) / second; got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
	if got := Reached(nil); got != NoTime {
		t.Errorf("nothing: %d", got)
	}
}
