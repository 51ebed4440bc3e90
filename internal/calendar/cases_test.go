package calendar

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/auditstream/auditstream/engine"
)

const caseFile = `
markets:
  - {name: new york, symbols: ["*"], exchange: XNYS}
`

func caseTick(offset int64, symbol, at string, t *testing.T) engine.Tick {
	ns := int64(0)
	if at != "" {
		v, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		ns = v.UnixNano()
	}
	return engine.Tick{Offset: offset, RecordTime: ns, EventTime: ns, Symbol: []byte(symbol), Key: []byte(symbol), Value: []byte("{}"), Unit: engine.UnitMillis}
}

// opened are the symbols told as silent by time now, since the last call.
func opened(t *testing.T, p *engine.Partition, now string) (symbols []string) {
	t.Helper()
	p.Progress(p.Through()+1, at(t, now))
	p.Sweep(at(t, now))
	for _, e := range staleEvents(p.Snapshot().Reports) {
		if f := strings.Fields(e); f[0] == "OPENED" {
			symbols = append(symbols, f[1])
		}
	}
	return symbols
}

// Over a weekend nothing is stale, two minutes after the open the silent symbol
// is; a thin symbol goes by its own pace, a halted one waits for the resume.
func TestG54ClosedMarketsHaltsAndThinSymbolsAreNotStale(t *testing.T) {
	l := engine.DefaultLimits()
	l.Calendar, l.MaxSymbolSilence = mustLoad(t, caseFile), time.Minute
	p := engine.NewPartition("ticks", 0, 1, &l)
	p.Progress(0, at(t, "2025-01-03T20:59:59Z"))
	tick := caseTick(0, "QXA", "2025-01-03T20:59:59Z", t)
	p.Observe(&tick, tick.RecordTime)
	for _, quiet := range []string{"2025-01-03T21:30:00Z", "2025-01-04T12:00:00Z", "2025-01-06T14:29:00Z", "2025-01-06T14:30:30Z"} {
		if got := opened(t, p, quiet); len(got) > 0 {
			t.Errorf("%s: %v is told as silent", quiet, got)
		}
	}
	if got := opened(t, p, "2025-01-06T14:32:00Z"); !slices.Equal(got, []string{"QXA"}) {
		t.Errorf("two minutes after the open: %v", got)
	}

	halt := caseTick(1, "QXB", "2025-01-06T15:00:00Z", t)
	halt.Halt = engine.Halted
	p.Observe(&halt, halt.RecordTime)
	if got := opened(t, p, "2025-01-06T15:19:00Z"); len(got) > 0 {
		t.Errorf("while it is halted: %v", got)
	}
	resume := caseTick(2, "QXB", "2025-01-06T15:20:00Z", t)
	resume.Halt = engine.Resumed
	p.Observe(&resume, resume.RecordTime)
	if got := opened(t, p, "2025-01-06T15:21:30Z"); !slices.Equal(got, []string{"QXB"}) {
		t.Errorf("silent after the resume: %v", got)
	}

	auto := engine.DefaultLimits()
	auto.Calendar, auto.AutoSilence = l.Calendar, true
	p = engine.NewPartition("ticks", 0, 1, &auto)
	var last int64
	for n := range int64(24) { // each 40 minutes of open time, over three days
		last = auto.Calendar.Hours("ZTKR").After(at(t, "2025-01-06T14:30:00Z"), time.Duration(n+1)*40*time.Minute)
		thin := caseTick(n, "ZTKR", "", t)
		thin.RecordTime, thin.EventTime = last, last
		p.Observe(&thin, engine.NoTime)
	}
	hour := time.Unix(0, last).UTC().Add(time.Hour).Format(time.RFC3339)
	if got := opened(t, p, hour); len(got) > 0 {
		t.Errorf("an hour after the last of a thin symbol, %s: %v", hour, got)
	}
	if got := opened(t, p, "2025-01-21T20:00:00Z"); !slices.Equal(got, []string{"ZTKR"}) {
		t.Errorf("a week later: %v", got)
	}
}

// A symbol that was renamed is told once and ends; its name used again starts
// anew, with neither a silence of half a year nor disorder.
func TestG56ASymbolThatEndsIsToldOnce(t *testing.T) {
	l := engine.DefaultLimits()
	l.Calendar, l.MaxSymbolSilence, l.ReportInterval = mustLoad(t, caseFile), time.Hour, 24*time.Hour
	p := engine.NewPartition("ticks", 0, 1, &l)
	offset := int64(0)
	tell := func(symbol string, at int64) {
		tick := caseTick(offset, symbol, "", t)
		tick.RecordTime, tick.EventTime = at, at
		p.Observe(&tick, engine.NoTime)
		offset++
	}
	hours := l.Calendar.Hours("QXO")
	start := at(t, "2025-01-06T14:30:00Z")
	tell("QXN", start)
	for n := range 130 * 13 { // half a year of half hours
		now := hours.After(start, time.Duration(n+1)*30*time.Minute)
		if n < 13 {
			tell("QXO", now)
		} else if n > 128*13 {
			tell("QXN", now)
		}
		tell("QXP", now)
	}
	p.Close(engine.NoTime)
	s := p.Snapshot()
	var got []string
	for _, r := range s.Reports {
		for _, f := range r.Findings {
			if r.Trigger == engine.TriggerFinding && f.Code != engine.StaleTick {
				t.Errorf("%+v", f)
			} else if r.Trigger == engine.TriggerFinding {
				got = append(got, f.State.String()+" "+f.Symbol)
				if _, ended := f.Evidence["ended"]; ended != (f.State == engine.Resolved) {
					t.Errorf("%s of %s, ended %v", f.State, f.Symbol, ended)
				}
			}
		}
	}
	slices.Sort(got)
	if want := []string{"OPENED QXN", "OPENED QXO", "RESOLVED QXN", "RESOLVED QXO"}; !slices.Equal(got, want) {
		t.Errorf("told %v, want %v", got, want)
	}
}
