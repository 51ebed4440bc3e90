package livepage

import (
	"bytes"
	"embed"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/auditstream/auditstream/engine"
)

//go:embed assets
var assets embed.FS

const (
	streamsMost = 32 // browsers that watch at the same time
	foundMost   = 50
	toldOf      = 5 // findings of a symbol
	queryMost   = 200
	sendTimeout = 10 * time.Second
)

// Page answers a browser at "/".
func (b *Board) Page() http.Handler { return file("index.html", "text/html; charset=utf-8") }

// Handler answers what the page asks for:
//
//	GET /page/page.css, /page/page.js  the rest of the page
//	GET /api/v1/...                    what it shows, as docs/rest.md tells
func (b *Board) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /page/page.css", file("page.css", "text/css; charset=utf-8"))
	mux.Handle("GET /page/page.js", file("page.js", "text/javascript; charset=utf-8"))
	for _, e := range endpoints {
		mux.HandleFunc("GET "+e.path, func(w http.ResponseWriter, r *http.Request) { e.answer(b, w, r) })
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusNotFound, "HTTP 404 Not Found")
	})
	return mux
}

func file(name, kind string) http.Handler {
	content, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", kind)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-cache")
		h.Set("Vary", "Accept")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
	})
}

// stream sends each event when it has changed, until the client or the audit
// ends.
func (b *Board) stream(w http.ResponseWriter, r *http.Request) {
	if !b.watch(1) {
		refuse(w, http.StatusServiceUnavailable, fmt.Sprintf("%d pages watch already", streamsMost))
		return
	}
	defer b.watch(-1)
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // or nginx holds events back
	control := http.NewResponseController(w)
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	sent := make([][]byte, len(events))
	due := make([]time.Time, len(events))
	for now := time.Now(); ; {
		var out bytes.Buffer
		for i, e := range events {
			if now.Before(due[i]) {
				continue
			}
			due[i] = now.Add(e.every - 100*time.Millisecond)
			if data := e.data(b); !bytes.Equal(data, sent[i]) {
				sent[i] = data
				fmt.Fprintf(&out, "event: %s\ndata: %s\n\n", e.name, data)
			}
		}
		if out.Len() == 0 {
			out.WriteString(": still here\n\n")
		}
		// The server's own limit is for answers that end.
		_ = control.SetWriteDeadline(time.Now().Add(sendTimeout))
		if _, err := w.Write(out.Bytes()); err != nil || control.Flush() != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-b.ended:
			return
		case now = <-ticker.C:
		}
	}
}

func (b *Board) watch(change int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.watched+change > streamsMost {
		return false
	}
	b.watched += change
	return true
}

// elsewhere is a partition on which a symbol would lie and that another
// process audits.
type elsewhere struct {
	Topic     string `json:"topic" doc:""`
	Partition int32  `json:"partition" doc:""`
}

// foundView is the answer to a search.
type foundView struct {
	Query     string      `json:"query" doc:"as it was asked"`
	Symbols   []Symbol    `json:"symbols" doc:"<symbol>"`
	More      bool        `json:"more" doc:"there are more than are told"`
	Elsewhere []elsewhere `json:"elsewhere" doc:"where the symbol of exactly that name would lie, if another instance audits it"`
	Others    bool        `json:"others" doc:"other instances have partitions that were not searched"`
}

func (b *Board) search(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query().Get("q")
	if query == "" || len(query) > queryMost {
		refuse(w, http.StatusBadRequest, "q is the text that symbols hold, 1 to "+strconv.Itoa(queryMost)+" bytes")
		return
	}
	// Those that are or begin with the text come before those that hold it.
	text := strings.ToUpper(query)
	found, exact := []Symbol{}, false
	seen := map[elsewhere]map[string]bool{}
	more := false
	for _, match := range []func(string) bool{
		func(name string) bool { return name == query },
		func(name string) bool { return len(name) >= len(text) && strings.EqualFold(name[:len(text)], text) },
		func(name string) bool { return strings.Contains(strings.ToUpper(name), text) },
	} {
		some, over := b.source.Symbols(match, foundMost)
		for _, s := range some {
			at := elsewhere{s.Topic, s.Partition}
			if seen[at][s.Symbol] {
				continue
			}
			if len(found) == foundMost {
				over = true
				break
			}
			if seen[at] == nil {
				seen[at] = map[string]bool{}
			}
			seen[at][s.Symbol] = true
			exact = exact || s.Symbol == query
			s.Findings = b.of(s.Topic, s.Symbol, toldOf)
			found = append(found, s)
		}
		if more = over; more {
			break
		}
	}
	result := foundView{query, found, more, []elsewhere{}, false}
	owned := map[elsewhere]bool{}
	for _, p := range b.source.Status().Partitions {
		owned[elsewhere{p.Topic, p.Partition}] = true
	}
	b.mu.Lock()
	for _, t := range b.topics {
		for n := range t.Partitions {
			result.Others = result.Others || !owned[elsewhere{t.Topic, n}]
		}
		hash, err := engine.PartitionerByName(t.Partitioner)
		if err != nil || exact {
			continue
		}
		if n, _, ok := hash.Place([]byte(query), false, t.Partitions); ok && !owned[elsewhere{t.Topic, n}] {
			result.Elsewhere = append(result.Elsewhere, elsewhere{t.Topic, n})
		}
	}
	b.mu.Unlock()
	answer(w, http.StatusOK, encode(result))
}

// codeView is what a finding code means.
type codeView struct {
	Code    string `json:"code" doc:""`
	Meaning string `json:"meaning" doc:""`
	Judged  string `json:"judged" doc:"how it is judged"`
	Action  string `json:"action" doc:"what to do next"`
}

func codes() []byte {
	all := []codeView{}
	for _, c := range engine.Codes() {
		all = append(all, codeView{c.Name, c.Meaning, c.Judged, c.Action})
	}
	return encode(all)
}

func refuse(w http.ResponseWriter, code int, message string) {
	answer(w, code, encode(struct {
		Code    int    `json:"error_code"`
		Message string `json:"message"`
	}{code, message}))
}

func answer(w http.ResponseWriter, code int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	w.Write(append(body, '\n')) // the client has gone when this fails
}
