package replay

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/feedtest"
)

// feedCapture is a recorded feed as kcat shows a topic of it: each message a
// record of the time at which it was received.
func feedCapture(t *testing.T, messages []feedtest.Message, key string) string {
	t.Helper()
	var b strings.Builder
	for i, m := range messages {
		text, err := json.Marshal(m.Text)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, `{"topic":"ticks","partition":0,"offset":%d,"tstype":"create","ts":%d,"key":"%s","payload":%s}`+"\n",
			i, m.Received/1e6, key, text)
	}
	return b.String()
}

func replayFeed(t *testing.T, input string, f codecs.Fields) *engine.Report {
	t.Helper()
	reports, err := replayAll(t, context.Background(), input, func(o *Options) {
		o.Decoder = func() (codecs.TickDecoder, error) { return codecs.NewDecoder("binance", f) }
		o.Symbols = nil
		o.Limits.ClockSkewTolerance, o.Limits.OrderByVenue = 100*time.Millisecond, !f.MergedStreams
		o.Limits.Sequences = true
	})
	if err != nil {
		t.Fatal(err)
	}
	return reports[len(reports)-1]
}

func codesOf(r *engine.Report) string {
	var codes []string
	for _, f := range r.Findings {
		codes = append(codes, f.Code.String())
	}
	return strings.Join(codes, " ")
}

// The spot feed goes back in no stream, and its receiver's clock is 1.27 s
// slow. The messages without a time of their own, 24 077 of 33 618, are held
// neither against the others nor the clock.
func TestRecordedSpotFeed(t *testing.T) {
	final := replayFeed(t, feedCapture(t, feedtest.Messages(t), "ETHUSDT"), codecs.Fields{})
	c := final.Counts
	if c.Records != 33618 || c.Ticks != 33617 || c.Ignored != 1 || c.Ahead != 9540 || c.Disorder != 0 || c.RecordTimed != 24077 || !c.Whole() {
		t.Errorf("counts %+v", c)
	}
	if final.TimestampUnit != "ms,record" {
		t.Errorf("units %q", final.TimestampUnit)
	}
	if codes := codesOf(final); codes != "CLOCK_SKEW" {
		t.Fatalf("findings %s", codes)
	}
	f := final.Findings[0]
	if f.Count != 9540 || f.Observed < 1260 || f.Observed > 1290 || f.Evidence["constant"] != true || f.Evidence["attributed_to"] != "the receiver" {
		t.Errorf("%+v", f)
	}
}

// The futures feed goes back where a few lines that compare times count it, by
// stream and merged.
func TestRecordedFuturesFeed(t *testing.T) {
	messages := feedtest.Futures(t)
	input := feedCapture(t, messages, "ETHUSD_PERP")
	for _, merged := range []bool{false, true} {
		back := feedtest.StepsBack(t, messages, merged)
		final := replayFeed(t, input, codecs.Fields{MergedStreams: merged})
		if final.Counts.Disorder != back || merged != (back > 0) || final.Counts.Ignored != 1 || !final.Counts.Whole() {
			t.Errorf("merged %v: %d steps back counted, %+v", merged, back, final.Counts)
		}
		if codes := codesOf(final); strings.Contains(codes, "SEQUENCE_GAP") || strings.Contains(codes, "UPSTREAM_DISORDER") != merged {
			t.Errorf("merged %v: findings %s", merged, codes)
		}
	}
}
