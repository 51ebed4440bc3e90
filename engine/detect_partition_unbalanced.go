package engine

import (
	"cmp"
	"fmt"
	"slices"
)

// balance is the load of one window, or of everything, over all partitions.
type balance struct {
	start   int64
	end     int64
	loads   []int64
	ticks   int64
	symbols int64
	hot     []hotSymbol // the hottest symbol of each partition
	maxAge  int64
	missing int64           // that may yet come late
	late    map[int32]int64 // by partition: records of windows before
	grew    bool            // not all of its partitions were there all the time
}

type hotSymbol struct {
	symbol    string
	partition int32
	count     int64
}

// skewOf is busiest ÷ mean load and the busiest partition; 0 and -1 without
// any load.
func skewOf(loads []int64) (ratio float64, busiest int32) {
	var sum, most int64
	busiest = -1
	for i, n := range loads {
		sum += n
		if n > most {
			most, busiest = n, int32(i)
		}
	}
	if sum == 0 {
		return 0, -1
	}
	return float64(most) * float64(len(loads)) / float64(sum), busiest
}

const (
	balanceResolve = 0.9 // share of the threshold below which a window is calm
	balanceCalm    = 3   // calm windows in a row that end the finding
	subjectBalance = "topic"
)

// measure is the skew of a load; known is false where it is not judged.
func (t *Topic) measure(b *balance) (ratio float64, busiest int32, keyed int64, known bool) {
	for _, n := range b.loads {
		keyed += n
	}
	if b.grew || keyed == 0 || b.symbols < int64(len(b.loads)) || keyed-b.lateTicks() < t.limits.PartitionSkewMin {
		return 0, -1, keyed, false
	}
	ratio, busiest = skewOf(b.loads)
	if ratio > t.limits.PartitionSkew && (b.astray(busiest) || b.least(busiest, keyed) <= t.limits.PartitionSkew) {
		return 0, -1, keyed, false
	}
	return ratio, busiest, keyed, true
}

// lateOf is how many of a partition's ticks may be of windows before.
func (b *balance) lateOf(id int32) int64 { return min(b.late[id], b.loads[id]) }

// lateTicks is the same of all partitions: what is left is sure to be of the
// window, and must suffice to judge it.
func (b *balance) lateTicks() (n int64) {
	for id := range b.loads {
		n += b.lateOf(int32(id))
	}
	return n
}

// astray reports whether most of a partition's ticks are of windows before: a
// few wrong record times have moved it ahead of the others.
func (b *balance) astray(id int32) bool { return 2*b.lateOf(id) > b.loads[id] }

// least is the ratio if all that may be missing does come, and without what
// came late on the busiest partition: what stood still and goes on again is no
// skew.
func (b *balance) least(busiest int32, keyed int64) float64 {
	late := b.lateOf(busiest)
	return float64((b.loads[busiest]-late)*int64(len(b.loads))) / float64(max(1, keyed-late+b.missing))
}

// judgeBalance opens PARTITION_UNBALANCED for a window above the threshold
// and ends it after some windows well below it.
func (t *Topic) judgeBalance(b *balance) {
	ratio, busiest, keyed, known := t.measure(b)
	t.skew, t.skewKnown = ratio, known
	if !known {
		return
	}
	switch {
	case ratio > t.limits.PartitionSkew:
		t.state.Calm = 0
		t.unbalanced(b, ratio, busiest, keyed)
	case t.find(subjectBalance) == nil:
	case ratio <= balanceResolve*t.limits.PartitionSkew:
		if t.state.Calm++; t.state.Calm >= balanceCalm {
			t.state.Calm = 0
			t.close(subjectBalance)
		}
	default:
		t.state.Calm = 0
	}
}

// asOf leaves out of a window's load the last partitions whose first record
// comes after it, once the topic was under way: the topic had not grown yet.
// While producers may not know of new partitions their load is no skew.
func (t *Topic) asOf(b *balance) {
	end, begin := b.end, t.firstIn(0)
	for i := range t.state.Growths {
		first := t.firstIn(t.state.Growths[i].From)
		if first == NoTime {
			first = t.state.Growths[i].Time
		}
		b.grew = b.grew || first == NoTime || first < end && b.start <= first+growthSlack
	}
	for n := len(b.loads); n > 1; n-- {
		p := t.parts[int32(n-1)]
		if p == nil || p.Stats.FirstTime == NoTime || p.Stats.FirstTime < begin+int64(t.limits.ReportInterval) {
			return
		}
		if p.Stats.FirstTime < end {
			b.grew = b.grew || p.Stats.FirstTime >= b.start
			return
		}
		b.loads = b.loads[:n-1]
	}
}

func (t *Topic) unbalanced(b *balance, ratio float64, busiest int32, keyed int64) {
	f := t.find(subjectBalance)
	opened := f == nil
	if opened {
		f = t.newFinding(PartitionUnbalanced, subjectBalance, -1)
		f.FirstTime = Time(b.start)
		f.Threshold, f.Unit = t.limits.PartitionSkew, "ratio"
	}
	f.Count++
	f.LastTime = max(f.LastTime, Time(b.start))
	if ratio > f.Observed {
		f.Observed = ratio
		id := busiest
		f.Partition = &id
		t.describeBalance(f, b, busiest, keyed)
	}
	if opened {
		t.openFinding(subjectBalance, f)
	} else {
		t.update(subjectBalance)
	}
}

func (t *Topic) describeBalance(f *Finding, b *balance, busiest int32, keyed int64) {
	mean := float64(keyed) / float64(len(b.loads))
	slices.SortFunc(b.hot, func(x, y hotSymbol) int {
		return cmp.Or(cmp.Compare(y.count, x.count), cmp.Compare(x.symbol, y.symbol), cmp.Compare(x.partition, y.partition))
	})
	hot := make([]map[string]any, 0, t.limits.SpellingsPerEvidence)
	alone := false
	f.Symbol = ""
	for _, h := range b.hot {
		if h.partition == busiest && f.Symbol == "" {
			f.Symbol = h.symbol
			alone = float64(h.count) > t.limits.PartitionSkew*mean
		}
		if len(hot) < cap(hot) {
			hot = append(hot, map[string]any{
				"symbol": h.symbol, "partition": h.partition, "ticks": h.count, "share": float64(h.count) / float64(keyed),
			})
		}
	}
	f.Cause = fmt.Sprintf("partition %d of %s carries %d of %d ticks of a window, %.2f times the mean; its hottest symbol is %s",
		busiest, t.name, b.loads[busiest], keyed, f.Observed, f.Symbol)
	f.Action = "Moving symbols to other partitions can help: no symbol alone exceeds the limit; add partitions or spread the hot symbols."
	switch {
	case b.symbols > 1 && t.oneKey(b.end):
		f.Action = "All keys are equal, so that one partition takes every tick whatever their number: key ticks by symbol."
	case alone:
		f.Action = "Symbol " + f.Symbol + " alone exceeds the limit: more partitions do not help; give it a topic of its own or split its feed by a finer key."
	}
	f.Evidence = map[string]any{"loads": bounded(b.loads), "mean": mean, "hot_symbols": hot, "one_symbol_exceeds": alone}
}

// oneKey reports whether all keys seen before a record time are equal. What has
// been read beyond it, on partitions that are ahead, changes nothing.
func (t *Topic) oneKey(end int64) bool {
	one := ""
	for _, s := range t.symbols {
		for i := range s.Places {
			switch p := &s.Places[i]; {
			case p.Key == "" || p.Since >= end:
			case one == "":
				one = p.Key
			case one != p.Key:
				return false
			}
		}
	}
	return one != ""
}

// bounded is at most the first 256 of the loads.
func bounded(l []int64) []int64 { return l[:min(len(l), 256)] }
