package htmlreport

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/auditstream/auditstream/engine"
)

const t0 = int64(1735831800_000000000)

// audited gives the reports of a small topic with faults.
func audited(symbols ...string) []*engine.Report {
	l := engine.DefaultLimits()
	l.Replay = true
	topic := engine.NewTopic("ticks", 1, &l)
	p := engine.NewPartition("ticks", 0, 1, &l)
	for i := range int64(400) {
		at := t0 + i*1e9
		t := engine.Tick{Offset: i, RecordTime: at, EventTime: at, Symbol: []byte(symbols[i%int64(len(symbols))]), Unit: engine.UnitNanos}
		t.Key = t.Symbol
		switch i {
		case 49, 51, 300:
			t.EventTime -= 5e9
		case 100:
			t = engine.Tick{Offset: i, RecordTime: at, Kind: engine.Unreadable, Reason: engine.ReasonSyntax, Key: []byte("k"), Value: []byte("</pre><script>alert(1)</script>")}
		}
		p.Observe(&t, engine.NoTime)
	}
	p.Close(t0 + 400e9)
	s := p.Snapshot()
	topic.Fold(s.Stats)
	topic.Final("")
	return append(s.Reports, topic.Snapshot().Reports...)
}

func render(t *testing.T, p *Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func pageOf(reports []*engine.Report) *Page {
	p := &Page{}
	for _, r := range reports {
		p.Add(r)
	}
	return p
}

// The page must not load anything, and what stands in records must not become
// part of the page's own text.
func TestPageIsCompleteInItself(t *testing.T) {
	html := render(t, pageOf(audited("QXA", `<img src="http://evil/x">`, "Q\x00X")))
	if found := regexp.MustCompile(`(?i)<(script|iframe|object|embed|img|link rel="stylesheet)|https?://|@import|url\(`).FindString(strings.ReplaceAll(html, "http://evil/x", "")); found != "" {
		t.Errorf("the page has %q", found)
	}
	for _, want := range []string{
		"<title>Audit of ticks</title>", `name="viewport"`, "UPSTREAM_DISORDER", "UNREADABLE", "<svg", "Ticks by partition", "&lt;img src=",
	} {
		if !strings.Contains(html, want) {
			t.Errorf("the page has no %q", want)
		}
	}
}

// A page that was saved half way through is the same page.
func TestPageIsSavedAndRestored(t *testing.T) {
	reports := audited("QXA", "QXB")
	want := render(t, pageOf(reports))
	p := pageOf(reports[:len(reports)/2])
	saved, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	p = &Page{}
	if err := json.Unmarshal(saved, p); err != nil {
		t.Fatal(err)
	}
	for _, r := range reports[len(reports)/2:] {
		p.Add(r)
	}
	if got := render(t, p); got != want {
		t.Error("the page differs")
	}
}

func TestLongTimesMakeWiderBins(t *testing.T) {
	p := &Page{}
	r := &engine.Report{Topic: "ticks", Scope: engine.ScopePartition, Trigger: engine.TriggerInterval}
	for i := range int64(5000) {
		r.WindowStart, r.WindowEnd = engine.Time(t0+i*10e9), engine.Time(t0+(i+1)*10e9)
		r.Counts.Ticks = 3
		p.Add(r)
	}
	var ticks int64
	for _, b := range p.Topics[0].Bins {
		ticks += b.Ticks
	}
	if n := len(p.Topics[0].Bins); n > maxBins || n < maxBins/4 || ticks != 15000 {
		t.Errorf("%d bins, %d ticks", n, ticks)
	}
}

func TestEmptyPage(t *testing.T) {
	if html := render(t, &Page{}); !strings.Contains(html, "No report.") {
		t.Error("an empty page says nothing")
	}
}
