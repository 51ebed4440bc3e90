package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/kafkatest"
)

// orderCase is a case of public bug reports about the order of feeds: what is
// on the topic, and what a live audit and a replay find alike.
type orderCase struct {
	name     string
	settings []string
	values   []string
	headers  map[int][]kgo.RecordHeader
	findings string // code and count of those that are open at the end, in the order of their codes
	counts   engine.Counts
}

// valuesOf are values of one symbol: seconds after the first, and what follows.
func valuesOf(symbol string, of ...string) []string {
	out := make([]string, 0, len(of))
	for _, t := range of {
		after, rest, _ := strings.Cut(t, " ")
		d, err := time.ParseDuration(after)
		if err != nil {
			panic(err)
		}
		if rest != "" {
			rest = "," + rest
		}
		out = append(out, fmt.Sprintf(`{"symbol":%q,"ts":%d%s}`, symbol, tickTime+int64(d), rest))
	}
	return out
}

// history is n ticks of the day before, a second apart.
func history(n int) (of []string) {
	for i := range n {
		of = append(of, fmt.Sprintf("%ds", i-86_400))
	}
	return of
}

var orderCases = []orderCase{
	{name: "G-45 a feed changes its unit", values: []string{
		fmt.Sprintf(`{"symbol":"QXA","ts":%d}`, tickTime/1e6), fmt.Sprintf(`{"symbol":"QXA","ts":%d}`, tickTime/1e3+123), fmt.Sprintf(`{"symbol":"QXA","ts":%d}`, tickTime/1e3+456),
	}, findings: "TIMESTAMP_UNIT_CHANGED 1", counts: engine.Counts{Records: 3, Ticks: 3}},
	{name: "G-45 a feed that is not in the configured unit", settings: []string{"field.timestamp.unit=ms"}, values: []string{
		fmt.Sprintf(`{"symbol":"QXA","ts":%d}`, tickTime/1e6), fmt.Sprintf(`{"symbol":"QXA","ts":%d}`, tickTime/1e3+123), fmt.Sprintf(`{"symbol":"QXA","ts":%d}`, tickTime/1e3+456),
	}, findings: "TIMESTAMP_UNIT_CHANGED 1", counts: engine.Counts{Records: 3, Ticks: 3}},
	{name: "G-47 nanoseconds are no floats", values: []string{
		`{"symbol":"QXA","ts":1735831800123456789}`, `{"symbol":"QXA","ts":1735831800123456700}`, `{"symbol":"QXA","ts":"1735831800123456800"}`,
		`{"symbol":"QXA","ts":1.7358318001234568e18}`, `{"symbol":"QXA","ts":1735831800123456801}`,
	}, findings: "TIMESTAMP_UNUSABLE 1, UPSTREAM_DISORDER 1", counts: engine.Counts{Records: 5, Ticks: 4, Unusable: 1, Disorder: 1}},
	{name: "G-48 venues, one of which reports late", settings: []string{"field.venue=v", "late.report.venues=TRF", "late.report.tolerance.ms=900000"},
		values: valuesOf("QXA", `10ms "v":4`, `4ms "v":7`, `11ms "v":4`, `5ms "v":7`, `-11m "v":"TRF"`),
		counts: engine.Counts{Records: 5, Ticks: 5, LateReports: 1}},
	{name: "G-48 venues that are not configured",
		values:   valuesOf("QXA", `10ms "v":4`, `4ms "v":7`, `11ms "v":4`, `5ms "v":7`, `-11m "v":"TRF"`),
		findings: "UPSTREAM_DISORDER 3", counts: engine.Counts{Records: 5, Ticks: 5, Disorder: 3}},
	{name: "G-49 equal times", values: valuesOf("QXA", `0s "id":1`, `0s "id":2`, `0s "id":3`, `0s "id":5`, `0s "id":4`),
		counts: engine.Counts{Records: 5, Ticks: 5}},
	{name: "G-49 equal times with ids", settings: []string{"field.sequence=id"},
		values:   valuesOf("QXA", `0s "id":1`, `0s "id":2`, `0s "id":3`, `0s "id":5`, `0s "id":4`),
		findings: "UPSTREAM_DISORDER 1", counts: engine.Counts{Records: 5, Ticks: 5, Disorder: 1, SequenceGaps: 1}},
	{name: "G-50 what stands for no time", values: append([]string{
		`{"symbol":"QXA","ts":0}`, `{"symbol":"QXA"}`, `{"symbol":"QXA","ts":null}`, `{"symbol":"QXA","ts":-1}`,
	}, valuesOf("QXA", "0s", "1s")...), findings: "TIMESTAMP_UNUSABLE 4", counts: engine.Counts{Records: 6, Ticks: 2, Unusable: 4}},
	{name: "G-53 a leap second", values: []string{
		`{"symbol":"QXA","ts":"2016-12-31T23:59:59.9Z"}`, `{"symbol":"QXA","ts":"2016-12-31T23:59:60.5Z"}`, `{"symbol":"QXA","ts":"2017-01-01T00:00:00.1Z"}`,
	}, counts: engine.Counts{Records: 3, Ticks: 3}},
	{name: "G-56 a name that is used again", settings: []string{"field.sequence=id"},
		values: append(valuesOf("QXN", `-4320h "id":900`), valuesOf("QXN", `0s "id":12`, `1s "id":13`)...),
		counts: engine.Counts{Records: 3, Ticks: 3}},
	{name: "G-57 repeats and holes after a reconnect", settings: []string{"field.sequence=id"},
		values:   valuesOf("QXA", `1s "id":101`, `2s "id":102`, `3s "id":103`, `2s "id":102`, `3s "id":103`, `7s "id":107`, `8s "id":108`),
		findings: "REDELIVERED 2, SEQUENCE_GAP 1", counts: engine.Counts{Records: 7, Ticks: 7, Duplicates: 2, SequenceGaps: 1}},
	{name: "G-57 two trades with one number", settings: []string{"field.sequence=q"},
		values: valuesOf("TCX", `1s "q":130,"id":725`, `1s "q":130,"id":726`),
		counts: engine.Counts{Records: 2, Ticks: 2}},
	{name: "G-60 history behind live ticks", values: append(append(valuesOf("QXA", "0s", "60s"), valuesOf("QXA", history(1000)...)...), valuesOf("QXA", "61s")...),
		findings: "BACKFILL 1000", counts: engine.Counts{Records: 1003, Ticks: 1003, Disorder: 9, Backfilled: 991}},
	{name: "G-65 a repaired record comes back", values: append(append(valuesOf("QXA", "0s"), `{"symbol":`), valuesOf("QXA", "2s", "1s", "3s")...),
		headers: map[int][]kgo.RecordHeader{3: {
			{Key: "x-original-topic", Value: []byte("elsewhere")}, {Key: "x-original-partition", Value: []byte("0")}, {Key: "x-original-offset", Value: []byte("1")},
		}},
		findings: "REDELIVERED 1, UNREADABLE 1", counts: engine.Counts{Records: 5, Ticks: 4, Unreadable: 1, Duplicates: 1}},
}

func TestCasesOfOrderLiveAndReplayed(t *testing.T) {
	for i := range orderCases {
		o := &orderCases[i]
		t.Run(o.name, func(t *testing.T) {
			c := kafkatest.Fake(t)
			topic := c.Topic(t, 1)
			var records []*kgo.Record
			for i, v := range o.values {
				records = append(records, &kgo.Record{Topic: topic, Key: []byte(o.values[0][11:14]), Value: []byte(v), Timestamp: time.Unix(0, tickTime+61e9), Headers: o.headers[i]})
			}
			c.Produce(t, records...)
			for mode, final := range liveAndReplayed(t, c, topic, orderConfig(t, c, topic, o.settings)) {
				var found []string
				for i := range final.Findings {
					if f := &final.Findings[i]; f.State != engine.Resolved {
						found = append(found, fmt.Sprintf("%v %d", f.Code, f.Count))
					}
				}
				slices.Sort(found)
				n := final.Counts
				n.KeyBytes, n.ValueBytes, n.Ahead = 0, 0, 0
				if got := strings.Join(found, ", "); got != o.findings || n != o.counts {
					t.Errorf("%s: found %q, want %q; %+v", mode, got, o.findings, n)
				}
			}
		})
	}
}

func orderConfig(t *testing.T, c *kafkatest.Cluster, topic string, settings []string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "audit.properties")
	text := fmt.Sprintf("name=%s\nbootstrap.servers=%s\ntopics=%s\nfield.timestamp=ts\nrest.listeners=http://127.0.0.1:0\nstate.dir=%s\n%s\n",
		kafkatest.Name(t), strings.Join(c.Brokers, ","), topic, t.TempDir(), strings.Join(settings, "\n"))
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
