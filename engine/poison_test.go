package engine

import (
	"fmt"
	"testing"
)

// mistakes are one wrong event time and one wrong record time of a history, by
// seconds, and the records that they are of.
type mistakes struct {
	event, record     int64
	eventAt, recordAt int
	symbols           int
	lead              int64 // of a feed whose clock is ahead throughout, seconds
	live              bool
}

// observe judges the history. A live audit reads each record as it is written.
func (m mistakes) observe() *Partition {
	const ticks = 40
	l := DefaultLimits()
	l.Replay = !m.live
	p := NewPartition("ticks", 0, 1, &l)
	if m.live {
		p.Progress(0, t0)
	}
	for i := range ticks {
		name := fmt.Appendf(nil, "Q%d", i/2%m.symbols)
		now, at := int64(NoTime), t0+int64(i)*second
		t := Tick{Offset: int64(i), RecordTime: at, EventTime: at + m.lead*second, Symbol: name, Key: name, Unit: UnitNanos}
		if i == m.eventAt {
			t.EventTime += m.event * second
		}
		if i == m.recordAt {
			t.RecordTime += m.record * second
		}
		if m.live {
			now = at
		}
		p.Observe(&t, now)
	}
	p.Close(Reached([]*Partition{p}))
	return p
}

// first says whether the tick with the wrong event time is the first of its
// symbol, which lies behind nothing.
func (m mistakes) first() bool { return m.eventAt < 2*m.symbols && m.eventAt%2 == 0 }

// One wrong event time and one wrong record time, whichever comes first, by
// little or by years, make no other tick look late. What nobody can tell is a
// tick whose two times are wrong alike, by less than an hour: those after it are
// late by both of its clocks.
func TestOneWrongEventTimeAndOneWrongRecordTimePoisonNoOrder(t *testing.T) {
	tried, places := 0, []int{0, 1, 2, 3, 4, 5, 8, 16, 17, 18}
	for _, event := range []int64{-years / 2, -7200, -30, 1, 30, 7200, years} {
		for _, record := range []int64{-t0 / second, -7200, -30, -1, 0, 30, 7200, years} {
			for _, eventAt := range places {
				for _, recordAt := range places {
					alike := eventAt == recordAt && record > 0 && record < leapMin/second && event > 0
					if alike {
						continue
					}
					for _, m := range []mistakes{{symbols: 1}, {symbols: 2}, {symbols: 1, lead: 5}, {symbols: 2, lead: 5}, {symbols: 2, live: true}} {
						m.event, m.record, m.eventAt, m.recordAt = event, record, eventAt, recordAt
						want := int64(0)
						if event < 0 && !m.first() {
							want = 1
						}
						tried++
						settled := eventAt >= 16 && recordAt != eventAt // eight ticks of its symbol came before
						if c := m.observe().row.Counts; c.Disorder > want || settled && c.Disorder < want || c.Backfilled > 0 {
							t.Errorf("%+v: %d late, want %d; %d backfilled", m, c.Disorder, want, c.Backfilled)
						}
					}
				}
			}
		}
	}
	if tried < 20_000 {
		t.Errorf("%d tried", tried)
	}
}

// A first record of 1970 does not stretch the time that the history takes, and
// one before a pause does begin it.
func TestFirstTimeOfAHistory(t *testing.T) {
	for first, want := range map[int64]int64{-t0 / second: 1, -7200: -7200, years: 1} {
		if p := replayedAt(first, 1, 2, 3); p.row.FirstTime != t0+want*second {
			t.Errorf("first record at %d s: first time %d s, want %d", first, (p.row.FirstTime-t0)/second, want)
		}
	}
}
