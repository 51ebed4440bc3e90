package httpapi

import (
	"encoding/json"
	"net/http"

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
// and everything else with an error in Kafka Connect's shape. status is asked
// once a request; it must be safe to call at any time.
func Handler(build Build, status func() Status) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]any{"status": "ok"})
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		s := status()
		if len(s.NotReady) == 0 {
			writeJSON(w, http.StatusOK, readiness{Ready: true, Reasons: []string{}})
			return
		}
		writeJSON(w, http.StatusServiceUnavailable, readiness{Reasons: s.NotReady})
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

type readiness struct {
	Ready   bool     `json:"ready"`
	Reasons []string `json:"reasons"` // why it is not ready
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
