package alert

import (
	"maps"
	"slices"
	"time"

	"github.com/auditstream/auditstream/engine"
)

// Alert is what a target is told of one finding. It is also the value of a row
// of the table topic, under the finding's id.
type Alert struct {
	Resolved bool           `json:"resolved"`
	StartsAt time.Time      `json:"starts_at"` // time of the report that told it first
	EndsAt   time.Time      `json:"ends_at"`   // of the report that resolved it; zero while it is open
	Offset   int64          `json:"offset"`    // of the last report heeded, on the row's own partition of the audit topic
	Finding  engine.Finding `json:"finding"`

	test bool // of no finding, by which a person sees that alerts arrive
}

// testCode stands where others have the code of a finding, so that no rule for
// findings takes a test for one.
const testCode = "TEST"

// code is the finding's, or that of a test.
func (a *Alert) code() string {
	if a.test {
		return testCode
	}
	return a.Finding.Code.String()
}

// keepResolved is how long the table remembers what is over, so that reports
// that a crash has repeated open nothing again.
const keepResolved = time.Hour

// book holds the alerts of one partition of the audit topic.
type book struct {
	alerts map[string]*Alert // by finding_id
}

func newBook() *book { return &book{map[string]*Alert{}} }

// report takes one report in, and returns what the target has to be told, in
// order: alerts that open and alerts that resolve. at is the report's own time.
//
// A FINDING report tells what has happened; an INTERVAL report lists again
// what is open, by which a finding is known whose first report is out of
// reach. A FINAL report lists what was told before, and a replay is history.
func (b *book) report(r *engine.Report, offset int64, at time.Time, least engine.Severity) []Alert {
	if r.Mode == "REPLAY" || r.Trigger == engine.TriggerFinal {
		return nil
	}
	var told []Alert
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Severity < least || f.ID == "" {
			continue
		}
		a, known := b.alerts[f.ID]
		switch {
		case !known && f.State != engine.Resolved:
			a = &Alert{StartsAt: at, Offset: offset, Finding: *f}
			b.alerts[f.ID] = a
			told = append(told, *a)
		case !known, a.Resolved, offset <= a.Offset:
			// Opened out of reach, told as over, or heeded before a crash.
		case f.State == engine.Resolved:
			a.Resolved, a.EndsAt, a.Offset, a.Finding = true, latest(a.StartsAt, at), offset, *f
			told = append(told, *a)
		case f.Count >= a.Finding.Count:
			// Not a word for every update: the next repeat tells the numbers.
			a.Offset, a.Finding = offset, *f
		}
	}
	return told
}

// open are the alerts that are not over, by id.
func (b *book) open() []Alert {
	var open []Alert
	for _, id := range slices.Sorted(maps.Keys(b.alerts)) {
		if a := b.alerts[id]; !a.Resolved {
			open = append(open, *a)
		}
	}
	return open
}

// forget drops what has been over for long, and returns its ids.
func (b *book) forget(now time.Time) []string {
	var over []string
	for id, a := range b.alerts {
		if a.Resolved && now.Sub(a.EndsAt) > keepResolved {
			over = append(over, id)
			delete(b.alerts, id)
		}
	}
	slices.Sort(over)
	return over
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
