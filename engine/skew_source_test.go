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

// Where record times are ahead of the wall clock as well, it is that of who
// stamps them: producers, or the brokers of a topic with LogAppendTime; the
// audit's own where all of them are.
func TestSkewOfRecordTimesIsLaidToWhoStampsThem(t *testing.T) {
	for _, c := range []struct {
		stamps, want string
		every        int // one tick of so many is ahead
	}{{"CreateTime", "producer B", 4}, {"LogAppendTime", "the broker", 4}, {"CreateTime", "the audit", 1}} {
		for _, live := range []bool{true, false} {
			l := DefaultLimits()
			l.TimestampType = c.stamps
			w := newWorld(t, 1, &l)
			wall := t0 + 300*second
			if !live {
				w.parts[0].ReadAt(wall)
			}
			for n := range 80 {
				r := record0(n, fmt.Sprintf("Q%02d", n%8), t0+int64(n)*25e6)
				if r.tick.Producer = []byte("A"); n%c.every == 0 {
					r.tick.Producer = []byte("B")
					r.tick.RecordTime += 330 * second
					r.tick.EventTime += 330 * second
				}
				if r.now = NoTime; live {
					r.now = wall
				}
				w.produce(r)
			}
			if live {
				w.parts[0].Progress(0, wall)
			}
			for w.step(0) {
			}
			w.checkpoint(0, true)
			f := w.topic.find(skewSubject)
			if f == nil || f.Evidence["attributed_to"] != c.want {
				t.Errorf("%+v, live %v: %+v, want %s", c, live, f, c.want)
			} else if by, _ := f.Evidence["judged_by"].(map[string]int64); by["wall_clock"] != f.Count {
				t.Errorf("%+v, live %v: judged by %v", c, live, by)
			}
		}
	}
}
