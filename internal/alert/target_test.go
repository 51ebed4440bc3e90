package alert_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/alert"
	"github.com/auditstream/auditstream/internal/config"
)

var (
	opened = time.Date(2026, 11, 29, 18, 4, 28, 0, time.UTC)
	ended  = opened.Add(12 * time.Second)
)

func disorder(id, symbol string) engine.Finding {
	partition := int32(3)
	at := engine.Time(opened.Add(-time.Second).UnixNano())
	return engine.Finding{
		ID: id, Code: engine.UpstreamDisorder, State: engine.Opened, Severity: engine.Warning,
		Topic: "ticks", Partition: &partition, Symbol: symbol, FirstOffset: 512, LastOffset: 540, FirstTime: at, LastTime: at,
		Count: 7, Observed: 412.5, Unit: "ms", Cause: "a step back", Action: "check the producer",
		Evidence: map[string]any{"producer": "p1"},
	}
}

func firing(id string) alert.Alert {
	return alert.Alert{StartsAt: opened, Finding: disorder(id, "AAPL")}
}

func over(id string) alert.Alert {
	return firing(id).Over(ended)
}

// heard is a request as a target heard it.
type heard struct {
	path   string
	header http.Header
	body   any
}

// listener is a target that answers as it is told and keeps what it heard.
func listener(t *testing.T, status int) (address string, requests *[]heard) {
	t.Helper()
	requests = new([]heard)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := heard{path: r.Method + " " + r.URL.Path, header: r.Header}
		text, err := io.ReadAll(r.Body)
		if err == nil {
			err = json.Unmarshal(text, &h.body)
		}
		if err != nil {
			t.Error(err)
		}
		*requests = append(*requests, h)
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "because")
	}))
	t.Cleanup(server.Close)
	return server.URL, requests
}

func target(t *testing.T, settings ...string) alert.Target {
	t.Helper()
	c := configured(t, settings...)
	made, err := alert.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func configured(t *testing.T, settings ...string) *config.Config {
	t.Helper()
	env := []string{"ROUTING=0123456789abcdef0123456789abcdef", "TOKEN=Bearer s3cret"}
	c, err := config.Load("", env, append(settings, "topics=ticks", "name=prices"))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func expect(t *testing.T, got any, want string) {
	t.Helper()
	var wanted any
	if err := json.Unmarshal([]byte(want), &wanted); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestAlertmanagerIsToldLabelsThatStayAndAnEnd(t *testing.T) {
	address, requests := listener(t, http.StatusOK)
	m := target(t, "alert.target=alertmanager", "alert.url="+address+"/", "alert.link=http://grafana/d/audit",
		"alert.authorization=${env:TOKEN}")
	if err := m.Send(t.Context(), []alert.Alert{firing("a"), over("b")}); err != nil {
		t.Fatal(err)
	}
	got := (*requests)[0]
	if got.path != "POST /api/v2/alerts" || got.header.Get("Authorization") != "Bearer s3cret" || got.header.Get("Content-Type") != "application/json" {
		t.Errorf("%s with %v", got.path, got.header)
	}
	common := `"audit":"prices","topic":"ticks","partition":"3","symbol":"AAPL","alertname":"UPSTREAM_DISORDER","severity":"warning"`
	notes := `"annotations":{"summary":"UPSTREAM_DISORDER: ticks, symbol AAPL on partition 3","description":"a step back",
		"action":"check the producer","count":"7","measure":"observed 412.5 ms, threshold 0 ms","offsets":"512-540",
		"first_time":"2026-11-29T18:04:27Z","last_time":"2026-11-29T18:04:27Z"},
		"startsAt":"2026-11-29T18:04:28Z","generatorURL":"http://grafana/d/audit"`
	expect(t, got.body, `[{"labels":{`+common+`,"finding_id":"a"},`+notes+`},
		{"labels":{`+common+`,"finding_id":"b"},`+notes+`,"endsAt":"2026-11-29T18:04:40Z"}]`)
}

// The servers of a cluster share notifications, not alerts.
func TestEveryAlertmanagerIsToldAndOneIsEnough(t *testing.T) {
	good, heardGood := listener(t, http.StatusOK)
	bad, heardBad := listener(t, http.StatusInternalServerError)
	m := target(t, "alert.target=alertmanager", "alert.url="+bad+","+good)
	if err := m.Send(t.Context(), []alert.Alert{firing("a")}); err != nil {
		t.Errorf("one of two accepts, and Send says %v", err)
	}
	if len(*heardGood) != 1 || len(*heardBad) != 1 {
		t.Errorf("heard %d and %d times", len(*heardGood), len(*heardBad))
	}
	m = target(t, "alert.target=alertmanager", "alert.url="+bad+","+bad)
	if err := m.Send(t.Context(), []alert.Alert{firing("a")}); err == nil {
		t.Error("none accepts, and Send is content")
	}
}

func TestPagerDutyIsToldTriggerAndResolve(t *testing.T) {
	address, requests := listener(t, http.StatusAccepted)
	p := target(t, "alert.target=pagerduty", "alert.url="+address+"/v2/enqueue", "alert.link=http://grafana/d/audit",
		"alert.pagerduty.routing.key=${env:ROUTING}")
	for _, a := range []alert.Alert{firing("a"), over("a")} {
		if err := p.Send(t.Context(), []alert.Alert{a}); err != nil {
			t.Fatal(err)
		}
	}
	if path := (*requests)[0].path; path != "POST /v2/enqueue" {
		t.Error(path)
	}
	expect(t, (*requests)[0].body, `{"routing_key":"0123456789abcdef0123456789abcdef","event_action":"trigger","dedup_key":"a",
		"client":"auditstream","client_url":"http://grafana/d/audit","payload":{
		"summary":"UPSTREAM_DISORDER: ticks, symbol AAPL on partition 3: a step back","source":"ticks/3","severity":"warning",
		"timestamp":"2026-11-29T18:04:28.000Z","component":"AAPL","group":"prices","class":"UPSTREAM_DISORDER",
		"custom_details":{"cause":"a step back","action":"check the producer","count":7,"observed":412.5,"threshold":0,"unit":"ms",
		"first_offset":512,"last_offset":540,"first_time":"2026-11-29T18:04:27Z","last_time":"2026-11-29T18:04:27Z",
		"finding_id":"a","evidence":{"producer":"p1"}}}}`)
	expect(t, (*requests)[1].body, `{"routing_key":"0123456789abcdef0123456789abcdef","event_action":"resolve","dedup_key":"a"}`)
}

func TestASummaryForPagerDutyIsCut(t *testing.T) {
	address, requests := listener(t, http.StatusAccepted)
	p := target(t, "alert.target=pagerduty", "alert.url="+address, "alert.pagerduty.routing.key=${env:ROUTING}")
	a := firing("a")
	a.Finding.Cause = strings.Repeat("ä", 2000)
	if err := p.Send(t.Context(), []alert.Alert{a}); err != nil {
		t.Fatal(err)
	}
	told, _ := (*requests)[0].body.(map[string]any)["payload"].(map[string]any)["summary"].(string)
	if n := len([]rune(told)); n != 1024 {
		t.Errorf("a summary of %d characters", n)
	}
}

func TestAWebhookIsToldOneObjectAnEvent(t *testing.T) {
	address, requests := listener(t, http.StatusNoContent)
	w := target(t, "alert.target=webhook", "alert.url="+address+"/hook", "alert.authorization=${env:TOKEN}")
	for _, a := range []alert.Alert{firing("a"), over("a")} {
		if err := w.Send(t.Context(), []alert.Alert{a}); err != nil {
			t.Fatal(err)
		}
	}
	first, second := (*requests)[0], (*requests)[1]
	if first.path != "POST /hook" || first.header.Get("Authorization") != "Bearer s3cret" {
		t.Errorf("%s with %v", first.path, first.header)
	}
	if a, b := first.header.Get("Idempotency-Key"), second.header.Get("Idempotency-Key"); a != "a-firing" || b != "a-resolved" {
		t.Errorf("Idempotency-Key is %q, then %q", a, b)
	}
	finding := `"finding":{"finding_id":"a","code":"UPSTREAM_DISORDER","state":"OPENED","severity":"WARNING","topic":"ticks",
		"partition":3,"symbol":"AAPL","first_offset":512,"last_offset":540,"first_time":"2026-11-29T18:04:27Z",
		"last_time":"2026-11-29T18:04:27Z","count":7,"observed":412.5,"threshold":0,"unit":"ms","cause":"a step back",
		"action":"check the producer","evidence":{"producer":"p1"}}`
	expect(t, first.body, `{"version":"1","audit":"prices","status":"firing","startsAt":"2026-11-29T18:04:28Z","endsAt":null,`+finding+`}`)
	expect(t, second.body, `{"version":"1","audit":"prices","status":"resolved","startsAt":"2026-11-29T18:04:28Z","endsAt":"2026-11-29T18:04:40Z",`+
		strings.Replace(finding, "OPENED", "RESOLVED", 1)+`}`)
}

func TestWhatIsRefusedForEverAndWhatMayPass(t *testing.T) {
	for status, forEver := range map[int]bool{
		400: true, 413: true, 422: true, 401: false, 403: false, 404: false, 408: false, 429: false, 500: false, 302: false, 503: false,
	} {
		address, _ := listener(t, status)
		err := target(t, "alert.target=webhook", "alert.url="+address+"/t0ken?key=t0ken").Send(t.Context(), []alert.Alert{firing("a")})
		var refused *alert.RefusedError
		var later *alert.StatusError
		if errors.As(err, &refused) != forEver || errors.As(err, &later) == forEver {
			t.Errorf("%d gives %v", status, err)
		}
		if err == nil || !strings.Contains(err.Error(), "because") || strings.Contains(err.Error(), "t0ken") {
			t.Errorf("%d says %v", status, err)
		}
		if later != nil && later.After != 7*time.Second {
			t.Errorf("%d: again in %s", status, later.After)
		}
	}
}

func TestATargetOutOfReachIsNamedWithoutItsToken(t *testing.T) {
	address, _ := listener(t, http.StatusOK)
	closed := strings.Replace(address, "127.0.0.1", "127.0.0.2", 1)
	err := target(t, "alert.target=webhook", "alert.url="+closed+"/t0ken").Send(t.Context(), []alert.Alert{firing("a")})
	if err == nil || !strings.Contains(err.Error(), closed) || strings.Contains(err.Error(), "t0ken") {
		t.Errorf("says %v", err)
	}
}

func TestATestAlertIsAcceptedByEveryTarget(t *testing.T) {
	probe := alert.Probe("prices", opened)
	for _, settings := range [][]string{
		{"alert.target=alertmanager"}, {"alert.target=webhook"}, {"alert.target=pagerduty", "alert.pagerduty.routing.key=${env:ROUTING}"},
	} {
		address, requests := listener(t, http.StatusOK)
		if err := target(t, append(settings, "alert.url="+address)...).Send(t.Context(), []alert.Alert{probe}); err != nil {
			t.Error(err)
		}
		text, _ := json.Marshal((*requests)[0].body)
		if !strings.Contains(string(text), "This is a test") || !strings.Contains(string(text), `"TEST"`) {
			t.Errorf("%s", text)
		}
		for _, code := range engine.Codes() {
			if strings.Contains(string(text), code.Name) {
				t.Errorf("a test is told as %s: %s", code.Name, text)
			}
		}
		if err := target(t, append(settings, "alert.url="+address)...).Send(t.Context(), []alert.Alert{probe.Over(ended)}); err != nil {
			t.Error(err)
		}
		if text, _ := json.Marshal((*requests)[1].body); strings.Contains(string(text), "OPENED") {
			t.Errorf("its end is told as %s", text)
		}
	}
}
