package view_test

import (
	"strings"
	"testing"
	"time"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/view"
)

func disorder(state engine.State, count int64) engine.Finding {
	p := int32(3)
	return engine.Finding{
		ID: "a", Code: engine.UpstreamDisorder, State: state, Severity: engine.Warning, Topic: "ticks",
		Partition: &p, Symbol: "AAPL", FirstOffset: 512, LastOffset: 540, Count: count,
		Observed: 412.5, Unit: "ms", Cause: "a step back", Action: "check the producer",
	}
}

func TestLineTellsAFindingOnOneLine(t *testing.T) {
	f := disorder(engine.Opened, 7)
	at := time.Date(2026, 11, 29, 18, 4, 28, 120e6, time.UTC)
	got := view.Style{}.Line(at, &f)
	want := "2026-11-29T18:04:28.120Z OPENED   WARNING  UPSTREAM_DISORDER    ticks symbol AAPL on partition 3, offsets 512-540, count 7, observed 412.5 ms, threshold 0 ms: a step back"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestBlockTellsCauseAndNextStepWhileItLasts(t *testing.T) {
	f := disorder(engine.Opened, 7)
	got := view.Style{}.Block("  ", &f)
	for _, want := range []string{"UPSTREAM_DISORDER  symbol AAPL on partition 3", "cause: a step back", "next:  check the producer"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
	f.State = engine.Resolved
	if got := (view.Style{}).Block("  ", &f); strings.Contains(got, "next") || strings.Count(got, "\n") != 1 {
		t.Errorf("a resolved finding tells a next step:\n%s", got)
	}
}

func TestColourOnlyWhenAsked(t *testing.T) {
	f := disorder(engine.Opened, 1)
	if got := (view.Style{}).Line(time.Time{}, &f); strings.Contains(got, "\x1b") {
		t.Errorf("plain style wrote an escape code: %q", got)
	}
	if got := (view.Style{Colour: true}).Line(time.Time{}, &f); !strings.Contains(got, "\x1b[33mOPENED") {
		t.Errorf("no colour in %q", got)
	}
}

func TestTextOfARecordCannotSteerTheTerminal(t *testing.T) {
	f := disorder(engine.Opened, 1)
	f.Symbol, f.Cause = "A\x1b[2J", "first\nsecond"
	if got := (view.Style{}).Line(time.Time{}, &f); strings.ContainsAny(got, "\x1b\n") {
		t.Errorf("control characters reached the terminal: %q", got)
	}
}

func TestSubject(t *testing.T) {
	p := int32(2)
	for want, f := range map[string]engine.Finding{
		"symbol X on partition 2": {Symbol: "X", Partition: &p},
		"symbol X":                {Symbol: "X"},
		"group g on partition 2":  {Group: "g", Partition: &p},
		"partition 2":             {Partition: &p},
		"the whole topic":         {},
	} {
		if got := view.Subject(&f); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestTrackerTellsEachChangeOnce(t *testing.T) {
	const interval, finding = engine.TriggerInterval, engine.TriggerFinding
	steps := []struct {
		why     string
		trigger engine.Trigger
		state   engine.State
		count   int64
		told    bool
	}{
		{"opened", finding, engine.Opened, 1, true},
		{"mentioned by an interval report", interval, engine.Opened, 1, false},
		{"mentioned with a higher count", interval, engine.Opened, 3, false},
		{"mentioned as it stands by the next interval report", interval, engine.Updated, 3, false},
		{"updated", finding, engine.Updated, 5, true},
		{"repeated after a crash", finding, engine.Updated, 5, false},
		{"mentioned with a higher count by an interval report", interval, engine.Updated, 6, false},
		{"as it stands at the end of a run", engine.TriggerFinal, engine.Updated, 7, true},
		{"the same again by the next run's end", engine.TriggerFinal, engine.Updated, 7, false},
		{"updated again", finding, engine.Updated, 9, true},
		{"opened again by a repeat", finding, engine.Opened, 1, false},
		{"resolved", finding, engine.Resolved, 9, true},
		{"mentioned by the final report", engine.TriggerFinal, engine.Resolved, 9, false},
		{"repeated after it was over", finding, engine.Updated, 9, false},
	}
	var tracker view.Tracker
	for _, s := range steps {
		r := &engine.Report{Trigger: s.trigger, Findings: []engine.Finding{disorder(s.state, s.count)}}
		if got := len(tracker.Events(r)) == 1; got != s.told {
			t.Errorf("%s: told %t, want %t", s.why, got, s.told)
		}
	}
}

func TestTrackerTellsWhatWasOpenBeforeItCame(t *testing.T) {
	var tracker view.Tracker
	r := &engine.Report{Trigger: engine.TriggerInterval, Findings: []engine.Finding{disorder(engine.Updated, 4)}}
	if len(tracker.Events(r)) != 1 {
		t.Error("a finding that was open before is not told")
	}
	over := disorder(engine.Resolved, 4)
	over.ID = "b"
	r.Findings = []engine.Finding{over}
	if len(tracker.Events(r)) != 0 {
		t.Error("a finding that was over before is told")
	}
}
