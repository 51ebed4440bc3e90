package codecs

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"github.com/auditstream/auditstream/engine"
)

// TestJSONRecordedFeed reads the trades of a recorded feed, whose lines are a
// receive time and the message as it came.
func TestJSONRecordedFeed(t *testing.T) {
	folder := os.Getenv("AUDITSTREAM_TEST_DATA")
	if folder == "" {
		folder = filepath.Join("..", "..", "shared", "data")
	}
	file, err := os.Open(filepath.Join(folder, "binance-spot-ethusdt-20240808.ndjson.gz"))
	if err != nil {
		t.Skipf("no recorded feed, set AUDITSTREAM_TEST_DATA to its folder: %v", err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	d := newJSON(t, JSONFields{Symbol: "data.s", Timestamp: "data.T"})
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 1<<20)
	var trades, equal, unusable int
	var last int64
	var tick engine.Tick
	for lines.Scan() {
		_, message, _ := bytes.Cut(lines.Bytes(), []byte(" "))
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
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if trades == 0 || trades+unusable != 33618 || equal*100/trades < 60 {
		t.Errorf("%d trades, %d of them at the time before, %d other messages", trades, equal, unusable)
	}
}
