package processors

import (
	"testing"

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
	}{
		"rows and offset agree":               {100, 150, false, false, at(150), at(150), 150, 150},
		"rows are older than the offset":      {100, 120, false, false, at(150), at(120), 120, 150},
		"rows are newer: half a checkpoint":   {100, 180, false, false, at(150), at(150), 150, 150},
		"a row of nothing: begun anew":        {-1, 0, false, false, at(150), at(100), 100, 150},
		"no rows":                             {-1, -1, false, false, at(150), at(150), 150, 150},
		"the rows' next is gone from the log": {20, 50, false, false, at(150), at(100), 100, 150},
		"the offset is gone from the log":     {20, 50, false, false, at(50), at(100), 100, 50},
		"the offset is of another log":        {20, 150, false, false, at(250), start, 100, -1},
		"the state is of another log":         {-1, -1, true, false, at(150), start, 100, -1},
		"nothing known, from the oldest":      {-1, -1, false, false, start, start, 100, -1},
		"nothing known, from the newest":      {-1, -1, false, false, latest, at(200), 200, -1},
		"statistics are never skipped":        {-1, -1, false, true, latest, start, 100, -1},
		"an offset that has expired":          {110, 150, false, false, latest, at(110), 110, -1},
		"an old offset that has expired":      {20, 150, false, false, latest, start, 100, -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			claim := newClaim(place{"ticks", 0}, "ticks", 0, restsUnit{from: c.from, next: c.next}, newBudget())
			claim.start, claim.end, claim.fromStart, claim.oldest = 100, 200, c.fresh, c.oldest
			if got := claim.begin(c.given); got != c.want {
				t.Errorf("reading begins at %v, want %v", got, c.want)
			}
			if claim.next != c.wantNext || claim.committed != c.durable {
				t.Errorf("next is %d, durable %d; want %d, %d", claim.next, claim.committed, c.wantNext, c.durable)
			}
		})
	}
}
