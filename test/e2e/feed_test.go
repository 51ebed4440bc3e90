package e2e

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/auditstream/auditstream/engine"
)

// feedMap is how the recorded feed's trades are read.
var feedMap = []string{"field.symbol=data.s", "field.timestamp=data.T", "field.timestamp.unit=ms"}

// spotRecords are the recorded trades as records keyed by symbol. With
// received the record time is that of the recording, else the producer's.
func spotRecords(topic string, ts []trade, received bool) []record {
	rs := make([]record, len(ts))
	for i, tr := range ts {
		rs[i] = record{Topic: topic, Key: tr.symbol, Value: tr.message}
		if received {
			rs[i].Timestamp = tr.received
		}
	}
	return rs
}

// perPartition counts places.
func perPartition(places []place, partitions int) map[string]int64 {
	n := map[string]int64{}
	for p := range partitions {
		n[strconv.Itoa(p)] = 0
	}
	for _, p := range places {
		n[strconv.Itoa(int(p.Partition))]++
	}
	return n
}

func checkTotals(t *testing.T, r *engine.Report, places []place, partitions int) {
	t.Helper()
	if r.Counts.Records != int64(len(places)) || r.Counts.Ticks != int64(len(places)) || r.TotalTicks != int64(len(places)) {
		t.Errorf("records %d, ticks %d, total %d; produced %d", r.Counts.Records, r.Counts.Ticks, r.TotalTicks, len(places))
	}
	want := perPartition(places, partitions)
	for p, n := range want {
		if r.PartitionTicks[p] != n {
			t.Errorf("partition %s: %d ticks, produced %d", p, r.PartitionTicks[p], n)
		}
	}
}

func TestRecordedFeedIsCountedAndInOrder(t *testing.T) {
	const partitions = 6
	a := newAudited(t, partitions, feedMap...)
	ts := trades(t)
	places := produce(t, a.Cluster, spotRecords(a.topic, ts, false))
	reports := a.toEnd(t)
	r := final(t, reports)
	checkTotals(t, r, places, partitions)
	if r.Counts.Disorder != 0 || len(r.OutOfOrder) != 0 {
		t.Errorf("disorder %d, symbols %v; the feed has none", r.Counts.Disorder, r.OutOfOrder)
	}
	if fs := opened(t, reports); len(fs) != 0 {
		t.Errorf("findings in a clean feed: %+v", fs)
	}
	var windows int64
	for _, r := range reports {
		if r.Scope == engine.ScopePartition && r.Trigger == engine.TriggerInterval {
			windows += r.Counts.Records
		}
	}
	if windows != int64(len(places)) {
		t.Errorf("the windows of all partitions count %d records, produced %d", windows, len(places))
	}
}

// step is an injected step back.
type step struct {
	index int
	back  int64 // milliseconds behind the symbol's last time
}

// inject turns trades at 25 places into steps back, the places at least a
// quiet time of episodes apart in the recording, so that each is a finding.
func inject(t *testing.T, ts []trade) []step {
	t.Helper()
	var steps []step
	last := ts[0].received
	for i := 1; i < len(ts) && len(steps) < 25; i++ {
		if ts[i].received-last < 12_000 {
			continue
		}
		last = ts[i].received
		s := step{i, int64(1 + len(steps)*len(steps)*7)}
		steps = append(steps, s)
		late := ts[i-1].time - s.back
		ts[i].message = strings.Replace(ts[i].message, fmt.Sprintf(`"T":%d`, ts[i].time), fmt.Sprintf(`"T":%d`, late), 1)
		ts[i].time = ts[i-1].time // what the symbol's last time stays
	}
	if len(steps) != 25 {
		t.Fatalf("only %d places", len(steps))
	}
	return steps
}

func TestInjectedStepsAreFoundAndNothingElse(t *testing.T) {
	const partitions = 6
	a := newAudited(t, partitions, append(feedMap, "clock.skew.tolerance.ms=5000")...)
	ts := trades(t)
	steps := inject(t, ts)
	places := produce(t, a.Cluster, spotRecords(a.topic, ts, true))
	reports := a.toEnd(t)
	r := final(t, reports)
	checkTotals(t, r, places, partitions)
	if r.Counts.Disorder != 25 {
		t.Errorf("disorder %d, injected 25", r.Counts.Disorder)
	}
	found := map[int64]engine.Finding{}
	for _, f := range opened(t, reports) {
		if f.Code != engine.UpstreamDisorder {
			t.Errorf("%s was not injected: %s", f.Code, f.Cause)
			continue
		}
		found[f.FirstOffset] = f
	}
	for _, s := range steps {
		p := places[s.index]
		f, ok := found[p.Offset]
		if !ok {
			t.Errorf("the step of %d ms at %d@%d was not found", s.back, p.Partition, p.Offset)
			continue
		}
		if *f.Partition != p.Partition || f.Symbol != "ETHUSDT" || f.Observed != float64(s.back) || f.Unit != "ms" || f.Count != 1 {
			t.Errorf("step of %d ms at %d@%d: found %+v", s.back, p.Partition, p.Offset, f)
		}
	}
	if len(found) != len(steps) {
		t.Errorf("%d findings of disorder, injected %d", len(found), len(steps))
	}
}
