package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/rs/zerolog"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/view"
)

// runSummary is how a run up to the end has ended: lines for a person on a
// terminal, log lines elsewhere, so that what collects a log as JSON goes on
// getting JSON. What machines judge by is the FINAL report on the audit topic,
// as it is the last line of replay.
type runSummary struct {
	topics  []string // that are audited
	reports string   // the topic that has the reports
	judged  int64    // records, by this process
	stopped bool     // by somebody, before the end

	mu     sync.Mutex
	finals map[string]*engine.Report // of whole topics, where this process wrote them
}

// report keeps the FINAL reports of topics. It may be called from several
// goroutines.
func (s *runSummary) report(r *engine.Report) {
	if r.Trigger != engine.TriggerFinal || r.Scope != engine.ScopeTopic {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.finals == nil {
		s.finals = map[string]*engine.Report{}
	}
	s.finals[r.Topic] = r
}

// elsewhere are the topics whose FINAL report another instance has written.
func (s *runSummary) elsewhere() []string {
	return slices.DeleteFunc(slices.Clone(s.topics), func(topic string) bool { return s.finals[topic] != nil })
}

// openByCode counts the findings that are open at the end. What a report has
// no room for is in the second result alone.
func openByCode(r *engine.Report) (byCode map[string]int, more int64) {
	byCode = map[string]int{}
	for i := range r.Findings {
		if f := &r.Findings[i]; f.State != engine.Resolved {
			byCode[f.Code.String()]++
		}
	}
	return byCode, max(0, r.FindingsTotal-int64(len(r.Findings)))
}

// log tells the end in log lines, one a topic.
func (s *runSummary) log(log zerolog.Logger) {
	for _, topic := range s.topics {
		r := s.finals[topic]
		if r == nil {
			continue
		}
		open, more := openByCode(r)
		event := log.Info().Str("topic", topic).Int64("records", r.Counts.Records).Int64("ticks", r.Counts.Ticks).
			Int64("unreadable", r.Counts.Unreadable).Int64("unusable", r.Counts.Unusable).Int64("symbols", r.Symbols).
			Int32("partitions", r.Partitions).Stringer("status", r.Status).Interface("open", open)
		if more > 0 {
			event = event.Int64("open_more", more)
		}
		event.Str("audit_topic", s.reports).Msg("audited to the end")
	}
	event, what := log.Info(), "ended at the end"
	if s.stopped {
		event, what = log.Warn(), "stopped before the end: the same again goes on where this has ended"
	} else if others := s.elsewhere(); len(others) > 0 {
		event = event.Strs("final_reports_of_other_instances", others)
	}
	event.Int64("records_here", s.judged).Str("audit_topic", s.reports).Msg(what)
}

// write tells the end to a person.
func (s *runSummary) write(w io.Writer, style view.Style) {
	var b strings.Builder
	for _, topic := range s.topics {
		if r := s.finals[topic]; r != nil {
			s.writeTopic(&b, r, style)
		}
	}
	fmt.Fprintf(&b, "judged in this run: %s; reports are on topic %s: auditstream watch --from-beginning\n",
		engine.Plural(s.judged, "record"), s.reports)
	if s.stopped {
		b.WriteString(style.Bad("stopped before the end") + ": the same again goes on where this has ended\n")
	} else if others := s.elsewhere(); len(others) > 0 {
		fmt.Fprintf(&b, "of the whole of %s another instance has told\n", strings.Join(others, ", "))
	}
	_, _ = io.WriteString(w, b.String()) // who looks has gone when this fails
}

func (s *runSummary) writeTopic(b *strings.Builder, r *engine.Report, style view.Style) {
	fmt.Fprintf(b, "%s: %s in all, %s of %s on %s, %s\n", style.Bold(r.Topic), engine.Plural(r.Counts.Records, "record"),
		engine.Plural(r.Counts.Ticks, "tick"), engine.Plural(r.Symbols, "symbol"), engine.Plural(int64(r.Partitions), "partition"), r.Status)
	if bad := r.Counts.Unreadable + r.Counts.Unusable; bad > 0 {
		fmt.Fprintf(b, "  no ticks: %d unreadable, %d unusable\n", r.Counts.Unreadable, r.Counts.Unusable)
	}
	open, more := openByCode(r)
	var told []string
	for _, code := range slices.Sorted(maps.Keys(open)) {
		told = append(told, fmt.Sprintf("%s %d", code, open[code]))
	}
	if more > 0 {
		told = append(told, fmt.Sprintf("%d more that the report has no room for", more))
	}
	if len(told) == 0 {
		told = []string{style.Good("nothing")}
	}
	fmt.Fprintf(b, "  findings open: %s\n", strings.Join(told, ", "))
}
