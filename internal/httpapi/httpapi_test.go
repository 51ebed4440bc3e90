package httpapi_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/alert"
	"github.com/auditstream/auditstream/internal/doctest"
	"github.com/auditstream/auditstream/internal/httpapi"
)

var build = httpapi.Build{Version: "v1", Commit: "abc", GoVersion: "go1"}

func running() httpapi.Status {
	return httpapi.Status{
		Partitions: []httpapi.Partition{
			{Topic: "ticks", Partition: 0, Records: 12, Ticks: 11, Lag: 3, Live: true, Symbols: 5,
				Counts: engine.Counts{Unreadable: 1, Disorder: 2, KeyBytes: 40, ValueBytes: 600}},
			{Topic: "ticks", Partition: 1, Records: 7, Ticks: 7, Lag: -1},
		},
		Open:        map[engine.Code]int64{engine.SymbolSplit: 2},
		Opened:      map[engine.Code]int64{engine.SymbolSplit: 3},
		OpenSince:   map[engine.Code]time.Time{engine.SymbolSplit: time.UnixMilli(1_795_888_800_500)},
		Topics:      []httpapi.Topic{{Topic: "ticks", Status: engine.StatusSkew, Skew: 1.5, SkewKnown: true, OutOfOrder: 4, Symbols: 9}, {Topic: "trades", Status: engine.StatusHealthy}},
		TickAges:    httpapi.Durations{Count: 4, Sum: time.Second, Buckets: map[time.Duration]uint64{time.Second: 4}},
		Checkpoints: httpapi.Durations{Count: 2, Sum: 30 * time.Millisecond, Buckets: map[time.Duration]uint64{10 * time.Millisecond: 1, time.Second: 2}},
		Detections:  httpapi.Durations{Count: 1, Sum: 80 * time.Millisecond, Buckets: map[time.Duration]uint64{100 * time.Millisecond: 1}},
		Rebalances:  4,
		GroupLags: []httpapi.GroupLag{
			{Group: "orders", Topic: "ticks", Partition: 1, Lag: 9, Committed: 91, Age: 1500 * time.Millisecond},
			{Group: "orders", Topic: "ticks", Partition: 2, Lag: 4, Committed: 10, Age: -1},
			{Group: "orders", Topic: "ticks", Partition: 3, Lag: -1, Committed: -1, Age: -1},
		},
		Groups: []httpapi.Group{{Name: "orders", Type: "classic", Protocol: "range", State: "Stable", Members: 2, Coordinator: 1}},
		Logs:   []httpapi.Log{{Topic: "ticks", Partition: 1, Start: 5, End: 100}, {Topic: "ticks", Partition: 2, Start: -1, End: -1}},
	}
}

// asked is an audit that was not asked for anything.
func asked() httpapi.Doing { return httpapi.Doing{State: "RUNNING"} }

func ask(t *testing.T, status func() httpapi.Status, method, path string) (int, string) {
	t.Helper()
	w := httptest.NewRecorder()
	httpapi.Handler(build, status, asked).ServeHTTP(w, httptest.NewRequest(method, path, nil))
	return w.Code, w.Body.String()
}

func TestAliveWhateverTheAuditDoes(t *testing.T) {
	never := func() httpapi.Status { t.Error("healthz asked for the status"); return httpapi.Status{} }
	if code, body := ask(t, never, "GET", "/healthz"); code != 200 || body != `{"status":"ok","state":"RUNNING"}`+"\n" {
		t.Errorf("%d %s", code, body)
	}
}

func TestReadinessSaysWhyNot(t *testing.T) {
	if code, body := ask(t, running, "GET", "/readyz"); code != 200 || body != `{"ready":true,"reasons":[],"state":"RUNNING"}`+"\n" {
		t.Errorf("%d %s", code, body)
	}
	recovering := func() httpapi.Status { return httpapi.Status{NotReady: []string{"ticks/0 is recovering"}} }
	if code, body := ask(t, recovering, "GET", "/readyz"); code != 503 || body != `{"ready":false,"reasons":["ticks/0 is recovering"],"state":"RUNNING"}`+"\n" {
		t.Errorf("%d %s", code, body)
	}
}

// What was asked for on purpose changes no code, but it is said, to everybody
// and so without who has asked.
func TestAPauseIsSaid(t *testing.T) {
	for _, c := range []struct {
		notReady    []string
		ready       int
		state, want string
	}{
		{nil, 200, "PAUSED", `"state":"PAUSED","since":"2026-11-30T07:00:00.5Z","note":"PUT resume"}` + "\n"},
		{[]string{"stopped as asked"}, 503, "STOPPED", `"state":"STOPPED","since":"2026-11-30T07:00:00.5Z","note":"PUT resume"}` + "\n"},
	} {
		handler := httpapi.Handler(build, func() httpapi.Status { return httpapi.Status{NotReady: c.notReady, Paused: c.state == "PAUSED"} },
			func() httpapi.Doing {
				return httpapi.Doing{State: c.state, Since: time.Date(2026, 11, 30, 8, 0, 0, 500_000_001, time.FixedZone("", 3600)), Note: "PUT resume"}
			})
		for path, code := range map[string]int{"/readyz": c.ready, "/healthz": 200} {
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
			if w.Code != code || !strings.HasSuffix(w.Body.String(), ","+c.want) {
				t.Errorf("%s: %d %s", path, w.Code, w.Body)
			}
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
		paused := 0
		if c.state == "PAUSED" {
			paused = 1
		}
		if want := fmt.Sprintf("\nauditstream_paused %d\n", paused); !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: no line %q", c.state, want)
		}
	}
}

func TestMetrics(t *testing.T) {
	code, body := ask(t, running, "GET", "/metrics")
	if code != 200 {
		t.Fatalf("%d %s", code, body)
	}
	for _, want := range []string{
		`auditstream_ready 1`,
		`auditstream_paused 0`,
		`auditstream_records_total{partition="0",topic="ticks"} 12`,
		`auditstream_ticks_total{partition="0",topic="ticks"} 11`,
		`auditstream_lag_records{partition="0",topic="ticks"} 3`,
		`auditstream_partition_live{partition="0",topic="ticks"} 1`,
		`auditstream_symbols{partition="0",topic="ticks"} 5`,
		`auditstream_bytes_total{partition="0",topic="ticks"} 640`,
		`auditstream_suspect_total{count="disorder",partition="0",topic="ticks"} 2`,
		`auditstream_suspect_total{count="unreadable",partition="0",topic="ticks"} 1`,
		`auditstream_suspect_total{count="late",partition="1",topic="ticks"} 0`,
		`auditstream_topic_status{status="CLOCK_SKEW_WARNING",topic="ticks"} 1`,
		`auditstream_topic_status{status="KAFKA_STREAM_HEALTHY",topic="ticks"} 0`,
		`auditstream_topic_status{status="KAFKA_STREAM_HEALTHY",topic="trades"} 1`,
		`auditstream_partition_skew_ratio{topic="ticks"} 1.5`,
		`auditstream_symbols_out_of_order{topic="ticks"} 4`,
		`auditstream_topic_symbols{topic="ticks"} 9`,
		`auditstream_findings_open_since_timestamp_seconds{code="SYMBOL_SPLIT"} 1.7958888005e+09`,
		`auditstream_tick_age_seconds_count 4`,
		`auditstream_findings_open{code="SYMBOL_SPLIT"} 2`,
		`auditstream_findings_open{code="STALE_TICK"} 0`,
		`auditstream_findings_opened_total{code="SYMBOL_SPLIT",severity="CRITICAL"} 3`,
		`auditstream_rebalances_total 4`,
		`auditstream_checkpoint_duration_seconds_bucket{le="0.01"} 1`,
		`auditstream_checkpoint_duration_seconds_bucket{le="+Inf"} 2`,
		`auditstream_checkpoint_duration_seconds_sum 0.03`,
		`auditstream_detection_latency_seconds_bucket{le="0.1"} 1`,
		`auditstream_detection_latency_seconds_sum 0.08`,
		`auditstream_build_info{commit="abc",go_version="go1",version="v1"} 1`,
		`kafka_consumer_group_lag{group="orders",partition="1",topic="ticks"} 9`,
		`kafka_consumer_group_lag_seconds{group="orders",partition="1",topic="ticks"} 1.5`,
	} {
		if !strings.Contains(body, want+"\n") {
			t.Errorf("no line %s", want)
		}
	}
	problems, err := promlint.New(strings.NewReader(body)).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		if strings.HasPrefix(p.Metric, "auditstream_") || strings.HasPrefix(p.Metric, "kafka_") {
			t.Errorf("%s: %s", p.Metric, p.Text)
		}
	}
}

// The alert of the documentation is a sum: what is unknown must not lower it.
func TestUnknownLagHasNoSeries(t *testing.T) {
	_, body := ask(t, running, "GET", "/metrics")
	for line := range strings.Lines(body) {
		if strings.HasPrefix(line, `auditstream_lag_records{partition="1"`) {
			t.Error(line)
		}
		if strings.HasPrefix(line, "kafka_") && (strings.Contains(line, `partition="3"`) || strings.Contains(line, "} -")) {
			t.Error(line)
		}
	}
	if strings.Contains(body, "kafka_consumergroup_") || strings.Contains(body, "kminion_") {
		t.Error("names of other exporters without being asked for")
	}
}

func TestNamesOfOtherExporters(t *testing.T) {
	for system, want := range map[string][]string{
		"kafka_exporter": {
			`kafka_consumergroup_lag{consumergroup="orders",partition="1",topic="ticks"} 9`,
			`kafka_consumergroup_lag_sum{consumergroup="orders",topic="ticks"} 13`,
			`kafka_consumergroup_current_offset{consumergroup="orders",partition="1",topic="ticks"} 91`,
			`kafka_consumergroup_current_offset_sum{consumergroup="orders",topic="ticks"} 101`,
			`kafka_consumergroup_members{consumergroup="orders"} 2`,
			`kafka_topic_partition_current_offset{partition="1",topic="ticks"} 100`,
			`kafka_topic_partition_oldest_offset{partition="1",topic="ticks"} 5`,
			`kafka_topic_partitions{topic="ticks"} 2`,
		},
		"kminion": {
			`kminion_kafka_consumer_group_topic_partition_lag{group_id="orders",partition_id="1",topic_name="ticks"} 9`,
			`kminion_kafka_consumer_group_topic_lag{group_id="orders",topic_name="ticks"} 13`,
			`kminion_kafka_consumer_group_topic_offset_sum{group_id="orders",topic_name="ticks"} 101`,
			`kminion_kafka_consumer_group_info{coordinator_id="1",group_id="orders",protocol="range",protocol_type="consumer",state="Stable"} 1`,
			`kminion_kafka_consumer_group_members{group_id="orders"} 2`,
			`kminion_kafka_topic_partition_high_water_mark{partition_id="1",topic_name="ticks"} 100`,
			`kminion_kafka_topic_partition_low_water_mark{partition_id="1",topic_name="ticks"} 5`,
			`kminion_kafka_topic_high_water_mark_sum{topic_name="ticks"} 100`,
		},
	} {
		_, body := ask(t, func() httpapi.Status { s := running(); s.LagNames = []string{system}; return s }, "GET", "/metrics")
		for _, line := range want {
			if !strings.Contains(body, line+"\n") {
				t.Errorf("%s: no line %s", system, line)
			}
		}
		if strings.Contains(body, "} -1") {
			t.Errorf("%s: a negative number in %s", system, body)
		}
	}
}

func TestDocsMetrics(t *testing.T) {
	doctest.Check(t, "metrics.md", httpapi.MetricsPage(alert.MetricsTable()))
}

func TestNotReadyIsAMetricToo(t *testing.T) {
	_, body := ask(t, func() httpapi.Status { return httpapi.Status{NotReady: []string{"x"}} }, "GET", "/metrics")
	if !strings.Contains(body, "auditstream_ready 0\n") {
		t.Errorf("no auditstream_ready 0 in %s", body)
	}
}

func TestEverythingElseIsAnErrorInJSON(t *testing.T) {
	for _, c := range []struct {
		method, path string
		code         int
	}{
		{"GET", "/", 404}, {"GET", "/connectors", 404}, {"GET", "/metrics/x", 404}, {"POST", "/readyz", 405},
		{"GET", "/debug/pprof/", 404},
	} {
		code, body := ask(t, running, c.method, c.path)
		var e struct {
			Code    int    `json:"error_code"`
			Message string `json:"message"`
		}
		if err := json.Unmarshal([]byte(body), &e); err != nil || code != c.code || e.Code != c.code || e.Message == "" {
			t.Errorf("%s %s: %d %s (%v)", c.method, c.path, code, body, err)
		}
	}
}

func get(t *testing.T, url string) string {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestServerListensUntilItIsClosed(t *testing.T) {
	s, err := httpapi.Start("rest.listeners", "http://127.0.0.1:0", httpapi.Handler(build, running, asked), nil)
	if err != nil {
		t.Fatal(err)
	}
	address := s.Addresses()[0]
	if body := get(t, address+"/healthz"); !strings.Contains(body, "ok") {
		t.Errorf("healthz answers %s", body)
	}
	_, err = httpapi.Start("rest.listeners", address, http.NotFoundHandler(), nil)
	var taken *httpapi.TakenError
	if !errors.As(err, &taken) || !strings.Contains(taken.Try(), "--set rest.listeners=http://127.0.0.1:0 ") {
		t.Errorf("a port that is taken: %v", err)
	}
	if err == nil || !strings.Contains(err.Error(), "is taken by another process") || !strings.Contains(err.Error(), address) {
		t.Errorf("a taken port gives %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := http.Get(address + "/healthz"); err == nil {
		t.Error("a closed server answers")
	}
}

func TestCloseLetsARequestEnd(t *testing.T) {
	entered, leave := make(chan struct{}), make(chan struct{})
	s, err := httpapi.Start("rest.listeners", "http://127.0.0.1:0", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(entered)
		<-leave
		_, _ = io.WriteString(w, "done")
	}), nil)
	if err != nil {
		t.Fatal(err)
	}
	body := make(chan string, 1)
	go func() { body <- get(t, s.Addresses()[0]) }()
	<-entered
	closed := make(chan error, 1)
	go func() { closed <- s.Close() }()
	close(leave)
	if got := <-body; got != "done" {
		t.Errorf("the request got %q", got)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

func TestAddressesThatCannotBeListenedOn(t *testing.T) {
	for _, address := range []string{"https://127.0.0.1:0", "127.0.0.1:8083", "http://127.0.0.1", "http://256.0.0.1:1"} {
		if s, err := httpapi.Start("rest.listeners", "http://127.0.0.1:0,"+address, http.NotFoundHandler(), nil); err == nil {
			s.Close()
			t.Errorf("%s was taken", address)
		} else if !strings.Contains(err.Error(), address) {
			t.Errorf("%s is not named: %v", address, err)
		}
	}
	s, err := httpapi.Start("rest.listeners", "", http.NotFoundHandler(), nil)
	if err != nil || len(s.Addresses()) > 0 {
		t.Errorf("no address: %v", err)
	}
}
