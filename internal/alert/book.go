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
	TopicID  string         `json:"topic_id"`  // of the audit topic that the offset lies in; empty on brokers without ids
	Finding  engine.Finding `json:"finding"`

	// OpenedAs is the severity that it opened with, once the finding has another.
	OpenedAs *engine.Severity `json:"opened_as,omitempty"`

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

// severity is the one that it opened with: targets tell alerts apart by it.
func (a *Alert) severity() engine.Severity {
	if a.OpenedAs != nil {
		return *a.OpenedAs
	}
	return a.Finding.Severity
}

// heed takes the latest of the finding.
func (a *Alert) heed(f *engine.Finding, offset int64, topicID string) {
	if opened := a.severity(); opened != f.Severity {
		a.OpenedAs = &opened
	}
	a.Finding, a.Offset, a.TopicID = *f, offset, topicID
}

// keepResolved is how long the table remembers what is over, so that reports
// that a crash has repeated open nothing again.
const keepResolved = time.Hour

// book holds the alerts of one partition of the audit topic.
type book struct {
	topicID string            // of the audit topic
	alerts  map[string]*Alert // by finding_id
}

func newBook(topicID string) *book { return &book{topicID, map[string]*Alert{}} }

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
		if f.ID == "" {
			continue
		}
		a, known := b.alerts[f.ID]
		switch {
		case !known && (f.State == engine.Resolved || f.Severity < least):
			// Opened out of reach, or nobody wants to hear of it. What was told
			// goes on to its end, whatever its severity is by then.
		case !known:
			a = &Alert{StartsAt: at, Offset: offset, TopicID: b.topicID, Finding: *f}
			b.alerts[f.ID] = a
			told = append(told, *a)
		case a.Resolved, offset <= a.Offset:
			// Told as over, or heeded before a crash.
		case f.State == engine.Resolved:
			a.Resolved, a.EndsAt = true, latest(a.StartsAt, at)
			a.heed(f, offset, b.topicID)
			told = append(told, *a)
		case f.Count >= a.Finding.Count:
			// Not a word for every update: the next repeat tells the numbers.
			a.heed(f, offset, b.topicID)
		}
	}
	return told
}

// settle makes the rows of the table count for the audit topic as it is now,
// which ends at end. Offsets of a topic of that name that was deleted say
// nothing of this one's; it tells whether there are any. A row that names no
// topic is taken to be of this one unless its offset lies beyond the end.
func (b *book) settle(end int64) (former bool) {
	for _, a := range b.alerts {
		other := a.TopicID != "" && b.topicID != "" && a.TopicID != b.topicID
		if other || a.Offset >= end {
			a.Offset, former = -1, true
		}
		a.TopicID = b.topicID
	}
	return former
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
