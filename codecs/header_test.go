package codecs

import (
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/auditstream/auditstream/engine"
)

func each(headers []Header) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for _, h := range headers {
			if !yield(h.Key, h.Value) {
				return
			}
		}
	}
}

func show(headers []Header) string {
	var b strings.Builder
	for _, h := range headers {
		if h.Value == nil {
			fmt.Fprintf(&b, "%s=null\n", h.Key)
		} else {
			fmt.Fprintf(&b, "%s=%q\n", h.Key, h.Value)
		}
	}
	return b.String()
}

// G-19: null values, repeated and empty names.
var oddHeaders = []Header{{"trace", nil}, {"trace", []byte("a")}, {"trace", []byte("b")}, {"", []byte("x")}, {"empty", []byte{}}}

func TestOrigin(t *testing.T) {
	own := []Header{{"x-original-topic", []byte("t")}, {"x-original-partition", []byte("0")}, {"x-original-offset", []byte("1")}}
	connect := []Header{{"__connect.errors.topic", []byte("c")}, {"__connect.errors.partition", []byte("2")}, {"__connect.errors.offset", []byte("3")}}
	for name, tc := range map[string]struct {
		headers []Header
		want    string
	}{
		"none":          {nil, "<nil>"},
		"odd":           {oddHeaders, "<nil>"},
		"own":           {append(append([]Header{}, oddHeaders...), own...), "&{t 0 1}"},
		"connect":       {connect, "&{c 2 3}"},
		"own is first":  {append(append([]Header{}, own...), connect...), "&{t 0 1}"},
		"own in part":   {append(append([]Header{}, own[:2]...), connect...), "&{c 2 3}"},
		"repeated":      {append(append([]Header{}, own...), Header{"x-original-offset", []byte("9")}), "&{t 0 9}"},
		"null repeated": {append(append([]Header{}, own...), Header{"x-original-offset", nil}), "&{t 0 1}"},
		"no number":     {append(append([]Header{}, own[:2]...), Header{"x-original-offset", []byte("\x00\x00\x00\x01")}), "<nil>"},
		"negative":      {append(append([]Header{}, own[:2]...), Header{"x-original-offset", []byte("-1")}), "<nil>"},
		"too large":     {append(append([]Header{}, own[1:]...), Header{"x-original-topic", []byte("t")}, Header{"x-original-partition", []byte("4294967296")}), "<nil>"},
	} {
		if got := fmt.Sprint(Origin(each(tc.headers))); got != tc.want {
			t.Errorf("%s: got %s, want %s", name, got, tc.want)
		}
	}
}

func TestReportHeaders(t *testing.T) {
	partition := int32(3)
	r := &engine.Report{ID: "ab12", SchemaVersion: 1, Topic: "ticks", Partition: &partition, Trigger: engine.TriggerInterval, WindowEnd: engine.Time(t0)}
	want := `ce_specversion="1.0"
ce_id="ab12"
ce_source="/auditstream/ticks/3"
ce_type="auditstream.KafkaTickDistributionReport"
ce_time="2025-01-02T15:30:00Z"
content-type="application/json"
schema.version="1"
`
	if got := show(ReportHeaders(r)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	r.Trigger, r.Findings = engine.TriggerFinding, []engine.Finding{{LastTime: engine.Time(t0 - 1)}}
	if got := show(ReportHeaders(r)); !strings.Contains(got, `ce_time="2025-01-02T15:29:59.999999999Z"`) {
		t.Errorf("a finding's report:\n%s", got)
	}
	r.WindowEnd, r.Findings = engine.NoTime, nil
	if got := show(ReportHeaders(r)); strings.Contains(got, "ce_time") {
		t.Errorf("a report about no time:\n%s", got)
	}
}

func TestDeadLetterHeaders(t *testing.T) {
	d := DeadLetter{
		Place: engine.Place{Topic: "ticks", Partition: 2, Offset: 41}, Connector: "audit", Task: 2,
		Stage: StageValue, Converter: "json", Reason: engine.ReasonTruncated,
	}
	own := `trace=null
trace="a"
trace="b"
="x"
empty=""
`
	added := `__connect.errors.topic="ticks"
__connect.errors.partition="2"
__connect.errors.offset="41"
__connect.errors.connector.name="audit"
__connect.errors.task.id="2"
__connect.errors.stage="VALUE_CONVERTER"
__connect.errors.class.name="json"
__connect.errors.exception.class.name="auditstream.DataException"
__connect.errors.exception.message="value cannot be read as json: truncated"
__connect.errors.exception.stacktrace="auditstream.DataException: value cannot be read as json: truncated"
x-original-topic="ticks"
x-original-partition="2"
x-original-offset="41"
x-error="truncated"
`
	first := d.Headers(oddHeaders)
	if got, want := show(first), own+added+"x-retries=\"0\"\n"; got != want {
		t.Errorf("first round: got\n%s\nwant\n%s", got, want)
	}
	d.Place.Offset = 99
	second := d.Headers(append(first, Header{"last", []byte("z")}))
	if got, want := show(second), own+"last=\"z\"\n"+strings.ReplaceAll(added, `"41"`, `"99"`)+"x-retries=\"1\"\n"; got != want {
		t.Errorf("second round: got\n%s\nwant\n%s", got, want)
	}
}

func TestReportHasEveryFieldOfTheContract(t *testing.T) {
	partition, offset := int32(0), int64(1)
	b, err := EncodeReport(&engine.Report{ID: "<&>", Partition: &partition, FromOffset: &offset, ThroughOffset: &offset, WindowStart: engine.NoTime,
		Findings: []engine.Finding{{Partition: &partition, Symbol: "Q", Group: "g", Evidence: map[string]any{}}}})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(b), `"report_id":"<&>"`) || strings.ContainsAny(string(b), "\n") {
		t.Errorf("escaped or broken into lines: %s", b)
	}
	var fields map[string]any
	if err := json.Unmarshal(b, &fields); err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields(`report_id schema_version topic scope trigger mode window_start window_end status
		total_ticks_processed num_partitions assigned_partition_id symbols_partition_map max_consumer_lag_ticks
		throughput_ticks_per_sec partitioner offset_basis lagging_partition_id partition_tick_counts partition_skew_ratio
		skew_audit_applicable max_tick_age_ms out_of_order_symbols warnings audit_notes partition from_offset
		through_offset counts findings findings_total findings_truncated`) {
		if _, ok := fields[name]; !ok {
			t.Errorf("the report has no %s", name)
		}
	}
	counts := fields["counts"].(map[string]any)
	for _, name := range strings.Fields("records ticks unreadable unusable tombstones null_keys empty_keys duplicates disorder late") {
		if _, ok := counts[name]; !ok {
			t.Errorf("counts have no %s", name)
		}
	}
	finding := fields["findings"].([]any)[0].(map[string]any)
	for _, name := range strings.Fields(`finding_id code state severity topic partition symbol group first_offset last_offset
		first_time last_time count observed threshold unit cause action evidence`) {
		if _, ok := finding[name]; !ok {
			t.Errorf("a finding has no %s", name)
		}
	}
}
