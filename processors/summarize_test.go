package processors

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
)

// The line of an interval counts what was judged in it, not what was restored,
// and leaves out what is not known.
func TestSummaryOfAnInterval(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	control := NewControl(zerolog.Nop())
	cfg := &Config{Logger: zerolog.New(&out), Status: NewStatus()}
	cfg.Status.obeys(control)
	_, over := control.begin(t.Context())
	defer over()
	now := time.Now()
	s := summary{at: now}
	line := func(after time.Duration) map[string]any {
		t.Helper()
		out.Reset()
		now = now.Add(after)
		s.line(cfg, now)
		var said map[string]any
		if err := json.Unmarshal(out.Bytes(), &said); err != nil {
			t.Fatalf("%v: %s", err, out.Bytes())
		}
		return said
	}
	if _, known := line(time.Second)["lag"]; known {
		t.Errorf("a lag of no partition: %s", out.Bytes())
	}
	restored := engine.Counts{Records: 5_000_000}
	cfg.Status.partition(PartitionStatus{Topic: "ticks", Counts: restored, Lag: 7, Live: true})
	if said := line(10 * time.Second); said["records"] != 5e6 || said["records_per_s"] != 0.0 || said["lag"] != 7.0 || said["state"] != "RUNNING" {
		t.Errorf("after a start: %s", out.Bytes())
	}
	more := engine.Counts{Records: restored.Records + 50}
	cfg.Status.judged(&restored, &more)
	if said := line(10 * time.Second); said["records_per_s"] != 5.0 {
		t.Errorf("50 in 10 s: %s", out.Bytes())
	}
	control.Pause("ops")
	cfg.Status.partition(PartitionStatus{Topic: "ticks", Partition: 1, Lag: -1})
	said := line(10 * time.Second)
	if _, known := said["lag"]; known || said["state"] != "PAUSED" || said["by"] != "ops" || said["since"] == nil || said["records_per_s"] != 0.0 {
		t.Errorf("paused, an end unknown: %s", out.Bytes())
	}
}

// A log that starts later has no records before its start to be behind by.
func TestLagOfALogThatStartsLater(t *testing.T) {
	t.Parallel()
	d, err := codecs.NewJSON(codecs.Fields{Symbol: "s", Timestamp: "t"})
	if err != nil {
		t.Fatal(err)
	}
	cfg := &Config{Status: NewStatus(), Limits: engine.DefaultLimits()}
	cfg.prepared.Partitions = map[string]int32{"ticks": 1}
	u := newSymbols(cfg, place{"ticks", 0}, "table", d, zerolog.Nop())
	if _, err := u.recovered(logBounds{200, 300, 300}); err != nil {
		t.Fatal(err)
	}
	stats := cfg.Status.Stats()
	if lag, known := stats.Lag(); !known || lag != 100 {
		t.Errorf("lag %d, %v", lag, known)
	}
}
