package livepage

import (
	"fmt"
	"net/http"
	"reflect"
	"strings"
)

// endpoint is a row of the part of docs/rest.md about /api/v1.
type endpoint struct {
	path, asks, meaning string
	answer              func(*Board, http.ResponseWriter, *http.Request)
}

// endpoints are in the order of the page.
var endpoints = []endpoint{
	{"/api/v1/state", "", "how the audit stands: a `state` as below", func(b *Board, w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, b.state())
	}},
	{"/api/v1/events", "", fmt.Sprintf("server-sent events `state`, `partitions` and `samples`, each when it has changed, until the audit ends; 503 for more than %d at a time", streamsMost),
		(*Board).stream},
	{"/api/v1/symbols", fmt.Sprintf("`q`, 1 to %d bytes", queryMost),
		fmt.Sprintf("`found`: at most %d symbols of this instance's partitions whose names hold the text, case aside, those that begin with it first; 400 without a text", foundMost),
		(*Board).search},
	{"/api/v1/codes", "", "a list of `code`: what findings mean, as in [findings.md](findings.md)", func(_ *Board, w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, codes())
	}},
}

// shapes are the objects of the answers.
var shapes = []struct {
	name  string
	about string
	of    any
}{
	{"state", "The event is looked at every second.", stateView{}},
	{"topic", "Of a topic as its last report tells it, in the instance that writes it.", topicView{}},
	{"proof", "Where a busy symbol lies, and where its key would.", proof{}},
	{"finding", "The names are those of the reports, times in milliseconds since 1970.", story{}},
	{"partitions", "An event alone, looked at every 2 s.", partitionsView{}},
	{"hot", "", hot{}},
	{"samples", "An event alone, every 5 s; lists of the same length, oldest first, half an hour of them.", samples{}},
	{"found", "", foundView{}},
	{"symbol", "A symbol on one partition; one that is split is there once a partition.", Symbol{}},
	{"elsewhere", "Where a symbol would lie that this instance does not audit.", elsewhere{}},
	{"code", "", codeView{}},
}

// APISection is the part of docs/rest.md about /api/v1.
func APISection() string {
	var b strings.Builder
	b.WriteString("## The page's own API\n\n" +
		"What the page shows is there for scripts too, as JSON, by `GET` on the same address and for the same people. It is of the\n" +
		"instance that answers. Within `v1` fields are added, never renamed or taken away; alerts are better made from\n" +
		"[metrics](metrics.md) and from the audit topic, which remember.\n\n" +
		"    curl -s http://127.0.0.1:8083/api/v1/state | jq '{state, lag, open}'\n" +
		"    curl -s 'http://127.0.0.1:8083/api/v1/symbols?q=AAPL' | jq .symbols\n" +
		"    curl -sN http://127.0.0.1:8083/api/v1/events\n\n" +
		"| path | parameters | answer |\n|---|---|---|\n")
	for _, e := range endpoints {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", e.path, e.asks, e.meaning)
	}
	b.WriteString("\nErrors are Connect's `{\"error_code\",\"message\"}`. `null` is what is not known or not there.\n")
	for _, s := range shapes {
		fmt.Fprintf(&b, "\n**%s**", s.name)
		if s.about != "" {
			b.WriteString(". " + s.about)
		}
		b.WriteString("\n\n| field | meaning |\n|---|---|\n")
		for _, f := range fieldsOf(reflect.TypeOf(s.of)) {
			fmt.Fprintf(&b, "| `%s` | %s |\n", f.name, f.meaning)
		}
	}
	return b.String() + "\n"
}

// asCode makes Markdown's code of what stands in <>: no tag can hold backticks.
var asCode = strings.NewReplacer("<", "`", ">", "`")

type field struct{ name, meaning string }

// fieldsOf are the fields of an object as JSON has them, with their meaning,
// which stands beside each as its tag doc.
func fieldsOf(t reflect.Type) (fields []field) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous:
			fields = append(fields, fieldsOf(f.Type)...)
		case name != "":
			fields = append(fields, field{name, asCode.Replace(f.Tag.Get("doc"))})
		}
	}
	return fields
}
