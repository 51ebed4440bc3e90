package engine

import (
	"fmt"
	"testing"
)

// What is ahead is laid to the smallest thing that explains it, and stays so
// when clocks are right again.
func TestSkewIsLaidToTheSmallestSource(t *testing.T) {
	const symbols, venues = 12, 3
	for _, c := range []struct {
		name  string
		want  string
		ahead func(symbol int) bool
	}{
		{"one symbol of a venue", "symbol Q04", func(s int) bool { return s == 4 }},
		{"some symbols of a venue", "symbols Q01, Q04", func(s int) bool { return s == 4 || s == 1 }},
		{"a venue", "venue V1", func(s int) bool { return s%venues == 1 }},
		{"all there is", "the receiver", func(int) bool { return true }},
	} {
		for _, partitions := range []int{1, 2} {
			l := DefaultLimits()
			l.ClockSkewTolerance, l.OrderByVenue = 30e6, true
			w := newWorld(t, partitions, &l)
			for n := range 300 {
				symbol := n % symbols
				r := record0(0, fmt.Sprintf("Q%02d", symbol), t0+int64(n)*25e6)
				r.partition = int32(symbol / venues % partitions)
				r.tick.Offset = int64(len(w.logs[r.partition]))
				r.tick.Venue, r.tick.Producer = fmt.Appendf(nil, "V%d", symbol%venues), []byte("P")
				if n >= 50 && n < 150 && c.ahead(symbol) {
					r.tick.EventTime += 18e9
				}
				w.produce(r)
			}
			if f := onlySkew(t, w); f.Evidence["attributed_to"] != c.want {
				t.Errorf("%s on %d partitions: %v, want %s: %s", c.name, partitions, f.Evidence["attributed_to"], c.want, f.Cause)
			}
		}
	}
}
