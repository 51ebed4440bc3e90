package engine

import "fmt"

// Damaged tells that a capture holds what is no record of any partition: lines
// that do not say which record they are, the first of them at line first; or,
// with no lines, that the file ends in the middle of itself. Both are told as
// UNREADABLE of the topic, since nothing else says that records are missing.
func (t *Topic) Damaged(input string, lines, first int64) {
	subject, cause := "input/cut", input+" ends in the middle: what followed was not audited"
	if lines > 0 {
		subject = "input/lines"
		cause = fmt.Sprintf("%s of %s left out for want of a place: topic, partition and offset cannot be read; the first is line %d", plural(lines, "line"), input, first)
	}
	f := t.newFinding(UnreadableValue, subject, -1)
	f.Count, f.Observed, f.Unit = max(lines, 1), float64(lines), "lines"
	f.Cause = cause
	f.Action = "Make the capture again, or take its counts as those of a part; auditstream replay without --input reads the topic itself."
	f.Evidence["kind"] = subject
	if lines > 0 {
		f.Evidence["first_line"] = first
	}
	t.openFinding(subject, f)
}
