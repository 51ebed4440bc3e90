package connectapi

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// Handler answers the routes of docs/rest.md; page answers a browser at "/",
// nil for none. Everything unknown is a 404 in Connect's shape.
//
// Requests that change something are refused with 403 when a browser makes them
// for a page of another site: a listener without authentication would
// otherwise obey any page that its user looks at.
func Handler(a *Audit, page http.Handler) http.Handler {
	mux := http.NewServeMux()
	paths := map[string][]route{}
	var order []string
	for _, r := range routes {
		if paths[r.path] == nil {
			order = append(order, r.path)
		}
		paths[r.path] = append(paths[r.path], r)
	}
	for _, path := range order {
		pattern := path
		if path == "/" {
			pattern = "/{$}"
		}
		mux.Handle(pattern, dispatch(a, paths[path], page))
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { refuse(w, http.StatusNotFound, "HTTP 404 Not Found") })
	sameSite := http.NewCrossOriginProtection()
	sameSite.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusForbidden, "Requests for pages of other sites change nothing here")
	}))
	return sameSite.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Debezium's user interface and kcctl ask for /connectors/ at times.
		if path := strings.TrimRight(r.URL.Path, "/"); path != "" && path != r.URL.Path {
			r = r.Clone(r.Context())
			r.URL.Path, r.URL.RawPath = path, strings.TrimRight(r.URL.RawPath, "/")
		}
		mux.ServeHTTP(w, r)
	}))
}

// dispatch picks a path's route by method.
func dispatch(a *Audit, routes []route, page http.Handler) http.Handler {
	var allow []string
	for _, r := range routes {
		if !r.refused {
			allow = append(allow, r.method)
		}
		if r.method == http.MethodGet {
			allow = append(allow, http.MethodHead)
		}
	}
	slices.Sort(allow)
	allowed := strings.Join(append(allow, http.MethodOptions), ", ")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if page != nil && r.URL.Path == "/" && wantsPage(r) {
			page.ServeHTTP(w, r)
			return
		}
		method := r.Method
		if method == http.MethodHead {
			method = http.MethodGet
		}
		for _, route := range routes {
			if route.method != method {
				continue
			}
			r.Body = http.MaxBytesReader(w, r.Body, bodyMost)
			route.answer(&call{a, w, r, allowed})
			return
		}
		w.Header().Set("Allow", allowed)
		if method == http.MethodOptions {
			w.WriteHeader(http.StatusOK)
			return
		}
		refuse(w, http.StatusMethodNotAllowed, "HTTP 405 Method Not Allowed")
	})
}

const bodyMost = 1 << 20

// wantsPage reports whether the client would rather have HTML than JSON.
func wantsPage(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	weight := func(kind string) float64 {
		for part := range strings.SplitSeq(strings.Join(r.Header.Values("Accept"), ","), ",") {
			media, parameters, _ := strings.Cut(part, ";")
			if strings.TrimSpace(media) != kind {
				continue
			}
			q := 1.0
			for p := range strings.SplitSeq(parameters, ";") {
				if value, ok := strings.CutPrefix(strings.TrimSpace(p), "q="); ok && json.Unmarshal([]byte(value), &q) != nil {
					q = 0
				}
			}
			return q
		}
		return 0
	}
	return weight("text/html") > weight("application/json")
}

// call is one request under way.
type call struct {
	*Audit
	w http.ResponseWriter
	r *http.Request

	allowed string // methods of the path
}

func (c *call) ok(value any) { answer(c.w, http.StatusOK, value) }

func (c *call) refuse(code int, message string) { refuse(c.w, code, message) }

// empty answers without a body.
func (c *call) empty(code int) { c.w.WriteHeader(code) }

// known reports whether the path's connector is the audit; what is missing is
// said in the words of missing otherwise.
func (c *call) known(missing string) bool {
	name := c.r.PathValue("connector")
	if name == c.Name {
		return true
	}
	c.refuse(http.StatusNotFound, strings.ReplaceAll(missing, "{connector}", name))
	return false
}

// body reads the request's JSON; it answers 400 itself and reports false when
// that is none.
func (c *call) body(into any) bool {
	if err := json.NewDecoder(c.r.Body).Decode(into); err != nil {
		c.refuse(http.StatusBadRequest, "Cannot read the request's JSON: "+err.Error())
		return false
	}
	return true
}

func refuse(w http.ResponseWriter, code int, message string) {
	answer(w, code, errorMessage{code, message})
}

func answer(w http.ResponseWriter, code int, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		panic("BUG: an answer is no JSON: " + err.Error())
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	w.Write(append(body, '\n')) // the client has gone when this fails
}
