package engine

import (
	"fmt"
	"slices"
	"testing"
)

func names(n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprintf("SYM-%03d", i))
	}
	return out
}

// TestATopicThatGrewBeforeTheAuditIsNotSplit audits one topic's history in
// several orders of reading: whole partitions one after another, in either
// direction, and record by record.
func TestATopicThatGrewBeforeTheAuditIsNotSplit(t *testing.T) {
	orders := []string{"up", "down", "by time"}
	for i, c := range []struct {
		from, to int32
		symbols  int
	}{{3, 6, 4}, {3, 6, 8}, {3, 6, 300}, {8, 12, 6}, {2, 3, 12}, {4, 64, 20}, {1, 6, 8}} {
		for f := range familyKafkaJSLegacy {
			for k, order := range orders {
				if (i+int(f))%len(orders) != k { // each case in each order, by other functions
					continue
				}
				l := DefaultLimits()
				w := newWorld(t, int(c.to), &l)
				all := names(c.symbols)
				offsets := make([]int64, c.to)
				var byTime []int
				now, moved := int64(0), 0
				write := func(n int32) {
					for _, name := range all {
						now += 5e6
						p := placesOf([]byte(name), n)[f]
						r := at(offsets[p], now, name)
						r.partition = p
						offsets[p]++
						w.produce(r)
						byTime = append(byTime, int(p))
					}
				}
				for range 30 {
					write(c.from)
				}
				for range 20 {
					write(c.to)
				}
				for _, name := range all {
					if at := placesOf([]byte(name), c.from)[f]; at != placesOf([]byte(name), c.to)[f] {
						moved++
					}
				}
				switch order {
				case "by time":
					for i, p := range byTime {
						w.step(p)
						if i%37 == 0 {
							w.checkpoint(p, true)
						}
					}
				default:
					ids := make([]int, c.to)
					for i := range ids {
						ids[i] = i
					}
					if order == "down" {
						slices.Reverse(ids)
					}
					for _, id := range ids {
						for i := 0; w.step(id); i++ {
							if i%10 == 0 {
								w.checkpoint(id, true)
							}
						}
						w.checkpoint(id, true)
					}
				}
				final := w.finish()
				where := fmt.Sprintf("%d to %d, %d symbols, %v, %s", c.from, c.to, c.symbols, f, order)
				for _, code := range []Code{SymbolSplit, PartitionerMixed, UpstreamDisorder} {
					if fs := found(final, code); len(fs) > 0 {
						t.Errorf("%s: %d times %v, %s", where, len(fs), code, fs[0].Cause)
					}
				}
				if fs := found(final, PartitionsChanged); moved >= 2 && (len(fs) != 1 || fs[0].Observed != float64(c.to) || fs[0].Threshold != float64(c.from) || fs[0].Count != int64(moved)) {
					t.Errorf("%s, %d moved: %d findings of growth %+v", where, moved, len(fs), fs)
				}
			}
		}
	}
}
