package codecs

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/feedtest"
)

// TestBinanceRecordedFeed reads a recorded feed by name. Its kinds are counted
// by a second, simple way; no stream goes back, and the numbers that are said
// to be consecutive are.
func TestBinanceRecordedFeed(t *testing.T) {
	d, err := NewDecoder("binance", Fields{})
	if err != nil {
		t.Fatal(err)
	}
	r := NewTickReader(d, "")
	got, want := map[string]int{}, map[string]int{}
	last, next := map[string]int64{}, map[string]int64{}
	gaps, equal := 0, 0
	for _, m := range feedtest.Messages(t) {
		rec := Record{Time: m.Received, Value: []byte(m.Text)}
		tick := r.Read(&rec)
		if strings.HasPrefix(m.Text, `{"lastUpdateId"`) {
			want["ignored"]++ // an answer of the REST API, which depth begins with
		}
		if tick.Kind == engine.Ignored {
			got["ignored"]++
			continue
		}
		stream := string(tick.Venue)
		if tick.Kind != engine.Good || string(tick.Symbol) != "ETHUSDT" {
			t.Fatalf("%.200s: kind %v, %v", m.Text, tick.Kind, tick.Reason)
		}
		got[stream+" "+tick.Unit.String()]++
		switch {
		case strings.Contains(m.Text, `"e":"trade"`):
			want["trade ms"]++
		case strings.Contains(m.Text, `"e":"depthUpdate"`):
			want["depth ms"]++
		case strings.Contains(m.Text, "@bookTicker"):
			want["bookTicker record"]++
		}
		if tick.EventTime < last[stream] {
			t.Fatalf("%.200s: the stream goes back", m.Text)
		}
		if tick.EventTime == last[stream] && stream == "trade" {
			equal++
		}
		if tick.HasSequence {
			if next[stream] != 0 && tick.SequenceFirst != next[stream] {
				gaps++
			}
			next[stream] = tick.Sequence + 1
		}
		if tick.Unit == engine.UnitRecord && tick.EventTime != m.Received {
			t.Fatalf("%.200s: judged by %d, received at %d", m.Text, tick.EventTime, m.Received)
		}
		last[stream] = tick.EventTime
		if r.Next() != nil {
			t.Fatalf("%.200s: a second tick", m.Text)
		}
	}
	if !maps.Equal(got, want) || len(want) != 4 || len(next) != 2 || gaps != 0 {
		t.Errorf("read %v, counted %v, numbered %v, %d gaps", got, want, next, gaps)
	}
	if share := fmt.Sprintf("%d %%", equal*100/got["trade ms"]); share != "67 %" && share != "68 %" {
		t.Errorf("%s of trades share a time with the one before", share)
	}
}
