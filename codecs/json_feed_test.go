package codecs

import (
	"bytes"
	"testing"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/feedtest"
)

// TestJSONRecordedFeed reads the trades of a recorded feed.
func TestJSONRecordedFeed(t *testing.T) {
	d := newJSON(t, Fields{Symbol: "data.s", Timestamp: "data.T"})
	var trades, equal, unusable int
	var last int64
	var tick engine.Tick
	for _, m := range feedtest.Messages(t) {
		message := []byte(m.Text)
		d.Decode(message, &tick)
		if !bytes.Contains(message, []byte(`"e":"trade"`)) {
			// Quotes and books of this feed carry no trade time.
			if tick.Kind != engine.Unusable || tick.Reason != engine.ReasonTimeMissing && tick.Reason != engine.ReasonSymbolMissing {
				t.Fatalf("%s: %+v", message, tick)
			}
			unusable++
			continue
		}
		if tick.Kind != engine.Good || string(tick.Symbol) != "ETHUSDT" || tick.Unit != engine.UnitMillis || tick.EventTime < last {
			t.Fatalf("%s: %+v", message, tick)
		}
		if trades++; tick.EventTime == last {
			equal++
		}
		last = tick.EventTime
	}
	if trades == 0 || trades+unusable != 33618 || equal*100/trades < 60 {
		t.Errorf("%d trades, %d of them at the time before, %d other messages", trades, equal, unusable)
	}
}
