package processors

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
)

// boundsUnit notes what it is told about its log.
type boundsUnit struct {
	unit
	told []string
}

func (u *boundsUnit) urgent() bool { return false }
func (u *boundsUnit) lost(from, to int64) {
	u.told = append(u.told, fmt.Sprintf("lost %d-%d", from, to))
}
func (u *boundsUnit) truncated(to int64)    { u.told = append(u.told, fmt.Sprintf("cut %d", to)) }
func (u *boundsUnit) progress(int64, int64) {}
func (u *boundsUnit) consume(rs []*kgo.Record) error {
	u.told = append(u.told, fmt.Sprintf("read %d-%d", rs[0].Offset, rs[len(rs)-1].Offset))
	return nil
}

func offsets(from, to int64) (records []*kgo.Record) {
	for o := from; o <= to; o++ {
		records = append(records, &kgo.Record{Offset: o})
	}
	return records
}

// What a fetch says of its log decides between a gap, a loss and a truncation.
func TestClaimFollowsItsLog(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		from, to int64 // records of the frame; the claim has read up to 99
		bounds   logBounds
		cut      int64
		want     []string
	}{
		"in a row":                            {100, 110, logBounds{0, 111, 111}, -1, []string{"read 100-110"}},
		"a gap by compaction or by markers":   {150, 160, logBounds{0, 161, 161}, -1, []string{"read 150-160"}},
		"the log starts later":                {150, 160, logBounds{150, 161, 161}, -1, []string{"lost 100-150", "read 150-160"}},
		"a gap behind the log's start":        {150, 160, logBounds{120, 161, 161}, -1, []string{"lost 100-120", "read 150-160"}},
		"fetched before retention came":       {100, 110, logBounds{105, 111, 111}, -1, []string{"read 100-110"}},
		"truncated, as the leader epoch says": {90, 130, logBounds{0, 131, 131}, 90, []string{"cut 90", "read 90-130"}},
		"truncated, and read from the start":  {0, 79, logBounds{0, 80, 80}, -1, []string{"cut 80"}},
		"a start that is not known":           {150, 160, logBounds{-1, 161, 161}, -1, []string{"read 150-160"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := &boundsUnit{}
			claim := newClaim(place{"ticks", 0}, "ticks", 0, u, newBudget())
			claim.next, claim.committed = 100, 100
			claim.gate.assign(claim)
			if c.cut >= 0 {
				claim.queue.pushCut(c.cut)
			}
			claim.queue.push(offsets(c.from, c.to), c.bounds, fetching{})
			if err := claim.consume(); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(u.told, c.want) {
				t.Errorf("told %q, want %q", u.told, c.want)
			}
			if claim.next != c.to+1 { // what was judged before is not read twice
				t.Errorf("next is %d, want %d", claim.next, c.to+1)
			}
			if cut := c.want[0][:3] == "cut"; cut != (claim.committed < 0) {
				t.Errorf("committed %d: after a truncation the offset may go back, and only then", claim.committed)
			}
		})
	}
}

// Bounds that are asked for beside reading count when they say the same twice
// and nothing was read meanwhile.
func TestClaimObservesBounds(t *testing.T) {
	t.Parallel()
	u := &boundsUnit{}
	c := newClaim(place{"ticks", 0}, "ticks", 0, u, newBudget())
	c.next = 100
	c.observe(logBounds{120, 200, 200}, 100, c.end)
	c.next = 110
	c.observe(logBounds{120, 200, 200}, 110, c.end)
	if len(u.told) != 0 {
		t.Fatalf("told %q although it moves", u.told)
	}
	c.observe(logBounds{120, 200, 200}, 110, c.end)
	c.observe(logBounds{120, 200, 200}, 120, c.end)
	c.observe(logBounds{0, 90, 90}, 120, c.end)
	c.observe(logBounds{0, 90, 90}, 90, c.end)
	if want := []string{"lost 110-120", "cut 90"}; !slices.Equal(u.told, want) || c.next != 90 {
		t.Errorf("told %q, next %d; want %q, 90", u.told, c.next, want)
	}
	c.stop = 200
	if c.observe(logBounds{0, 90, 90}, 90, c.end); !c.drained(false) {
		t.Errorf("an end that was truncated away is waited for: next %d, stop %d", c.next, c.stop)
	}
}

// How far the end is away is told by what is known last of the end: a frame
// that has waited tells of an old one, and an old one that was reached is none.
func TestClaimTellsItsLag(t *testing.T) {
	t.Parallel()
	c := newClaim(place{"ticks", 0}, "ticks", 0, &boundsUnit{}, newBudget())
	c.next, c.end, c.committed = 100, 100, 100
	if got := c.lag(100); got != -1 {
		t.Errorf("lag %d at an end that nobody has told for long", got)
	}
	c.gate.assign(c)
	c.queue.push(offsets(100, 104), logBounds{0, 105, 105}, fetching{})
	c.queue.push(offsets(105, 109), logBounds{0, 110, 110}, fetching{})
	c.observe(logBounds{0, 300, 300}, 100, c.end)
	for _, want := range []int64{195, 190} {
		if err := c.consume(); err != nil {
			t.Fatal(err)
		}
		if got := c.lag(c.next); got != want {
			t.Errorf("lag %d at %d of 300", got, c.next)
		}
	}
	c.observe(logBounds{0, 200, 200}, 110, 250) // asked before 300 was known
	if got := c.lag(c.next); got != 190 {
		t.Errorf("lag %d: an answer that was overtaken counts", got)
	}
	c.observe(logBounds{0, 200, 200}, 110, 300) // what was not read yet was cut off
	if got := c.lag(c.next); got != 90 {
		t.Errorf("lag %d of a log that ends at 200 by now", got)
	}
	c.endAt = c.endAt.Add(-2 * endFor)
	if got := c.lag(c.next); got != 90 {
		t.Errorf("lag %d: at least 90 are unread whatever the end is", got)
	}
	if got := c.lag(200); got != -1 {
		t.Errorf("lag %d at an end that is an old one", got)
	}
}

// What was fetched while the input was held is history when it goes on: its
// frames tell of ends at which they stood once, and the wall clock is not its
// clock.
func TestBehindAPauseIsHistory(t *testing.T) {
	t.Parallel()
	d, err := codecs.NewJSON(codecs.Fields{Symbol: "s", Timestamp: "t"})
	if err != nil {
		t.Fatal(err)
	}
	control := NewControl(zerolog.Nop())
	cfg := &Config{Status: NewStatus(), Limits: engine.DefaultLimits()}
	cfg.prepared.Partitions = map[string]int32{"ticks": 1}
	u := newSymbols(cfg, place{"ticks", 0}, "table", d, zerolog.Nop())
	c := newClaim(u.place, "ticks", 0, u, newBudget())
	c.next, c.control = 0, control
	c.gate.assign(c)
	began := time.Now().Add(-time.Minute)
	push := func(offset int64) {
		at := began.Add(time.Duration(offset) * time.Millisecond)
		r := &kgo.Record{
			Topic: "ticks", Offset: offset, Key: []byte("QXA"), Timestamp: at, Value: fmt.Appendf(nil, `{"s":"QXA","t":%d}`, at.UnixNano()),
		}
		c.queue.push([]*kgo.Record{r}, logBounds{0, offset + 1, offset + 1}, fetching{})
	}
	consume := func(live bool) {
		t.Helper()
		if err := c.consume(); err != nil {
			t.Fatal(err)
		}
		if u.judge.Live() != live {
			t.Errorf("live is %v at %d of %d", !live, c.next, c.end)
		}
	}
	push(0)
	consume(true)
	control.Pause("a test")
	for offset := range int64(3) {
		push(offset + 1)
	}
	c.observe(logBounds{0, 4, 4}, 1, c.end)
	control.Resume("a test")
	consume(false)
	consume(false)
	consume(true)
}
