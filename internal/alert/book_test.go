package alert

import (
	"testing"
	"time"

	"github.com/auditstream/auditstream/engine"
)

func finding(id string, state engine.State, count int64) engine.Finding {
	return engine.Finding{ID: id, Code: engine.UpstreamDisorder, State: state, Severity: engine.Warning, Topic: "ticks", Count: count}
}

func TestAnAlertOpensOnceAndResolvesOnce(t *testing.T) {
	const event, interval = engine.TriggerFinding, engine.TriggerInterval
	at := time.Date(2026, 11, 29, 18, 0, 0, 0, time.UTC)
	b := newBook("")
	for i, s := range []struct {
		why     string
		trigger engine.Trigger
		mode    string
		finding engine.Finding
		told    string
	}{
		{"over before the bridge came", event, "LIVE", finding("z", engine.Resolved, 1), ""},
		{"opens", event, "LIVE", finding("a", engine.Opened, 1), "open"},
		{"is mentioned", interval, "LIVE", finding("a", engine.Opened, 1), ""},
		{"grows", event, "LIVE", finding("a", engine.Updated, 5), ""},
		{"comes again after a crash", event, "LIVE", finding("a", engine.Opened, 1), ""},
		{"is history", event, "REPLAY", finding("h", engine.Opened, 1), ""},
		{"is below the severity", event, "LIVE", engine.Finding{ID: "i", Severity: engine.Info, State: engine.Opened}, ""},
		{"opened out of reach", interval, "LIVE", finding("b", engine.Updated, 9), "open"},
		{"is over", event, "LIVE", finding("a", engine.Resolved, 6), "resolved"},
		{"is over once more", event, "LIVE", finding("a", engine.Resolved, 6), ""},
		{"opens once more after a crash", event, "LIVE", finding("a", engine.Opened, 1), ""},
		{"is listed at the end", engine.TriggerFinal, "LIVE", finding("c", engine.Updated, 3), ""},
	} {
		r := &engine.Report{Trigger: s.trigger, Mode: s.mode, Findings: []engine.Finding{s.finding}}
		told := ""
		for _, a := range b.report(r, int64(i), at.Add(time.Duration(i)*time.Second), engine.Warning) {
			told = "open"
			if a.Resolved {
				told = "resolved"
			}
		}
		if told != s.told {
			t.Errorf("%s: told %q, want %q", s.why, told, s.told)
		}
	}
	if open := b.open(); len(open) != 1 || open[0].Finding.ID != "b" {
		t.Errorf("open are %v", open)
	}
	a := b.alerts["a"]
	if !a.StartsAt.Equal(at.Add(time.Second)) || !a.EndsAt.Equal(at.Add(8*time.Second)) || a.Finding.Count != 6 {
		t.Errorf("it lasted from %s to %s with count %d", a.StartsAt, a.EndsAt, a.Finding.Count)
	}
}

func TestWhatWasHeededBeforeACrashIsNotToldAgain(t *testing.T) {
	at := time.Date(2026, 11, 29, 18, 0, 0, 0, time.UTC)
	b := newBook("")
	b.alerts["a"] = &Alert{Offset: 20, StartsAt: at, Finding: finding("a", engine.Updated, 5)}
	r := &engine.Report{Trigger: engine.TriggerFinding, Mode: "LIVE", Findings: []engine.Finding{finding("a", engine.Resolved, 9)}}
	if told := b.report(r, 20, at, engine.Warning); len(told) != 0 {
		t.Errorf("told again: %v", told)
	}
	if told := b.report(r, 21, at, engine.Warning); len(told) != 1 {
		t.Errorf("not told: %v", told)
	}
}

// The severity of what may open is no filter of what goes on.
func TestTheSeverityDecidesWhatIsToldAndNotHowItEnds(t *testing.T) {
	at := time.Date(2026, 11, 29, 18, 0, 0, 0, time.UTC)
	b := newBook("")
	rated := func(id string, state engine.State, severity engine.Severity) engine.Finding {
		f := finding(id, state, 1)
		f.Severity = severity
		return f
	}
	for i, s := range []struct {
		finding engine.Finding
		told    int
	}{
		{rated("a", engine.Opened, engine.Critical), 1},
		{rated("b", engine.Opened, engine.Warning), 0},
		{rated("a", engine.Updated, engine.Warning), 0},
		{rated("b", engine.Updated, engine.Critical), 1}, // is what somebody wants to hear by now
		{rated("a", engine.Resolved, engine.Warning), 1},
		{rated("b", engine.Resolved, engine.Info), 1},
		{rated("c", engine.Resolved, engine.Critical), 0},
	} {
		r := &engine.Report{Trigger: engine.TriggerFinding, Mode: "LIVE", Findings: []engine.Finding{s.finding}}
		told := b.report(r, int64(i), at, engine.Critical)
		if len(told) != s.told {
			t.Fatalf("%d: told %v", i, told)
		}
		for _, a := range told {
			// Alertmanager knows an alert again by its labels.
			if got := (&alertmanager{name: "prices"}).postable(&a).Labels["severity"]; got != "critical" {
				t.Errorf("%d: severity %s", i, got)
			}
		}
	}
}

func TestOffsetsOfAFormerTopicCountForNothing(t *testing.T) {
	for _, c := range []struct {
		now, row string // topic ids
		offset   int64
		former   bool
	}{
		{"new", "old", 20, true},
		{"new", "new", 20, false},
		{"new", "", 20, false}, // from before rows named their topic
		{"new", "", 50, true},  // beyond the end: of another log, or one that was cut
		{"new", "new", 50, true},
		{"", "", 20, false}, // brokers without ids
		{"", "", 50, true},
		{"", "old", 20, false},
	} {
		b := newBook(c.now)
		b.alerts["a"] = &Alert{Offset: c.offset, TopicID: c.row, Finding: finding("a", engine.Opened, 1)}
		if former := b.settle(50); former != c.former {
			t.Errorf("%+v: former %v", c, former)
		}
		r := &engine.Report{Trigger: engine.TriggerFinding, Mode: "LIVE", Findings: []engine.Finding{finding("a", engine.Resolved, 1)}}
		told := b.report(r, 3, time.Time{}, engine.Warning)
		if len(told) == 1 != c.former {
			t.Errorf("%+v: told %v", c, told)
		}
		if len(told) == 1 && (told[0].TopicID != c.now || told[0].Offset != 3) {
			t.Errorf("%+v: the row is %+v", c, told[0])
		}
	}
}

func TestWhatIsOverIsForgottenInTheEnd(t *testing.T) {
	at := time.Date(2026, 11, 29, 18, 0, 0, 0, time.UTC)
	b := newBook("")
	b.alerts["a"] = &Alert{Resolved: true, EndsAt: at}
	b.alerts["b"] = &Alert{StartsAt: at}
	if over := b.forget(at.Add(keepResolved)); len(over) != 0 {
		t.Errorf("forgotten early: %v", over)
	}
	if over := b.forget(at.Add(keepResolved + 1)); len(over) != 1 || over[0] != "a" || b.alerts["b"] == nil {
		t.Errorf("forgotten %v", over)
	}
}

func TestPaceHoldsTheRate(t *testing.T) {
	p, now, sent := newPace(120), time.Date(2026, 11, 29, 18, 0, 0, 0, time.UTC), 0
	for end := now.Add(time.Minute); now.Before(end); {
		if delay := p.take(now); delay > 0 {
			now = now.Add(delay)
			continue
		}
		sent++
	}
	if sent != 12+119 { // what may come at once, and one every half second
		t.Errorf("%d requests in a minute", sent)
	}
}

func TestBackoffDoublesToItsLimit(t *testing.T) {
	var b backoff
	if first, second := b.next(), b.next(); first != firstWait || second != 2*firstWait {
		t.Errorf("waits %s, then %s", first, second)
	}
	for range 20 {
		b.next()
	}
	if last := b.next(); last != longestWait {
		t.Errorf("waits %s in the end", last)
	}
	if b.reset(); b.next() != firstWait {
		t.Error("does not begin anew")
	}
}
