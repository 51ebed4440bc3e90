package main

import (
	"testing"

	"github.com/auditstream/auditstream/engine"
)

// What a run before has opened counts too while it is open at the end.
func TestFailOnCountsWhatIsOpen(t *testing.T) {
	for name, c := range map[string]struct {
		trigger engine.Trigger
		scope   engine.Scope
		finding engine.Finding
		fails   bool
	}{
		"opened":                   {engine.TriggerInterval, engine.ScopePartition, engine.Finding{State: engine.Opened, Severity: engine.Warning}, true},
		"opened, below":            {engine.TriggerInterval, engine.ScopePartition, engine.Finding{State: engine.Opened, Severity: engine.Info}, false},
		"goes on":                  {engine.TriggerInterval, engine.ScopeTopic, engine.Finding{State: engine.Updated, Severity: engine.Critical}, false},
		"open at the end":          {engine.TriggerFinal, engine.ScopeTopic, engine.Finding{State: engine.Updated, Severity: engine.Warning}, true},
		"open at the end, below":   {engine.TriggerFinal, engine.ScopeTopic, engine.Finding{State: engine.Updated, Severity: engine.Info}, false},
		"over at the end":          {engine.TriggerFinal, engine.ScopeTopic, engine.Finding{State: engine.Resolved, Severity: engine.Critical}, false},
		"opened again at the last": {engine.TriggerFinal, engine.ScopeTopic, engine.Finding{State: engine.Opened, Severity: engine.Critical}, true},
	} {
		f := &failOn{severity: engine.Warning}
		never := &failOn{never: true}
		r := &engine.Report{Trigger: c.trigger, Scope: c.scope, Findings: []engine.Finding{c.finding}}
		f.report(r)
		never.report(r)
		if (f.err() != nil) != c.fails || never.err() != nil {
			t.Errorf("%s: %v, never: %v", name, f.err(), never.err())
		}
	}
}
