package connectapi

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/auditstream/auditstream/internal/doctest"
	"github.com/auditstream/auditstream/internal/livepage"
)

func TestDocsRest(t *testing.T) { doctest.Check(t, "rest.md", Page(livepage.APISection())) }

// recorder is a Control that notes what it was asked for.
type recorder struct{ asked, by []string }

func (r *recorder) Pause(by string)   { r.note("pause", by) }
func (r *recorder) Resume(by string)  { r.note("resume", by) }
func (r *recorder) Stop(by string)    { r.note("stop", by) }
func (r *recorder) Restart(by string) { r.note("restart", by) }

func (r *recorder) note(what, by string) {
	r.asked, r.by = append(r.asked, what), append(r.by, by)
}

// Who asked is known by what was verified, and the address.
func TestWhoAsks(t *testing.T) {
	subject := pkix.Name{CommonName: "deployer"}
	chains := &tls.ConnectionState{VerifiedChains: [][]*x509.Certificate{{{Subject: subject}}}}
	for name, c := range map[string]struct {
		named bool
		tls   *tls.ConnectionState
		agent string
		want  string
	}{
		"anybody":             {false, nil, "", "from 10.0.0.7:999"},
		"by a program":        {false, nil, "curl/8.5.0", "from 10.0.0.7:999 by curl/8.5.0"},
		"with a password":     {true, nil, "kcctl", "ops from 10.0.0.7:999 by kcctl"},
		"with a certificate":  {false, chains, "", "CN=deployer from 10.0.0.7:999"},
		"by a program of ill": {false, nil, "x\x1b[31m\xff" + strings.Repeat("y", 200), "from 10.0.0.7:999 by x[31m" + strings.Repeat("y", 73)},
	} {
		t.Run(name, func(t *testing.T) {
			a, r := audit(Running, "")
			a.Named = c.named
			request := httptest.NewRequest("PUT", "/connectors/prices/pause", http.NoBody)
			request.SetBasicAuth("ops", "s3cret")
			request.RemoteAddr, request.TLS = "10.0.0.7:999", c.tls
			request.Header.Set("User-Agent", c.agent)
			Handler(a, nil).ServeHTTP(httptest.NewRecorder(), request)
			if !slices.Equal(r.by, []string{c.want}) {
				t.Errorf("by %q, want %q", r.by, c.want)
			}
		})
	}
}

// audit is one in the given state.
func audit(s State, trace string) (*Audit, *recorder) {
	var r recorder
	return &Audit{
		Name: "prices", Version: "1.2.3", Commit: "abc", ClusterID: "k-1",
		Worker: func() string { return "10.0.0.7:8083" },
		Config: map[string]string{"connector.class": Class, "name": "prices", "topics": "ticks", "consumer.override.sasl.password": "${env:P}"},
		Topics: []string{"ticks", "trades"}, LogLevel: "INFO",
		State: func() (State, string) { return s, trace },
		Offsets: func(context.Context) ([]Offset, error) {
			if s == Failed {
				return nil, errors.New("no broker answers")
			}
			return []Offset{{"ticks", 0, 12}, {"ticks", 1, 0}}, nil
		},
		Keys: []Key{
			{Name: "topics", Meaning: "What is read.", Type: "LIST", Required: true},
			{Name: "partitioner", Default: "auto", Type: "STRING", Allowed: []string{"auto", "crc32"}},
			{Name: "rest.basic.auth.password", Type: "PASSWORD"},
		},
		Check: func(settings map[string]string) map[string][]string {
			faults := map[string][]string{}
			if settings["topics"] == "" {
				faults["topics"] = []string{"no topic to audit"}
			}
			if _, ok := settings["tpics"]; ok {
				faults["tpics"] = []string{"unknown key; the nearest is topics"}
			}
			return faults
		},
		Control: &r,
	}, &r
}

const (
	configJSON = `{"connector.class":"auditstream.AuditSinkConnector","consumer.override.sasl.password":"${env:P}","name":"prices","topics":"ticks"}`
	infoJSON   = `{"name":"prices","config":` + configJSON + `,"tasks":[{"connector":"prices","task":0}],"type":"sink"}`
	idleJSON   = `{"name":"prices","config":` + configJSON + `,"tasks":[],"type":"sink"}`
	worker     = `"worker_id":"10.0.0.7:8083","version":"1.2.3"`
	running    = `{"name":"prices","connector":{"state":"RUNNING",` + worker + `},"tasks":[{"id":0,"state":"RUNNING",` + worker + `}],"type":"sink"}`
	restarting = `{"name":"prices","connector":{"state":"RESTARTING",` + worker + `},"tasks":[{"id":0,"state":"RESTARTING",` + worker + `}],"type":"sink"}`
	stopped    = `{"name":"prices","connector":{"state":"STOPPED",` + worker + `},"tasks":[],"type":"sink"}`
)

func fault(code, message string) string {
	return `{"error_code":` + code + `,"message":` + quoted(message) + `}`
}

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

var requests = []struct {
	state      State
	request    string // method, path and body
	code       int
	body       string // exact but for white space; "" for none
	controlled string
}{
	{Running, "GET /", 200, `{"version":"4.1.0","commit":"abc","kafka_cluster_id":"k-1"}`, ""},
	{Running, "HEAD /", 200, "", ""},
	{Running, "GET /connectors", 200, `["prices"]`, ""},
	{Running, "GET /connectors/", 200, `["prices"]`, ""},
	{Running, "GET /connectors/?expand=info", 200, `{"prices":{"info":` + infoJSON + `}}`, ""},
	{Running, "GET /connectors?expand=status", 200, `{"prices":{"status":` + running + `}}`, ""},
	{Running, "GET /connectors?expand=info&expand=status", 200, `{"prices":{"status":` + running + `,"info":` + infoJSON + `}}`, ""},
	{Running, "GET /connectors?expand=colour", 200, `{"prices":{}}`, ""},
	{Stopped, "GET /connectors?expand=info&expand=status", 200, `{"prices":{"status":` + stopped + `,"info":` + idleJSON + `}}`, ""},
	{Running, "GET /connectors/prices", 200, infoJSON, ""},
	{Running, "GET /connectors/prices/", 200, infoJSON, ""},
	{Running, "GET /connectors/other", 404, fault("404", "Connector other not found"), ""},
	{Running, "GET /connectors/prices/config", 200, configJSON, ""},
	{Running, "GET /connectors/other/config", 404, fault("404", "Connector other not found"), ""},
	{Running, "GET /connectors/prices/status", 200, running, ""},
	{Paused, "GET /connectors/prices/status", 200, strings.ReplaceAll(running, "RUNNING", "PAUSED"), ""},
	{Stopped, "GET /connectors/prices/status", 200, stopped, ""},
	{Restarting, "GET /connectors/prices/status", 200, restarting, ""},
	{Unassigned, "GET /connectors/prices/status", 200, strings.ReplaceAll(running, `"id":0,"state":"RUNNING"`, `"id":0,"state":"UNASSIGNED"`), ""},
	{Failed, "GET /connectors/prices/status", 200, strings.ReplaceAll(strings.ReplaceAll(running, "RUNNING", "FAILED"), `,"version"`, `,"trace":"lost","version"`), ""},
	{Running, "GET /connectors/other/status", 404, fault("404", "No status found for connector other"), ""},
	{Running, "GET /connectors/prices/tasks", 200, `[{"id":{"connector":"prices","task":0},"config":` + configJSON + `}]`, ""},
	{Stopped, "GET /connectors/prices/tasks", 200, `[]`, ""},
	{Running, "GET /connectors/prices/tasks/0/status", 200, `{"id":0,"state":"RUNNING",` + worker + `}`, ""},
	{Stopped, "GET /connectors/prices/tasks/0/status", 404, fault("404", "No status found for task prices-0"), ""},
	{Running, "GET /connectors/prices/tasks/1/status", 404, fault("404", "No status found for task prices-1"), ""},
	{Running, "POST /connectors/prices/tasks/0/restart", 204, "", "restart"},
	{Running, "POST /connectors/prices/tasks/1/restart", 404, fault("404", "Unknown task: prices-1"), ""},
	{Running, "PUT /connectors/prices/pause", 202, "", "pause"},
	{Running, "PUT /connectors/other/pause", 404, fault("404", "Unknown connector other"), ""},
	{Running, "PUT /connectors/prices/resume", 202, "", "resume"},
	{Running, "PUT /connectors/other/resume", 404, fault("404", "Unknown connector other"), ""},
	{Running, "PUT /connectors/prices/stop", 204, "", "stop"},
	{Running, "PUT /connectors/other/stop", 404, fault("404", "Unknown connector other"), ""},
	{Running, "POST /connectors/prices/restart", 204, "", "restart"},
	{Running, "POST /connectors/prices/restart?includeTasks=false&onlyFailed=false", 204, "", "restart"},
	{Running, "POST /connectors/prices/restart?includeTasks=true", 202, restarting, "restart"},
	{Running, "POST /connectors/prices/restart?includeTasks=true&onlyFailed=true", 202, running, ""},
	{Stopped, "POST /connectors/prices/restart?includeTasks=true", 202, stopped, "restart"},
	{Running, "POST /connectors/other/restart", 404, fault("404", "Unknown connector other"), ""},
	{Running, "GET /connectors/prices/topics", 200, `{"prices":{"topics":["ticks","trades"]}}`, ""},
	{Running, "GET /connectors/other/topics", 404, fault("404", "Connector other not found"), ""},
	{Running, "PUT /connectors/prices/topics/reset", 202, "", ""},
	{Running, "GET /connectors/prices/offsets", 200, `{"offsets":[{"partition":{"kafka_topic":"ticks","kafka_partition":0},"offset":{"kafka_offset":12}},{"partition":{"kafka_topic":"ticks","kafka_partition":1},"offset":{"kafka_offset":0}}]}`, ""},
	{Failed, "GET /connectors/prices/offsets", 500, fault("500", "Failed to list offsets of prices: no broker answers"), ""},
	{Running, "PATCH /connectors/prices/offsets {}", 400, fault("400", strings.ReplaceAll(notStopped, "%", "prices")), ""},
	{Stopped, "PATCH /connectors/prices/offsets {}", 405, fault("405", strings.ReplaceAll(fixedOffsets, "%", "prices")), ""},
	{Running, "DELETE /connectors/prices/offsets", 400, fault("400", strings.ReplaceAll(notStopped, "%", "prices")), ""},
	{Stopped, "DELETE /connectors/prices/offsets", 405, fault("405", strings.ReplaceAll(fixedOffsets, "%", "prices")), ""},
	{Running, `POST /connectors {"name":"prices","config":{}}`, 409, fault("409", "Connector prices already exists"), ""},
	{Running, `POST /connectors/ {"name":"more","config":{"tasks.max":2}}`, 405, fault("405", strings.ReplaceAll(oneConnector, "%", "prices")), ""},
	{Running, `POST /connectors {"config":{}}`, 400, fault("400", "Connector name is missing"), ""},
	{Running, `POST /connectors nonsense`, 400, fault("400", "Cannot read the request's JSON: invalid character 'o' in literal null (expecting 'u')"), ""},
	{Running, "PUT /connectors/prices/config " + configJSON, 200, infoJSON, ""},
	{Running, `PUT /connectors/prices/config {"topics":"others"}`, 405, fault("405", strings.ReplaceAll(fixedConfig, "%", "prices")), ""},
	{Running, `PUT /connectors/prices/config {"name":"more"}`, 400, fault("400", "Connector name configuration (more) doesn't match connector name in the URL (prices)"), ""},
	{Running, `PUT /connectors/more/config {"name":"more"}`, 405, fault("405", strings.ReplaceAll(oneConnector, "%", "prices")), ""},
	{Running, `PATCH /connectors/prices/config {"topics":null}`, 405, fault("405", strings.ReplaceAll(fixedConfig, "%", "prices")), ""},
	{Running, "DELETE /connectors/prices", 405, fault("405", strings.ReplaceAll(noDelete, "%", "prices")), ""},
	{Running, "DELETE /connectors/other", 404, fault("404", "Connector other not found"), ""},
	{Running, "GET /connector-plugins", 200, `[{"class":"auditstream.AuditSinkConnector","type":"sink","version":"1.2.3"}]`, ""},
	{Running, "GET /connector-plugins?connectorsOnly=false", 200, `[{"class":"auditstream.AuditSinkConnector","type":"sink","version":"1.2.3"},` +
		`{"class":"org.apache.kafka.connect.json.JsonConverter","type":"converter","version":"1.2.3"},` +
		`{"class":"org.apache.kafka.connect.storage.StringConverter","type":"converter","version":"1.2.3"}]`, ""},
	{Running, "GET /connector-plugins/Other/config", 404, fault("404", "Unknown plugin Other."), ""},
	{Running, "PUT /connector-plugins/Other/config/validate {}", 404, fault("404", "Unknown plugin Other."), ""},
	{Running, `PUT /connector-plugins/AuditSink/config/validate {"connector.class":"Other"}`, 400, fault("400", "Included connector type Other does not match request type AuditSink"), ""},
	{Running, "GET /admin/loggers", 200, `{"root":{"level":"INFO","last_modified":null}}`, ""},
	{Running, "GET /admin/loggers/root", 200, `{"level":"INFO","last_modified":null}`, ""},
	{Running, "GET /admin/loggers/kafka", 404, fault("404", "Logger kafka not found."), ""},
	{Running, "GET /nothing", 404, fault("404", "HTTP 404 Not Found"), ""},
	{Running, "GET /connectors/prices/nothing", 404, fault("404", "HTTP 404 Not Found"), ""},
	{Running, "POST /connectors/prices/pause", 405, fault("405", "HTTP 405 Method Not Allowed"), ""},
	{Running, "DELETE /", 405, fault("405", "HTTP 405 Method Not Allowed"), ""},
	{Running, "OPTIONS /connectors", 200, "", ""},
}

func ask(a *Audit, request string, headers ...string) *httptest.ResponseRecorder {
	method, rest, _ := strings.Cut(request, " ")
	path, body, _ := strings.Cut(rest, " ")
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<!doctype html>") })
	Handler(a, page).ServeHTTP(w, r)
	return w
}

func TestEveryAnswer(t *testing.T) {
	for _, test := range requests {
		trace := ""
		if test.state == Failed {
			trace = "lost"
		}
		a, control := audit(test.state, trace)
		w := ask(a, test.request)
		got := strings.TrimSpace(w.Body.String())
		if strings.HasPrefix(test.request, "HEAD") {
			got = "" // net/http's server leaves it out
		}
		if w.Code != test.code || got != test.body {
			t.Errorf("%s in state %d\n got %d %s\nwant %d %s", test.request, test.state, w.Code, got, test.code, test.body)
		}
		if got != "" && w.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%s: content type %q", test.request, w.Header().Get("Content-Type"))
		}
		if w.Code == http.StatusMethodNotAllowed && w.Header().Get("Allow") == "" {
			t.Errorf("%s: 405 without Allow", test.request)
		}
		if asked := strings.Join(control.asked, " "); asked != test.controlled {
			t.Errorf("%s: the audit was asked for %q, want %q", test.request, asked, test.controlled)
		}
	}
}

// Every route has a request above, with every code that its row promises.
func TestEveryRouteIsAsked(t *testing.T) {
	mux := http.NewServeMux()
	for _, r := range routes {
		mux.HandleFunc(r.method+" "+r.path+map[bool]string{true: "{$}"}[r.path == "/"], func(http.ResponseWriter, *http.Request) {})
	}
	seen := map[string][]string{}
	ask := func(request string, code int) {
		method, rest, _ := strings.Cut(request, " ")
		path, _, _ := strings.Cut(rest, " ")
		r := httptest.NewRequest(method, path, nil)
		if len(path) > 1 {
			r.URL.Path = strings.TrimRight(r.URL.Path, "/")
		}
		_, pattern := mux.Handler(r)
		seen[pattern] = append(seen[pattern], http.StatusText(code))
	}
	for _, test := range requests {
		ask(test.request, test.code)
	}
	for _, request := range schemaRequests {
		ask(request, 200)
	}
	for _, r := range routes {
		pattern := r.method + " " + r.path + map[bool]string{true: "{$}"}[r.path == "/"]
		for code := range strings.SplitSeq(r.codes, ", ") {
			if !slices.Contains(seen[pattern], statusText(code)) {
				t.Errorf("%s: no request above is answered with %s", pattern, code)
			}
		}
	}
}

func statusText(code string) string {
	var n int
	if err := json.Unmarshal([]byte(code), &n); err != nil {
		return err.Error()
	}
	return http.StatusText(n)
}

var schemaRequests = []string{
	"GET /connector-plugins/auditstream.AuditSinkConnector/config",
	`PUT /connector-plugins/AuditSink/config/validate {"connector.class":"AuditSinkConnector","topics":"","tpics":"secret","rest.basic.auth.password":"secret","partitioner":"crc32"}`,
}

func TestKeysAndValidation(t *testing.T) {
	a, _ := audit(Running, "")
	var keys []map[string]any
	if err := json.Unmarshal(ask(a, schemaRequests[0]).Body.Bytes(), &keys); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"name": "topics", "type": "LIST", "required": true, "default_value": nil, "importance": "HIGH", "documentation": "What is read.",
		"group": "auditstream", "order": 3.0, "width": "MEDIUM", "display_name": "topics", "dependents": []any{},
	}
	if len(keys) != 5 || !reflect.DeepEqual(keys[2], want) {
		t.Errorf("keys %v", keys)
	}
	w := ask(a, schemaRequests[1])
	var v validation
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
		t.Fatal(err)
	}
	if w.Code != 200 || v.Name != Class || v.ErrorCount != 2 || len(v.Configs) != 6 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	byName := map[string]keyValue{}
	for _, c := range v.Configs {
		byName[c.Value.Name] = c.Value
	}
	if got := byName["topics"].Errors; !slices.Equal(got, []string{"no topic to audit"}) {
		t.Errorf("topics: %q", got)
	}
	if got := byName["tpics"].Errors; !slices.Equal(got, []string{"unknown key; the nearest is topics"}) {
		t.Errorf("tpics: %q", got)
	}
	if got := byName["partitioner"]; *got.Value != "crc32" || len(got.Recommended) != 2 || len(got.Errors) != 0 || !got.Visible {
		t.Errorf("partitioner: %+v", got)
	}
	if strings.Contains(w.Body.String(), "secret") {
		t.Errorf("the answer tells a secret: %s", w.Body)
	}
}

func TestPageForBrowsersOnly(t *testing.T) {
	a, _ := audit(Running, "")
	for accept, page := range map[string]bool{
		"": false, "*/*": false, "application/json": false, "application/json, text/html;q=0.5": false,
		"text/html": true, "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": true,
	} {
		if got := strings.HasPrefix(ask(a, "GET /", "Accept", accept).Body.String(), "<!doctype"); got != page {
			t.Errorf("Accept %q: page %v", accept, got)
		}
	}
}

// A page of another site that its user looks at must not stop the audit.
func TestOtherSitesChangeNothing(t *testing.T) {
	a, control := audit(Running, "")
	for _, headers := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Origin", "http://evil.example"}} {
		w := ask(a, "POST /connectors/prices/restart", headers...)
		if w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), `"error_code":403`) || len(control.asked) > 0 {
			t.Errorf("%v: %d %s, asked for %v", headers, w.Code, w.Body, control.asked)
		}
	}
	if w := ask(a, "POST /connectors/prices/restart", "Origin", "http://example.com"); w.Code != http.StatusNoContent {
		t.Errorf("its own page: %d", w.Code)
	}
}
