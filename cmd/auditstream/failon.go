package main

import (
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/auditstream/auditstream/engine"
)

// failOn is the flag --fail-on: from which severity findings make the exit
// code 3.
type failOn struct {
	never    bool
	severity engine.Severity
	seen     atomic.Int64 // opened by this process
	open     atomic.Int64 // open at the end, by the FINAL reports of topics
}

// registerFailOn adds the flag with its default, "never" or a severity.
func registerFailOn(cmd *cobra.Command, value string) *failOn {
	f := &failOn{}
	if err := f.Set(value); err != nil {
		panic("BUG: " + err.Error())
	}
	cmd.Flags().Var(f, "fail-on", "exit 3 when there are findings of this `SEVERITY` or above: never, INFO, WARNING or CRITICAL")
	return f
}

// String, Set and Type make failOn a flag.
func (f *failOn) String() string {
	if f.never {
		return "never"
	}
	return f.severity.String()
}

// Set reads the flag's value.
func (f *failOn) Set(value string) error {
	f.never = strings.EqualFold(value, "never")
	if f.never {
		return nil
	}
	if err := f.severity.UnmarshalText([]byte(strings.ToUpper(value))); err != nil {
		return usagef("%q is none of never, INFO, WARNING, CRITICAL", value)
	}
	return nil
}

// Type is what help calls the value.
func (f *failOn) Type() string { return "SEVERITY" }

// report counts the findings that a report opens, and those of a run before
// that are open at the end: a run that was killed and is tried again must not
// pass for having been told already. It may be called from several goroutines.
func (f *failOn) report(r *engine.Report) {
	final := r.Trigger == engine.TriggerFinal && r.Scope == engine.ScopeTopic
	for i := range r.Findings {
		one := &r.Findings[i]
		if one.State == engine.Opened {
			f.finding(one.Severity)
		}
		if final && one.State != engine.Resolved && !f.never && one.Severity >= f.severity {
			f.open.Add(1)
		}
	}
}

func (f *failOn) finding(severity engine.Severity) {
	if !f.never && severity >= f.severity {
		f.seen.Add(1)
	}
}

// err is nil, or what makes the exit code 3.
func (f *failOn) err() error {
	if n := max(f.seen.Load(), f.open.Load()); n > 0 {
		return findingsError{int(n), f.severity.String()}
	}
	return nil
}
