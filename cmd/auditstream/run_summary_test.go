package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/view"
)

// What a person is told at the end of a run, from the reports that were
// written.
func TestEndOfARunInWords(t *testing.T) {
	finding := func(code engine.Code, state engine.State) engine.Finding {
		return engine.Finding{Code: code, State: state}
	}
	ticks := &engine.Report{
		Topic: "ticks", Scope: engine.ScopeTopic, Trigger: engine.TriggerFinal, Status: engine.StatusHealthy, Symbols: 1, Partitions: 4,
		Counts: engine.Counts{Records: 303, Ticks: 300, Unreadable: 2, Unusable: 1}, FindingsTotal: 9,
		Findings: []engine.Finding{
			finding(engine.UpstreamDisorder, engine.Updated), finding(engine.SymbolSplit, engine.Updated),
			finding(engine.UpstreamDisorder, engine.Opened), finding(engine.ClockSkew, engine.Resolved),
		},
	}
	trades := &engine.Report{Topic: "trades", Scope: engine.ScopeTopic, Trigger: engine.TriggerFinal, Status: engine.StatusHealthy, Partitions: 1}
	const where = "reports are on topic ticks.audit: auditstream watch --from-beginning\n"
	for name, c := range map[string]struct {
		reports []*engine.Report
		stopped bool
		want    string
	}{
		"to the end": {[]*engine.Report{ticks, trades}, false, "ticks: 303 records in all, 300 ticks of 1 symbol on 4 partitions, KAFKA_STREAM_HEALTHY\n" +
			"  no ticks: 2 unreadable, 1 unusable\n  findings open: SYMBOL_SPLIT 1, UPSTREAM_DISORDER 2, 5 more that the report has no room for\n" +
			"trades: 0 records in all, 0 ticks of 0 symbols on 1 partition, KAFKA_STREAM_HEALTHY\n  findings open: nothing\njudged in this run: 7 records; " + where},
		"another instance": {nil, false, "judged in this run: 7 records; " + where + "of the whole of ticks, trades another instance has told\n"},
		"stopped":          {nil, true, "judged in this run: 7 records; " + where + "stopped before the end: the same again goes on where this has ended\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &runSummary{topics: []string{"ticks", "trades"}, reports: "ticks.audit", judged: 7, stopped: c.stopped}
			for _, r := range c.reports {
				s.report(&engine.Report{Topic: r.Topic, Scope: engine.ScopePartition, Trigger: engine.TriggerFinal})
				s.report(&engine.Report{Topic: r.Topic, Scope: engine.ScopeTopic, Trigger: engine.TriggerInterval})
				s.report(r)
			}
			var out bytes.Buffer
			s.write(&out, view.Style{})
			if out.String() != c.want {
				t.Errorf("\n got %s\nwant %s", &out, c.want)
			}
			out.Reset()
			s.write(&out, view.Style{Colour: true})
			if coloured := strings.Contains(out.String(), "\x1b["); coloured != (len(c.reports) > 0 || c.stopped) {
				t.Errorf("colour: %q", &out)
			}
		})
	}
}
