package processors

import (
	"testing"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kgo"
)

// restsUnit is a unit whose rows rest on a range; begin asks for nothing else.
type restsUnit struct {
	unit
	from, next int64
}

func (u restsUnit) rests() (from, next int64) { return u.from, u.next }
func (u restsUnit) lost(int64, int64)         {}

func TestBegin(t *testing.T) {
	t.Parallel()
	start, latest := kgo.NewOffset().AtStart(), kgo.NewOffset().AtEnd()
	at := func(offset int64) kgo.Offset { return kgo.NewOffset().At(offset) }
	for name, c := range map[string]struct {
		from, next        int64 // of the rows, -1: none
		fresh, oldest     bool
		given             kgo.Offset // the log is [100, 200]
		want              kgo.Offset
		wantNext, durable int64
		rewind            int64 // before rows are written, -1: the offset stands as it is
	}{
		"rows and offset agree":               {100, 150, false, false, at(150), at(150), 150, 150, -1},
		"rows are older than the offset":      {100, 120, false, false, at(150), at(120), 120, 150, 120},
		"rows are newer: half a checkpoint":   {100, 180, false, false, at(150), at(150), 150, 150, -1},
		"a row of nothing: begun anew":        {-1, 0, false, false, at(150), at(100), 100, 150, 100},
		"no rows":                             {-1, -1, false, false, at(150), at(150), 150, 150, -1},
		"the rows' next is gone from the log": {20, 50, false, false, at(150), at(100), 100, 150, 100},
		"the offset is gone from the log":     {20, 50, false, false, at(50), at(100), 100, 50, -1},
		"the offset is of another log":        {20, 150, false, false, at(250), start, 100, -1, 100},
		"the state is of another log":         {-1, -1, true, false, at(150), start, 100, -1, 100},
		"nothing known, from the oldest":      {-1, -1, false, false, start, start, 100, -1, -1},
		"nothing known, from the newest":      {-1, -1, false, false, latest, at(200), 200, -1, -1},
		"statistics are never skipped":        {-1, -1, false, true, latest, start, 100, -1, -1},
		"an offset that has expired":          {110, 150, false, false, latest, at(110), 110, -1, -1},
		"an old offset that has expired":      {20, 150, false, false, latest, start, 100, -1, -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			claim := newClaim(place{"ticks", 0}, "ticks", 0, restsUnit{from: c.from, next: c.next}, newBudget())
			claim.start, claim.end, claim.fromStart, claim.oldest = 100, 200, c.fresh, c.oldest
			if got := claim.begin(c.given); got != c.want {
				t.Errorf("reading begins at %v, want %v", got, c.want)
			}
			if claim.next != c.wantNext || claim.committed != c.durable || claim.rewind != c.rewind {
				t.Errorf("next is %d, durable %d, the offset goes back to %d; want %d, %d, %d",
					claim.next, claim.committed, claim.rewind, c.wantNext, c.durable, c.rewind)
			}
		})
	}
}

// rowsUnit has a row to write at each checkpoint.
type rowsUnit struct{ restsUnit }

func (rowsUnit) take() (*batch, error) {
	return &batch{rows: []*sarama.ProducerMessage{row("table", 0, []byte("k"), []byte("v"))}}, nil
}

// A partition's row vouches for all before it as soon as the group's offset is
// not below it: so an offset that is beyond goes back before the row is there.
func TestTheOffsetGoesBackBeforeRows(t *testing.T) {
	t.Parallel()
	c := newClaim(place{"ticks", 0}, "ticks", 0, rowsUnit{restsUnit{from: 20, next: 120}}, newBudget())
	c.start, c.end = 100, 200
	c.begin(kgo.NewOffset().At(150))
	step := func(next int64) (back, durable int64) {
		t.Helper()
		c.next = next
		b, err := c.take()
		if err != nil {
			t.Fatal(err)
		}
		back = -1
		for _, r := range rewinds([]*batch{b}) {
			back = r.next
		}
		c.settle(b)
		return back, b.next
	}
	for _, w := range []struct{ next, back, durable int64 }{{130, 120, 130}, {160, -1, 160}} {
		if back, durable := step(w.next); back != w.back || durable != w.durable {
			t.Errorf("read up to %d: the offset goes back to %d and on to %d, want %d and %d", w.next, back, durable, w.back, w.durable)
		}
	}
	b, _ := c.take()
	c.unit = &boundsUnit{unit: c.unit}
	c.truncate(140) // while that batch is written
	c.settle(b)
	if back, durable := step(145); back != 140 || durable != 145 {
		t.Errorf("behind a truncation the offset goes back to %d and on to %d", back, durable)
	}
}
