package livepage_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/livepage"
)

func source() livepage.Source {
	symbols := []livepage.Symbol{
		{Topic: "ticks", Partition: 0, Symbol: "AAPL"}, {Topic: "ticks", Partition: 1, Symbol: "XAAPL"}, {Topic: "ticks", Partition: 1, Symbol: "aapl2"},
	}
	return livepage.Source{
		Name: "prices", Version: "1.2.3", State: func() string { return "RUNNING" },
		Status: func() livepage.Status {
			return livepage.Status{Instance: "host-0", Partitions: []livepage.Partition{
				{Topic: "ticks", Partition: 0, Ticks: 10, Symbols: 1, Lag: 2}, {Topic: "ticks", Partition: 1, Ticks: 30, Disorder: 1, Symbols: 2},
			}}
		},
		Symbols: func(match func(string) bool, most int) (found []livepage.Symbol, more bool) {
			for _, s := range symbols {
				if match(s.Symbol) {
					if len(found) == most {
						return found, true
					}
					found = append(found, s)
				}
			}
			return found, false
		},
		Distinct: func() int64 { return 2 }, // of the three places one is a symbol's second
		Busiest: func(int) []livepage.Load {
			return []livepage.Load{{Topic: "ticks", Partition: 1, Symbols: []livepage.Count{{Symbol: "XAAPL", Ticks: 20}}}}
		},
	}
}

func finding(id string, state engine.State, severity engine.Severity, symbol string) engine.Finding {
	return engine.Finding{
		ID: id, Code: engine.UpstreamDisorder, State: state, Severity: severity, Topic: "ticks", Symbol: symbol, Count: 2,
		Cause: "went back", Action: "Check the producer.", Evidence: map[string]any{"worst_offset": 7},
	}
}

func told(b *livepage.Board, fs ...engine.Finding) {
	b.Report(&engine.Report{Topic: "ticks", Scope: engine.ScopePartition, Trigger: engine.TriggerFinding, Findings: fs})
}

func get(t *testing.T, b *livepage.Board, path string) (int, map[string]any) {
	t.Helper()
	w := httptest.NewRecorder()
	b.Handler().ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	var body map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil {
		t.Fatalf("%s: %v: %s", path, err, w.Body)
	}
	return w.Code, body
}

func ids(body map[string]any) (out []string) {
	for _, f := range body["findings"].([]any) {
		f := f.(map[string]any)
		out = append(out, f["id"].(string)+" "+f["state"].(string))
	}
	return out
}

func TestOpenFindingsComeFirstAndAreOver(t *testing.T) {
	b := livepage.NewBoard(source())
	if _, body := get(t, b, "/api/v1/state"); body["findings"] == nil || body["reasons"] == nil || body["topics"] == nil {
		t.Errorf("lists that are null: %v", body)
	}
	told(b, finding("a", engine.Opened, engine.Info, "AAPL"), finding("b", engine.Opened, engine.Critical, "X"), finding("c", engine.Opened, engine.Warning, "Y"))
	told(b, finding("c", engine.Resolved, engine.Warning, "Y"))
	told(b, finding("c", engine.Resolved, engine.Warning, "Y")) // told again
	_, body := get(t, b, "/api/v1/state")
	if got := fmt.Sprint(ids(body)); got != "[b OPENED a OPENED c RESOLVED]" {
		t.Errorf("findings %s", got)
	}
	if body["symbols"] != 2.0 || body["state_since_ms"] != nil {
		t.Errorf("state %v", body)
	}
	if body["ticks"] != 40.0 || body["lag"] != 2.0 || body["open"] != 2.0 || body["state"] != "RUNNING" || body["ready"] != true {
		t.Errorf("state %v", body)
	}
}

// A pause says since when and who has asked for it; what is not known is null.
func TestAPauseIsShown(t *testing.T) {
	s := source()
	status := livepage.Status{
		StateSince: time.UnixMilli(1_795_888_800_500), StateBy: "ops from 10.0.0.7:999",
		Partitions: []livepage.Partition{{Topic: "ticks", Lag: 300}, {Topic: "ticks", Partition: 1, Lag: 12}},
	}
	s.State, s.Status = func() string { return "PAUSED" }, func() livepage.Status { return status }
	b := livepage.NewBoard(s)
	if _, body := get(t, b, "/api/v1/state"); body["state"] != "PAUSED" || body["state_since_ms"] != 1_795_888_800_500.0 || body["state_by"] != status.StateBy || body["lag"] != 312.0 {
		t.Errorf("paused: %v", body)
	}
	status.Partitions[1].Lag = -1
	if _, body := get(t, b, "/api/v1/state"); body["lag"] != nil {
		t.Errorf("lag %v although one is not known", body["lag"])
	}
	status.Partitions = nil
	if _, body := get(t, b, "/api/v1/state"); body["lag"] != nil {
		t.Errorf("lag %v of no partition", body["lag"])
	}
}

// Whatever is found, what is kept and sent is bounded.
func TestManyFindingsAreBounded(t *testing.T) {
	b := livepage.NewBoard(source())
	for i := range 20_000 {
		f := finding(fmt.Sprint(i), engine.Opened, engine.Warning, fmt.Sprint("S", i))
		f.Evidence = map[string]any{"symbols": strings.Repeat("x", 10_000)}
		told(b, f)
	}
	w := httptest.NewRecorder()
	b.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/api/v1/state", nil))
	if n := w.Body.Len(); n > 100_000 {
		t.Errorf("%d bytes", n)
	}
	_, body := get(t, b, "/api/v1/state")
	if n := len(ids(body)); n != 100 || body["open"] != 5000.0 {
		t.Errorf("%d findings of %v open", n, body["open"])
	}
}

func TestSearch(t *testing.T) {
	b := livepage.NewBoard(source())
	told(b, finding("a", engine.Opened, engine.Warning, "AAPL"))
	b.Report(&engine.Report{
		Topic: "ticks", Scope: engine.ScopeTopic, Trigger: engine.TriggerInterval, Partitioner: "murmur2", Partitions: 6,
		SymbolsMap: map[string]int32{"AAPL": 0},
	})
	code, body := get(t, b, "/api/v1/symbols?q=aapl")
	var names []string
	for _, s := range body["symbols"].([]any) {
		names = append(names, s.(map[string]any)["symbol"].(string))
	}
	if code != 200 || fmt.Sprint(names) != "[AAPL aapl2 XAAPL]" || body["more"] != false || body["others"] != true {
		t.Errorf("%d %v: those that begin so come first: %v", code, body, names)
	}
	if first := body["symbols"].([]any)[0].(map[string]any); len(first["findings"].([]any)) != 1 {
		t.Errorf("findings of AAPL: %v", first)
	}
	// MSFT's key lies on one of six partitions by murmur2; of them 0 and 1 are here.
	hash, err := engine.PartitionerByName("murmur2")
	if err != nil {
		t.Fatal(err)
	}
	for _, symbol := range []string{"MSFT", "TSLA", "NVDA", "IBM", "ORCL", "INTC"} {
		n, _, _ := hash.Place([]byte(symbol), false, 6)
		_, body := get(t, b, "/api/v1/symbols?q="+symbol)
		want := "[]"
		if n > 1 {
			want = fmt.Sprintf("[map[partition:%d topic:ticks]]", n)
		}
		if got := fmt.Sprint(body["elsewhere"]); got != want {
			t.Errorf("%s is said to be at %s, want %s", symbol, got, want)
		}
	}
	for _, path := range []string{"/api/v1/symbols", "/api/v1/symbols?q=", "/api/v1/symbols?q=" + strings.Repeat("x", 201)} {
		if code, body := get(t, b, path); code != 400 || body["error_code"] != 400.0 || body["message"] == "" {
			t.Errorf("%.40s: %d %v", path, code, body)
		}
	}
	if code, body := get(t, b, "/api/v1/nothing"); code != 404 || body["error_code"] != 404.0 {
		t.Errorf("%d %v", code, body)
	}
}

func TestTheVerdictHasItsProof(t *testing.T) {
	b := livepage.NewBoard(source())
	on := map[string]int32{}
	for i := range 20 {
		on[fmt.Sprintf("S%02d", i)] = 3
	}
	b.Report(&engine.Report{Topic: "ticks", Scope: engine.ScopeTopic, Partitioner: "murmur2", Partitions: 6, SymbolsMap: on})
	_, body := get(t, b, "/api/v1/state")
	proof := body["topics"].([]any)[0].(map[string]any)["proof"].([]any)
	hash, _ := engine.PartitionerByName("murmur2")
	want, _, _ := hash.Place([]byte("S00"), false, 6)
	if first := proof[0].(map[string]any); len(proof) != 8 || first["symbol"] != "S00" || first["on"] != 3.0 || first["expected"] != float64(want) {
		t.Errorf("proof %v", proof)
	}
}

// Events come by themselves and end with the audit.
func TestEventsFollowTheAudit(t *testing.T) {
	b := livepage.NewBoard(source())
	server := httptest.NewServer(b.Handler())
	defer server.Close()
	ctx, end := context.WithCancel(t.Context())
	go b.Run(ctx)
	response, err := http.Get(server.URL + "/api/v1/events")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if kind := response.Header.Get("Content-Type"); kind != "text/event-stream" {
		t.Errorf("content type %q", kind)
	}
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	names := map[string]bool{}
	for !names["state"] || !names["partitions"] || !names["samples"] {
		if !lines.Scan() {
			t.Fatalf("the stream ended after %v", names)
		}
		if name, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			names[name] = true
		}
	}
	told(b, finding("late", engine.Opened, engine.Critical, "AAPL"))
	for !strings.Contains(lines.Text(), `"id":"late"`) {
		if !lines.Scan() {
			t.Fatal("the finding was not sent")
		}
	}
	end()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		t.Error(err)
	}
}

func TestThePageNeedsNothingElse(t *testing.T) {
	b := livepage.NewBoard(source())
	w := httptest.NewRecorder()
	b.Page().ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	policy := w.Header().Get("Content-Security-Policy")
	if w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") || !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	for _, text := range []string{w.Body.String(), asset(t, b, "page.css"), asset(t, b, "page.js")} {
		if strings.Contains(text, "http://") || strings.Contains(text, "https://") || strings.Contains(text, "innerHTML") {
			t.Errorf("a foreign address, or markup from text, in %.60q", text)
		}
	}
}

func asset(t *testing.T, b *livepage.Board, name string) string {
	t.Helper()
	w := httptest.NewRecorder()
	b.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/page/"+name, nil))
	if w.Code != 200 {
		t.Fatalf("%s: %d", name, w.Code)
	}
	return w.Body.String()
}
