package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/kafkatest"
)

// quotes makes n ticks of that many symbols; every 500th of a symbol steps
// back by 5 ms. It returns the steps too.
func quotes(topic string, n, symbols int) (rs []record, late []int) {
	const start = 1_735_831_800_000
	for i := range n {
		symbol := fmt.Sprintf("SYM%03d", i%symbols)
		at := int64(start) + int64(i)
		if turn := i / symbols; turn > 0 && turn%500 == (i%symbols)%500 {
			at -= int64(symbols) + 5
			late = append(late, i)
		}
		rs = append(rs, record{
			Topic: topic, Key: symbol, Timestamp: start + int64(i),
			Value: fmt.Sprintf(`{"symbol":%q,"timestamp_ns":%d000000,"bid_price":100.25}`, symbol, at),
		})
	}
	return rs, late
}

func TestRowsLieOnTheInputsPartition(t *testing.T) {
	for _, partitioner := range []string{"consistent_random", "murmur2_random"} {
		t.Run(partitioner, func(t *testing.T) {
			const partitions, symbols = 5, 60
			a := newAudited(t, partitions)
			rs, _ := quotes(a.topic, symbols*4, symbols)
			at := map[string]int32{}
			for i, p := range produce(t, a.Cluster, rs, "partitioner="+partitioner) {
				at[rs[i].Key] = p.Partition
			}
			a.toEnd(t)
			rows := map[string]bool{}
			for _, r := range a.ReadAll(t, a.table(), true) {
				topic, symbol, isPartition, err := codecs.ParseKey(r.Key)
				if err != nil || topic != a.topic {
					t.Fatalf("row %q of topic %q: %v", r.Key, topic, err)
				}
				if isPartition {
					continue
				}
				rows[symbol] = true
				if r.Partition != at[symbol] {
					t.Errorf("row of %s on partition %d, its ticks on %d", symbol, r.Partition, at[symbol])
				}
			}
			if len(rows) != symbols {
				t.Errorf("rows of %d symbols, want %d", len(rows), symbols)
			}
		})
	}
}

// TestKilledAndStartedElsewhere kills the program in mid-stream, twice, and
// finishes with the local state gone: totals and findings are exact.
func TestKilledAndStartedElsewhere(t *testing.T) {
	const partitions, symbols, n = 4, 40, 150_000
	settings := []string{"checkpoint.interval.ms=50", "instance.id=e2e", "consumer.override.max.partition.fetch.bytes=8192"}
	a := newAudited(t, partitions, settings...)
	rs, late := quotes(a.topic, n, symbols)
	places := produce(t, a.Cluster, rs)
	for range 2 {
		cmd := command(t, "run", "-c", a.file)
		var said bytes.Buffer
		cmd.Stderr = &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		before := committed(t, a)
		kafkatest.Eventually(t, "the group commits", func() bool { return committed(t, a) > before })
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		a.configure(t, settings...) // another state folder
	}
	if at := committed(t, a); at == int64(n) {
		t.Log("the group had read everything before the last kill")
	}
	began := time.Now()
	reports := a.toEnd(t)
	t.Logf("the run after the kills took %s", time.Since(began).Round(time.Millisecond))
	r := final(t, reports)
	checkTotals(t, r, places, partitions)
	if r.Counts.Disorder != int64(len(late)) {
		t.Errorf("disorder %d, injected %d", r.Counts.Disorder, len(late))
	}
	want := map[string]bool{}
	for _, id := range referenceFindings(t, a, rs, places) {
		want[id] = true
	}
	for _, f := range opened(t, reports) {
		if !want[f.ID] {
			t.Errorf("finding that a run without a kill does not have: %s %s", f.Code, f.Cause)
		}
		delete(want, f.ID)
	}
	for _, id := range slices.Sorted(maps.Keys(want)) {
		t.Errorf("finding %s is missing", id)
	}
}

// committed is the sum of the group's committed offsets.
func committed(t *testing.T, a *audited) (sum int64) {
	t.Helper()
	offsets, err := a.Admin(t).FetchOffsets(t.Context(), "auditstream-"+a.name)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range offsets[a.topic] {
		sum += max(0, o.At)
	}
	return sum
}

// referenceFindings are the ids of what one run over the same records opens,
// judged by the engine alone.
func referenceFindings(t *testing.T, a *audited, rs []record, places []place) (ids []string) {
	t.Helper()
	limits := engine.DefaultLimits()
	d, err := codecs.NewJSON(codecs.Fields{Symbol: "symbol", Timestamp: "timestamp_ns"})
	if err != nil {
		t.Fatal(err)
	}
	parts := map[int32]*engine.Partition{}
	var tick engine.Tick
	for i := range rs {
		at := places[i]
		p := parts[at.Partition]
		if p == nil {
			p = engine.NewPartition(a.topic, at.Partition, 4, &limits)
			parts[at.Partition] = p
		}
		tick.Offset, tick.Key, tick.Value, tick.RecordTime = at.Offset, []byte(rs[i].Key), []byte(rs[i].Value), rs[i].Timestamp*1e6
		d.Decode(tick.Value, &tick)
		p.Observe(&tick, engine.NoTime)
	}
	for _, p := range parts {
		for _, r := range p.Snapshot().Reports {
			for _, f := range r.Findings {
				if f.State == engine.Opened {
					ids = append(ids, f.ID)
				}
			}
		}
	}
	return ids
}

// TestSubscribersSeeWhatTheEnvelopeSays checks key and headers as a plain
// subscriber relies on them.
func TestSubscribersSeeWhatTheEnvelopeSays(t *testing.T) {
	a := newAudited(t, 3)
	rs, _ := quotes(a.topic, 30, 3)
	produce(t, a.Cluster, rs)
	a.toEnd(t)
	a.AwaitStable(t, a.audit)
	for _, r := range a.ReadAll(t, a.audit, true) {
		var report engine.Report
		if err := json.Unmarshal(r.Value, &report); err != nil {
			t.Fatalf("%s: %v", r.Value, err)
		}
		if string(r.Key) != report.Key() {
			t.Errorf("key %q of a report whose key is %q", r.Key, report.Key())
		}
		for name, want := range map[string]string{
			"ce_specversion": "1.0", "ce_id": report.ID, "content-type": "application/json", "schema.version": "1",
		} {
			if got := header(r, name); got != want {
				t.Errorf("header %s is %q, want %q", name, got, want)
			}
		}
		for _, name := range []string{"ce_source", "ce_type"} {
			if header(r, name) == "" {
				t.Errorf("header %s is missing", name)
			}
		}
	}
}

func header(r *kgo.Record, name string) string {
	for _, h := range r.Headers {
		if h.Key == name {
			return string(h.Value)
		}
	}
	return ""
}
