package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestHealthcheck(t *testing.T) {
	ready := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/readyz":
		case "/paused":
			_, _ = w.Write([]byte(`{"ready":true,"reasons":[],"state":"PAUSED","note":"paused as asked"}`))
		case "/stopped":
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = w.Write([]byte(`{"ready":false,"reasons":["auditstream-prices: stopped as asked"]}`))
		default:
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = w.Write([]byte(`{"ready":false,"reasons":["ticks/0 is recovering"]}`))
		}
	}))
	defer ready.Close()
	gone := httptest.NewServer(nil)
	gone.Close()
	for url, want := range map[string]struct {
		code int
		said string
	}{
		ready.URL + "/readyz":  {exitDone, ""},
		ready.URL + "/paused":  {exitDone, "note: paused as asked\n"},
		ready.URL + "/other":   {exitFailed, "503 Service Unavailable: {\"ready\":false,\"reasons\":[\"ticks/0 is recovering\"]}"},
		ready.URL + "/stopped": {exitFailed, "try: curl -X PUT " + ready.URL + "/connectors/NAME/resume"},
		gone.URL + "/readyz":   {exitFailed, "connection refused"},
		"localhost:8083":       {exitUsage, "is no http:// or https:// address"},
	} {
		var out, said bytes.Buffer
		code := run(t.Context(), []string{"healthcheck", url}, strings.NewReader(""), &out, &said, nil)
		if code != want.code || !strings.Contains(said.String(), want.said) {
			t.Errorf("%s: exit code %d, %s", url, code, &said)
		}
	}
}
