package view

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/auditstream/auditstream/engine"
)

// Board is how the audited topics stand, a line each, for a terminal that
// shows findings above it. The zero value is ready.
type Board struct {
	topics map[string]*standing
	open   map[string]openFinding // by finding_id
}

type standing struct {
	status     engine.Status
	known      bool // a report of the whole topic has come
	partitions int32
	throughput float64
	seen       time.Time
}

type openFinding struct {
	topic    string
	severity engine.Severity
}

// boardMost bounds the memory of open findings.
const boardMost = 100_000

// Report takes a report in; at is its record's time.
func (b *Board) Report(r *engine.Report, at time.Time) {
	if b.topics == nil {
		b.topics, b.open = map[string]*standing{}, map[string]openFinding{}
	}
	s := b.topics[r.Topic]
	if s == nil {
		s = &standing{}
		b.topics[r.Topic] = s
	}
	s.seen = at
	if r.Scope == engine.ScopeTopic {
		s.status, s.known, s.partitions = r.Status, true, r.Partitions
		if r.Trigger == engine.TriggerInterval {
			s.throughput = r.Throughput
		}
	}
	for i := range r.Findings {
		switch f := &r.Findings[i]; {
		case f.State == engine.Resolved:
			delete(b.open, f.ID)
		case len(b.open) < boardMost:
			b.open[f.ID] = openFinding{f.Topic, f.Severity}
		}
	}
}

// Lines are the topics, each cut to the width: status, what is open, load and
// when the last report came.
//
//	ticks  KAFKA_STREAM_HEALTHY  2 open: 1 CRITICAL, 1 WARNING  16 partitions  15300 ticks/s  18:04:28
func (b *Board) Lines(s Style, width int) []string {
	lines := make([]string, 0, len(b.topics))
	for _, topic := range slices.Sorted(maps.Keys(b.topics)) {
		at := b.topics[topic]
		status, dress := "no report yet", s.Dim
		if at.known {
			status, dress = at.status.String(), s.Good
			if at.status != engine.StatusHealthy {
				dress = s.Bad
			}
		}
		open, worst := b.opened(topic)
		rest := ""
		if at.known {
			rest = fmt.Sprintf("  %d partitions  %.0f ticks/s", at.partitions, at.throughput)
		}
		rest += "  " + at.seen.UTC().Format(time.TimeOnly)
		fields := []struct {
			text  string
			dress func(string) string
		}{
			{Safe(topic), s.Bold}, {"  ", nil}, {status, dress}, {"  ", nil},
			{open, func(text string) string { return s.openCount(worst, text) }}, {rest, s.Dim},
		}
		var line strings.Builder
		left := width
		for _, f := range fields {
			text := []rune(f.text)
			text = text[:min(len(text), max(left, 0))]
			left -= len(text)
			if f.dress == nil {
				line.WriteString(string(text))
			} else {
				line.WriteString(f.dress(string(text)))
			}
		}
		lines = append(lines, line.String())
	}
	return lines
}

// openCount dresses a number of open findings by the worst of them; a
// negative one stands for none.
func (s Style) openCount(worst int, text string) string {
	if worst < 0 {
		return s.Good(text)
	}
	return s.Severity(engine.Severity(worst), text)
}

// opened says how many findings of a topic are open, and of what severities.
func (b *Board) opened(topic string) (text string, worst int) {
	var bySeverity [engine.Critical + 1]int
	total := 0
	for _, f := range b.open {
		if f.topic == topic {
			bySeverity[min(f.severity, engine.Critical)]++
			total++
		}
	}
	worst = -1
	var parts []string
	for v := engine.Critical; ; v-- {
		if n := bySeverity[v]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
			worst = max(worst, int(v))
		}
		if v == engine.Info {
			break
		}
	}
	if total == 0 {
		return "nothing open", worst
	}
	return fmt.Sprintf("%d open: %s", total, strings.Join(parts, ", ")), worst
}
