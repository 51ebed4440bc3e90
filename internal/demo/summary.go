package demo

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/view"
)

// Summary is how a demo ended.
type Summary struct {
	Outcomes []*Outcome
	Harmless []*Fault         // that must bring about nothing
	Others   []engine.Finding // findings at WARNING or above that no fault accounts for
	Ticks    int64            // written by the producers
	Early    bool             // stopped before the schedule was over
}

// Err is nil when every fault that was injected was found, and nothing else
// at WARNING or above. A fault that was stopped before its finding could be
// due is not held against the audit.
func (s *Summary) Err() error {
	var missing, others []string
	for _, o := range s.Outcomes {
		if o.Found.IsZero() && !s.Early {
			missing = append(missing, o.Expect.Code.String()+" of "+o.Expect.Subject())
		} else if !o.Blamed && !s.Early {
			missing = append(missing, o.Expect.Code.String()+" as of "+o.Expect.Blames)
		}
	}
	for i := range s.Others {
		others = append(others, s.Others[i].Code.String()+" of "+view.Subject(&s.Others[i]))
	}
	switch {
	case len(missing) > 0 && len(others) > 0:
		return fmt.Errorf("not found: %s; found without a fault: %s", strings.Join(missing, ", "), strings.Join(others, ", "))
	case len(missing) > 0:
		return fmt.Errorf("not found: %s", strings.Join(missing, ", "))
	case len(others) > 0:
		return fmt.Errorf("found without a fault: %s", strings.Join(others, ", "))
	}
	return nil
}

// Table writes the summary for a person.
func (s *Summary) Table(style view.Style) string {
	var b strings.Builder
	const row = "%-16s %-22s %-15s %-11s %-7s %s\n"
	b.WriteString(style.Bold(fmt.Sprintf(row, "fault", "finding", "of", "partition", "after", "")))
	injected, found := 0, 0
	for _, o := range s.Outcomes {
		after, note := "-", style.Bad("not found")
		switch {
		case !o.Found.IsZero():
			found++
			after = took(o.Found.Sub(o.Injected))
			note = style.Good("found")
			if o.Resolved {
				note = style.Good("found, resolved")
			}
			if !o.Blamed {
				note = style.Bad("found, but not as of " + o.Expect.Blames)
			}
		case o.Injected.IsZero():
			note = "not injected"
		case s.Early:
			note = "not found yet"
		}
		if !o.Injected.IsZero() {
			injected++
		}
		fmt.Fprintf(&b, row, o.Fault.Name, o.Expect.Code, o.Expect.Subject(), numbers(o.Expect.Partitions), after, note)
	}
	for _, f := range s.Harmless {
		fmt.Fprintf(&b, row, f.Name, "-", "", "", "-", "is no fault: nothing to find")
	}
	for i := range s.Others {
		f := &s.Others[i]
		fmt.Fprintf(&b, "%s %-22s %s: %s\n", style.Bad(fmt.Sprintf("%-16s", "no fault")), f.Code, view.Subject(f), f.Cause)
	}
	fmt.Fprintf(&b, "%d of %d findings of injected faults found, %s at WARNING or above, in %s\n",
		found, injected, engine.Plural(int64(len(s.Others)), "other"), engine.Plural(s.Ticks, "tick"))
	return b.String()
}

func numbers(partitions []int32) string {
	var text []string
	for _, p := range partitions {
		text = append(text, strconv.Itoa(int(p)))
	}
	return strings.Join(text, ",")
}

// took writes a time in which something was found, in milliseconds below a
// second.
func took(d time.Duration) string {
	if d < time.Second {
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	}
	return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
}

// clock writes the time since the demo began.
func clock(d time.Duration) string { return fmt.Sprintf("%6.1fs", d.Seconds()) }
