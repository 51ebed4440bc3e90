package calendar

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
)

// The week of 24 November 2025 in New York: nights, Thanksgiving on Thursday,
// an early close on Friday, a weekend. Two halts, by file and by record, thin
// symbols, one that trades day and night, and one outage of the feed of two
// symbols, on Wednesday from 15:10 to 15:40 UTC.
const weekFile = `
markets:
  - {name: crypto, symbols: ["*-USD"], exchange: 24x7}
  - {name: new york, symbols: ["*"], exchange: XNYS}
halts:
  - {symbols: [HALTF], from: "2025-11-25T15:00:00Z", to: "2025-11-25T16:00:00Z"}
`

var (
	weekFrom   = time.Date(2025, 11, 24, 0, 0, 0, 0, time.UTC)
	weekTo     = weekFrom.AddDate(0, 0, 8)
	outageFrom = time.Date(2025, 11, 26, 15, 10, 0, 0, time.UTC)
	outageTo   = time.Date(2025, 11, 26, 15, 40, 0, 0, time.UTC)
	haltFrom   = time.Date(2025, 11, 25, 15, 0, 0, 0, time.UTC)
	haltTo     = haltFrom.Add(time.Hour)
)

// weekSymbol trades at random in its open time, on average so far apart.
type weekSymbol struct {
	name  string
	every time.Duration
	halt  bool // trades as in a halt
	out   bool // its feed has the outage
}

var weekSymbols = []weekSymbol{
	{"BUSY", 15 * time.Second, false, true},
	{"CALM", 40 * time.Second, false, true},
	{"FINE", 20 * time.Second, false, false},
	{"HALTF", 30 * time.Second, true, false},
	{"HALTR", 30 * time.Second, true, false},
	{"THIN1", 15 * time.Minute, false, false},
	{"THIN2", 25 * time.Minute, false, true}, // too thin for the outage to show
	{"BTC-USD", 60 * time.Second, false, false},
}

// weekTicks are the records of the week in the order of their times.
func weekTicks(c *Calendar) []engine.Tick {
	var ticks []engine.Tick
	for n, s := range weekSymbols {
		random := rand.New(rand.NewPCG(7, uint64(n)))
		hours := c.Hours(s.name)
		add := func(at int64, halt engine.Halt) {
			ticks = append(ticks, engine.Tick{
				RecordTime: at, EventTime: at, Symbol: []byte(s.name), Key: []byte(s.name), Value: []byte("{}"),
				Unit: engine.UnitMillis, Halt: halt, Content: random.Uint64() | 1,
			})
		}
		for at := weekFrom.UnixNano(); ; {
			gap := time.Duration(min(random.ExpFloat64(), 4) * float64(s.every))
			at = hours.After(at, gap) / 1e6 * 1e6
			if at >= weekTo.UnixNano() {
				break
			}
			when := time.Unix(0, at)
			halted := s.halt && !when.Before(haltFrom) && when.Before(haltTo)
			if out := s.out && !when.Before(outageFrom) && when.Before(outageTo); !out && !halted {
				add(at, engine.NoHalt)
			}
		}
		if s.name == "HALTR" {
			add(haltFrom.UnixNano(), engine.Halted)
			add(haltTo.UnixNano(), engine.Resumed)
		}
	}
	slices.SortStableFunc(ticks, func(a, b engine.Tick) int { return int((a.RecordTime - b.RecordTime) / 1e6) })
	for i := range ticks {
		ticks[i].Offset = int64(i)
	}
	return ticks
}

// staleEvents are the events of STALE_TICK in reports, without the ids' hash.
func staleEvents(reports []*engine.Report) (events []string) {
	for _, r := range reports {
		if r.Trigger != engine.TriggerFinding {
			continue
		}
		for _, f := range r.Findings {
			if f.Code == engine.StaleTick {
				events = append(events, fmt.Sprintf("%s %s @%d %s", f.State, f.Symbol, f.FirstOffset, f.ID))
			}
		}
	}
	return events
}

// restarted is the partition made anew from its rows, as they are on Kafka.
func restarted(t *testing.T, p *engine.Partition, rows map[string][]byte, l *engine.Limits) (*engine.Partition, []*engine.Report) {
	t.Helper()
	s := p.Snapshot()
	for i := range s.Rows {
		rows[s.Rows[i].Symbol] = codecs.AppendSymbolRow(nil, &s.Rows[i])
	}
	next := engine.NewPartition("ticks", 0, 1, l)
	for name, b := range rows {
		row, err := codecs.DecodeSymbolRow(name, b)
		if err != nil {
			t.Fatal(err)
		}
		next.RestoreSymbol(row)
	}
	b, err := codecs.EncodePartitionRow(&s.PartitionRow)
	if err != nil {
		t.Fatal(err)
	}
	row, err := codecs.DecodePartitionRow(b)
	if err != nil {
		t.Fatal(err)
	}
	next.RestorePartition(row)
	return next, s.Reports
}

// weekReplayed audits by record times, live by a clock that moves on second by
// second where something may happen. restarts makes the state anew now and then.
func weekReplayed(t *testing.T, ticks []engine.Tick, l *engine.Limits, live, restarts bool) []string {
	p := engine.NewPartition("ticks", 0, 1, l)
	rows := map[string][]byte{}
	var reports []*engine.Report
	clock := weekFrom.UnixNano()
	sweep := func(to int64) {
		for ; clock < to; clock += 1e9 {
			p.Progress(p.Through()+1, clock)
			p.Sweep(clock)
		}
	}
	for i := range ticks {
		tick, now := ticks[i], int64(engine.NoTime)
		if live {
			sweep(tick.RecordTime)
			if p.Live() {
				now = tick.RecordTime
			}
		}
		tick.Symbol = bytes.Clone(tick.Symbol)
		p.Observe(&tick, now)
		switch {
		case restarts && i%1501 == 0:
			var said []*engine.Report
			p, said = restarted(t, p, rows, l)
			reports = append(reports, said...)
		case i%1000 == 0:
			s := p.Snapshot()
			for k := range s.Rows {
				rows[s.Rows[k].Symbol] = codecs.AppendSymbolRow(nil, &s.Rows[k])
			}
			reports = append(reports, s.Reports...)
		}
	}
	p.Close(engine.NoTime)
	return staleEvents(append(reports, p.Snapshot().Reports...))
}

// TestAWeekOfMarkets holds that a week of markets gives one staleness episode
// for each symbol whose feed was out, and none for anything else.
func TestAWeekOfMarkets(t *testing.T) {
	c := mustLoad(t, weekFile)
	ticks := weekTicks(c)
	last := map[string]int{}
	back := map[string]int{}
	for i := range ticks {
		name := string(ticks[i].Symbol)
		if ticks[i].RecordTime < outageFrom.UnixNano() {
			last[name] = i
		} else if _, is := back[name]; !is {
			back[name] = i
		}
	}
	for _, silence := range []string{"auto", "fixed"} {
		l := engine.DefaultLimits()
		l.Calendar = c
		l.ReportInterval = time.Hour
		want := []string{"BUSY", "CALM"}
		ticks := ticks
		if l.AutoSilence = silence == "auto"; silence == "fixed" {
			l.MaxSymbolSilence = 10 * time.Minute
			ticks = slices.DeleteFunc(slices.Clone(ticks), func(t engine.Tick) bool { return bytes.HasPrefix(t.Symbol, []byte("THIN")) })
		}
		plain := weekReplayed(t, ticks, &l, false, false)
		var opened, resolved []string
		for _, e := range plain {
			f := strings.Fields(e)
			if f[0] == "OPENED" {
				if opened = append(opened, f[1]); f[2] != fmt.Sprintf("@%d", last[f[1]]) {
					t.Errorf("%s: %s, want the last tick before the outage, @%d", silence, e, last[f[1]])
				}
			} else {
				resolved = append(resolved, f[1])
			}
		}
		slices.Sort(opened)
		slices.Sort(resolved)
		if !slices.Equal(opened, want) || !slices.Equal(resolved, want) {
			t.Errorf("%s: opened %v and resolved %v, want %v:\n%s", silence, opened, resolved, want, strings.Join(plain, "\n"))
		}
		for _, other := range []struct {
			about          string
			live, restarts bool
		}{{"live", true, false}, {"with restarts", false, true}, {"live with restarts", true, true}} {
			if got := weekReplayed(t, ticks, &l, other.live, other.restarts); !slices.Equal(got, plain) {
				t.Errorf("%s %s:\n%s\nwant\n%s", silence, other.about, strings.Join(got, "\n"), strings.Join(plain, "\n"))
			}
		}
	}
	t.Logf("%d ticks", len(ticks))
}
