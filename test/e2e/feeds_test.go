package e2e

import (
	"slices"
	"testing"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/feedtest"
)

// feedRecords are all messages of a recorded feed as records keyed by symbol,
// each of the time at which it was received.
func feedRecords(topic, symbol string, messages []feedtest.Message) []record {
	rs := make([]record, len(messages))
	for i, m := range messages {
		rs[i] = record{Topic: topic, Key: symbol, Value: m.Text, Timestamp: m.Received / 1e6}
	}
	return rs
}

// audits are the reports of the topic, by run and by replay.
func audits(t *testing.T, a *audited) map[string][]*engine.Report {
	t.Helper()
	return map[string][]*engine.Report{"live": a.toEnd(t), "replay": replay(t, a)}
}

func findingsOf(fs []engine.Finding, code engine.Code) []engine.Finding {
	return slices.DeleteFunc(slices.Clone(fs), func(f engine.Finding) bool { return f.Code != code })
}

// The spot feed goes back nowhere, its receiver's clock is 1.27 s slow
// throughout, which is one finding, and its bookTickers have no time but their
// record's.
func TestSpotFeedByName(t *testing.T) {
	const partitions = 4
	a := newAudited(t, partitions, "value.converter=binance", "clock.skew.tolerance.ms=100")
	messages := feedtest.Messages(t)
	if back := feedtest.StepsBack(t, messages, false); back != 0 {
		t.Fatalf("the recording itself has %d steps back", back)
	}
	places := produce(t, a.Cluster, feedRecords(a.topic, "ETHUSDT", messages))
	for mode, reports := range audits(t, a) {
		r := final(t, reports)
		c := r.Counts
		if c.Records != int64(len(places)) || c.Ticks != int64(len(places))-1 || c.Ignored != 1 || !c.Whole() {
			t.Errorf("%s: produced %d: %+v", mode, len(places), c)
		}
		if c.Disorder != 0 || len(r.OutOfOrder) != 0 || c.RecordTimed != 24077 || r.TimestampUnit != "ms,record" {
			t.Errorf("%s: units %q, out of order %v, %+v", mode, r.TimestampUnit, r.OutOfOrder, c)
		}
		fs := opened(t, reports)
		if len(fs) != 1 || fs[0].Code != engine.ClockSkew {
			t.Errorf("%s: findings %+v", mode, fs)
		}
		// As the finding stood last: over all 9 540 messages that have a time.
		last := findingsOf(r.Findings, engine.ClockSkew)
		if len(last) != 1 {
			t.Fatalf("%s: the last report has %+v", mode, r.Findings)
		}
		if f := last[0]; f.Count != 9540 || f.Observed < 1260 || f.Observed > 1290 || f.Unit != "ms" ||
			f.Evidence["constant"] != true || f.Evidence["attributed_to"] != "the receiver" {
			t.Errorf("%s: %+v", mode, f)
		}
	}
}

// The futures feed goes back where a few lines that compare times count it:
// in no stream, and in the merged one at each of the places.
func TestFuturesFeedByName(t *testing.T) {
	messages := feedtest.Futures(t)
	for _, streams := range []string{"apart", "merged"} {
		t.Run(streams, func(t *testing.T) {
			merged := streams == "merged"
			a := newAudited(t, 4, "value.converter=binance", "clock.skew.tolerance.ms=5000", "feed.streams="+streams)
			back := feedtest.StepsBack(t, messages, merged)
			if merged != (back > 0) {
				t.Fatalf("the recording has %d steps back", back)
			}
			produce(t, a.Cluster, feedRecords(a.topic, "ETHUSD_PERP", messages))
			for mode, reports := range audits(t, a) {
				r := final(t, reports)
				if c := r.Counts; c.Disorder != back || c.Records != int64(len(messages)) || c.Ignored != 1 || !c.Whole() {
					t.Errorf("%s: %d steps back and %d messages counted: %+v", mode, back, len(messages), c)
				}
				fs := opened(t, reports)
				if disorder := findingsOf(fs, engine.UpstreamDisorder); len(disorder) != len(fs) || merged != (len(fs) > 0) {
					t.Errorf("%s: findings %+v", mode, fs)
				}
			}
		})
	}
}
