//go:build !race

package processors

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/topology"
)

// simOutcome is what a run has left behind for a committed reader.
type simOutcome struct {
	final    *engine.Report
	reports  map[string]*engine.Report // by id
	twice    []string                  // ids of reports that came more than once
	findings map[string]string         // opened ones, by id
	rows     map[string]string         // of the symbols' table
	parts    map[string]string         // what the topic's table knows of partitions
	letters  map[string]int
}

func (s *sim) outcome() (*simOutcome, error) {
	o := &simOutcome{
		reports: map[string]*engine.Report{}, findings: map[string]string{}, rows: map[string]string{}, parts: map[string]string{}, letters: map[string]int{},
	}
	for _, record := range s.kafka.logs[place{s.topo.OfRole(topology.RoleAudit)[0], 0}].values() {
		r, err := codecs.DecodeReport(record.Value)
		if err != nil {
			return nil, err
		}
		if o.reports[r.ID] != nil {
			o.twice = append(o.twice, r.ID)
		}
		o.reports[r.ID] = r
		if r.Trigger == engine.TriggerFinal && r.Scope == engine.ScopeTopic {
			o.final = r
		}
		if r.Trigger != engine.TriggerFinding {
			continue
		}
		for _, f := range r.Findings {
			if f.State == engine.Opened && f.Code != engine.RebalanceStorm {
				at := "" // across partitions it depends on which is read first
				if r.Scope == engine.ScopePartition {
					at = fmt.Sprintf(" at %d", f.FirstOffset)
				}
				o.findings[f.ID] = fmt.Sprintf("%s %s%s", f.Code, f.Symbol, at)
			}
		}
	}
	for p := range s.kafka.counts[s.names.Table] {
		for key, value := range s.kafka.logs[place{s.names.Table, p}].rows() {
			o.rows[fmt.Sprintf("%d %q", p, key)] = value
		}
	}
	for key, value := range s.kafka.logs[place{s.names.DistributionTable, 0}].rows() {
		_, row, err := codecs.ParseTopicRowKey([]byte(key))
		if err != nil {
			return nil, err
		}
		if row[0] != 'p' {
			continue
		}
		r, err := codecs.DecodeTopicRow(row, []byte(value))
		if err != nil {
			return nil, err
		}
		b, _ := json.Marshal(r.Part.Stats)
		o.parts[row] = string(b)
	}
	for _, letter := range s.kafka.logs[place{"dead", 0}].values() {
		for _, h := range letter.Headers {
			if h.Key == "x-original-partition" || h.Key == "x-original-offset" {
				o.letters[h.Key+string(h.Value)]++
			}
		}
	}
	return o, nil
}

// happened are what an outcome must have in many seeds to be worth comparing.
func (o *simOutcome) happened() map[string]int {
	counts := map[string]int{"finding": len(o.findings), "dead letter": len(o.letters)}
	if o.final != nil {
		counts["tick"] = int(o.final.TotalTicks)
	}
	for _, f := range o.findings {
		if strings.HasPrefix(f, engine.SymbolSplit.String()) {
			counts["split"]++
		}
	}
	return counts
}

// differences holds a run with faults against one without. Where the topic
// changed meanwhile, or the clock was asked, findings and reports depend on
// when things were read, and what is counted does not.
func (s *sim) differences(o, want *simOutcome) (found []string) {
	exactlyOnce, strict := s.exactlyOnce, !s.clocked && !s.grown && !s.recreated
	say := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	if o.final == nil || want.final == nil {
		say("no FINAL report; one without faults: %v", want.final != nil)
		return found
	}
	if exactlyOnce && !s.recreated && len(o.twice) > 0 {
		say("%d reports came twice, first %s", len(o.twice), describe(o.reports[o.twice[0]]))
	}
	if !strict {
		o.final.Counts.Late, want.final.Counts.Late = 0, 0
	}
	if o.final.Counts != want.final.Counts || !maps.Equal(o.final.PartitionTicks, want.final.PartitionTicks) || o.final.TotalTicks != want.final.TotalTicks {
		say("totals %+v %v\nwant %+v %v", o.final.Counts, o.final.PartitionTicks, want.final.Counts, want.final.PartitionTicks)
	}
	if !strict {
		compare(say, "symbol", o.symbols(), want.symbols())
		return found
	}
	compare(say, "finding", o.findings, want.findings)
	if exactlyOnce {
		compare(say, "row", o.rows, want.rows)
	} else {
		compare(say, "row", o.settled(), want.settled())
	}
	compare(say, "partition", o.parts, want.parts)
	compare(say, "report of a partition", o.partitionReports(), want.partitionReports())
	if exactlyOnce && !maps.Equal(o.letters, want.letters) {
		say("dead letters %v\nwant %v", o.letters, want.letters)
	}
	return found
}

// settled are the rows without a symbol's ticks in a window that is closed:
// where its row was lost and its partition's was not they are not counted
// again, and nothing reads them any more.
func (o *simOutcome) settled() map[string]string {
	rows := map[string]string{}
	for key, value := range o.rows {
		rows[key] = value
		if r, ok := symbolRow(key, value); ok {
			r.WindowN = 0
			rows[key] = string(codecs.AppendSymbolRow(nil, &r))
		}
	}
	return rows
}

func symbolRow(key, value string) (r engine.SymbolRow, ok bool) {
	var partition int
	var raw string
	if _, err := fmt.Sscanf(key, "%d %q", &partition, &raw); err != nil {
		return r, false
	}
	_, symbol, isPartition, err := codecs.ParseKey([]byte(raw))
	if err != nil || isPartition {
		return r, false
	}
	r, err = codecs.DecodeSymbolRow(symbol, []byte(value))
	return r, err == nil
}

// symbols are the counts of the rows of symbols.
func (o *simOutcome) symbols() map[string]string {
	symbols := map[string]string{}
	for key, value := range o.rows {
		if r, ok := symbolRow(key, value); ok {
			symbols[key] = fmt.Sprintf("count %d disorder %d through %d last %d", r.Count, r.Disorder, r.Through, r.LastEvent)
		}
	}
	return symbols
}

func (o *simOutcome) partitionReports() map[string]string {
	reports := map[string]string{}
	for id, r := range o.reports {
		if r.Scope == engine.ScopePartition {
			reports[id] = r.Trigger.String()
			if r.Trigger == engine.TriggerInterval {
				reports[id] = describe(r)
			}
		}
	}
	return reports
}

func describe(r *engine.Report) string {
	return fmt.Sprintf("%s %s from %v %+v", r.Key(), r.Trigger, r.WindowStart, r.Counts)
}

func compare(say func(string, ...any), what string, got, want map[string]string) {
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if g, ok := got[key]; !ok {
			say("%s %s is missing: %q", what, key, want[key])
		} else if g != want[key] {
			say("%s %s is\n%q, want\n%q", what, key, g, want[key])
		}
	}
	for _, key := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[key]; !ok {
			say("%s %s is none: %q", what, key, got[key])
		}
	}
}
