package demo

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
)

// judged are the findings that the demo's settings make of messages, as far as
// each partition can be judged by itself.
func judged(t *testing.T, messages []Message) (found []engine.Finding) {
	t.Helper()
	const opened = int64(1735831800_000000000)
	limits := engine.DefaultLimits()
	limits.MaxSymbolSilence, limits.ClockSkewTolerance, limits.Sequences = 5*time.Second, 250*time.Millisecond, true
	limits.Replay = true
	decoder, err := codecs.NewDecoder("json", codecs.Fields{
		Symbol: "symbol", Timestamp: "timestamp_ns", Sequence: "feed_sequence", Content: true,
		Halt: codecs.Halts{Path: "trading", Values: []string{"halted"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for id := range int32(partitionCount) {
		p := engine.NewPartition(Topic, id, partitionCount, &limits)
		offset := int64(0)
		for i := range messages {
			m := &messages[i]
			if m.Partition != id {
				continue
			}
			tick := engine.Tick{Offset: offset, Key: []byte(m.Symbol), Value: m.Value(opened), RecordTime: opened + int64(m.At)}
			decoder.Decode(tick.Value, &tick)
			p.Observe(&tick, tick.RecordTime)
			offset++
		}
		p.Close(opened + int64(messages[len(messages)-1].At))
		for _, r := range p.Snapshot().Reports {
			found = append(found, r.Findings...)
		}
	}
	return found
}

func TestEachFaultIsNamedByItsCode(t *testing.T) {
	for _, id := range []string{"garbage-record", "disorder", "stalled-symbol", "sequence-gap", "unit-change", "frozen-symbol", "halted-symbol", "backfill"} {
		s, err := Pick([]string{id})
		if err != nil {
			t.Fatal(err)
		}
		l := newLedger(s.Faults)
		l.injected(s.Faults[0], time.Unix(1, 0))
		found := judged(t, messagesOf(s, s.Length))
		for i := range found {
			l.found(&found[i], time.Unix(2, 0))
		}
		if !l.settled() || len(l.others) > 0 {
			t.Errorf("%s: found %v", id, found)
		}
	}
}

func TestPickTakesEveryFaultByItsName(t *testing.T) {
	var ids []string
	for _, f := range Faults() {
		ids = append(ids, f.ID())
	}
	s, err := Pick(ids)
	if err != nil || len(s.Faults) != len(ids) {
		t.Fatalf("%d faults of %d: %v", len(s.Faults), len(ids), err)
	}
	for i, f := range s.Faults {
		if f.From != time.Duration(i+1)*3*time.Second || f.Until > s.Length || f.From >= s.Length {
			t.Errorf("%s from %s until %s of %s", f.Name, f.From, f.Until, s.Length)
		}
	}
	for _, wrong := range [][]string{{"hot symbol"}, {"disorder", "disorder"}, {""}} {
		if _, err := Pick(wrong); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%q", wrong[len(wrong)-1])) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	slices.Sort(ids)
	if len(slices.Compact(ids)) != len(catalog) {
		t.Errorf("names are not unique: %v", ids)
	}
}
