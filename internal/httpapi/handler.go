package httpapi

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Build says which program answers.
type Build struct {
	Version   string
	Commit    string
	GoVersion string
}

// Handler answers
//
//	GET /healthz  200 while the process answers at all
//	GET /readyz   200 after recovery and while no partition stands still,
//	              otherwise 503 with the reasons
//	GET /metrics  the metrics of docs/metrics.md
//
// and everything else with an error in Kafka Connect's shape. Both of the first
// say what the audit was asked to do. status is asked once a request, but not
// for /healthz, which must answer whatever the audit does; both functions must
// be safe to call at any time, and doing must answer at once.
func Handler(build Build, status func() Status, doing func() Doing) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, health{"ok", told(doing())})
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		s := status()
		if len(s.NotReady) == 0 {
			writeJSON(w, http.StatusOK, readiness{true, []string{}, told(doing())})
			return
		}
		writeJSON(w, http.StatusServiceUnavailable, readiness{false, s.NotReady, told(doing())})
	})
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry(build, status), promhttp.HandlerOpts{}))
	known := map[string]bool{"/healthz": true, "/readyz": true, "/metrics": true}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if known[r.URL.Path] {
			w.Header().Set("Allow", "GET, HEAD")
			writeError(w, http.StatusMethodNotAllowed, "HTTP 405 Method Not Allowed")
			return
		}
		writeError(w, http.StatusNotFound, "HTTP 404 Not Found")
	})
	return mux
}

type health struct {
	Status string `json:"status"`
	asked
}

type readiness struct {
	Ready   bool     `json:"ready"`
	Reasons []string `json:"reasons"` // why it is not ready
	asked
}

// asked is what the audit was asked to do. Who has asked is left out: these
// answers are for everybody.
type asked struct {
	State string     `json:"state"`
	Since *time.Time `json:"since,omitempty"`
	Note  string     `json:"note,omitempty"`
}

func told(d Doing) asked {
	a := asked{State: d.State, Note: d.Note}
	if !d.Since.IsZero() {
		since := d.Since.UTC().Truncate(time.Millisecond)
		a.Since = &since
	}
	return a
}

// writeError has the shape of Kafka Connect's errors
// (org.apache.kafka.connect.runtime.rest.entities.ErrorMessage).
func writeError(w http.ResponseWriter, code int, message string) {
	writeJSON(w, code, struct {
		Code    int    `json:"error_code"`
		Message string `json:"message"`
	}{code, message})
}

func writeJSON(w http.ResponseWriter, code int, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(code)
	w.Write(append(body, '\n')) // the client has gone when this fails
}
