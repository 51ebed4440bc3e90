package view

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/auditstream/auditstream/engine"
)

// Subject says in words what a finding is about, such as "symbol AAPL on
// partition 3" or "group orders on partition 0". Names are escaped, so that
// what stands in a record cannot steer the terminal.
func Subject(f *engine.Finding) string {
	var parts []string
	if f.Symbol != "" {
		parts = append(parts, "symbol "+Safe(f.Symbol))
	}
	if f.Group != "" {
		parts = append(parts, "group "+Safe(f.Group))
	}
	switch {
	case f.Partition != nil && len(parts) > 0:
		parts = append(parts, "on partition "+strconv.Itoa(int(*f.Partition)))
	case f.Partition != nil:
		parts = append(parts, "partition "+strconv.Itoa(int(*f.Partition)))
	case len(parts) == 0:
		parts = append(parts, "the whole topic")
	}
	return strings.Join(parts, " ")
}

// Safe escapes control characters: text of a report comes from records that
// anybody may have written, that of an error from files, arguments and servers.
func Safe(text string) string {
	clean := strings.IndexFunc(text, func(r rune) bool { return !strconv.IsPrint(r) }) < 0
	if clean {
		return text
	}
	quoted := strconv.Quote(text)
	return quoted[1 : len(quoted)-1]
}

// Measure is what was seen against what is allowed, such as "observed 412 ms,
// threshold 0 ms"; empty where the finding has no numbers.
func Measure(f *engine.Finding) string {
	if f.Observed == 0 && f.Threshold == 0 {
		return ""
	}
	unit := Safe(f.Unit)
	if unit != "" {
		unit = " " + unit
	}
	return fmt.Sprintf("observed %s%s, threshold %s%s", number(f.Observed), unit, number(f.Threshold), unit)
}

// number writes at most three decimals and no exponent for everyday values.
func number(v float64) string {
	text := strconv.FormatFloat(v, 'f', 3, 64)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// place is where in the log the finding rests, empty when no record stands
// for it.
func place(f *engine.Finding) string {
	switch {
	case f.FirstOffset < 0:
		return ""
	case f.LastOffset > f.FirstOffset:
		return fmt.Sprintf("offsets %d-%d", f.FirstOffset, f.LastOffset)
	}
	return fmt.Sprintf("offset %d", f.FirstOffset)
}

// Line is one event of a finding on one line: when, what became of it, how
// bad, which rule, about what, the numbers and the likely cause.
//
//	2026-11-29T18:04:28.120Z OPENED   WARNING  UPSTREAM_DISORDER    ticks symbol AAPL on partition 3, offset 512, count 1, observed 400 ms, threshold 0 ms: …
func (s Style) Line(at time.Time, f *engine.Finding) string {
	details := []string{Safe(f.Topic) + " " + Subject(f)}
	if p := place(f); p != "" {
		details = append(details, p)
	}
	details = append(details, "count "+strconv.FormatInt(f.Count, 10))
	if m := Measure(f); m != "" {
		details = append(details, m)
	}
	head := fmt.Sprintf("%-8s %-8s %-20s", f.State, f.Severity, f.Code)
	return s.Dim(at.UTC().Format("2006-01-02T15:04:05.000Z")) + " " + s.finding(f, head) + " " +
		strings.Join(details, ", ") + ": " + Safe(f.Cause)
}

// Block is one event of a finding with its cause and the next step, several
// lines, each after margin. A resolved finding needs no next step.
func (s Style) Block(margin string, f *engine.Finding) string {
	var b strings.Builder
	head := fmt.Sprintf("%-8s %-8s %s", f.State, f.Severity, f.Code)
	fmt.Fprintf(&b, "%s%s  %s", margin, s.finding(f, head), Subject(f))
	if p := place(f); p != "" {
		b.WriteString(", " + p)
	}
	fmt.Fprintf(&b, ", count %d\n", f.Count)
	if f.State == engine.Resolved {
		return b.String()
	}
	if m := Measure(f); m != "" {
		fmt.Fprintf(&b, "%s  %s\n", margin, s.Dim(m))
	}
	fmt.Fprintf(&b, "%s  cause: %s\n%s  next:  %s\n", margin, Safe(f.Cause), margin, Safe(f.Action))
	return b.String()
}
