package view_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/view"
)

// screen is a terminal that knows as much of its codes as Live writes.
type screen struct {
	lines []string
	row   int
}

func (s *screen) Write(p []byte) (int, error) {
	for text := string(p); text != ""; {
		switch {
		case strings.HasPrefix(text, "\x1b[J"):
			s.lines, text = s.lines[:s.row], text[3:]
		case strings.HasPrefix(text, "\x1b["):
			up := strings.IndexByte(text, 'A')
			n, _ := strconv.Atoi(text[2:up])
			s.row, text = s.row-n, text[up+1:]
		case text[0] == '\r':
			text = text[1:]
		default:
			line, rest, _ := strings.Cut(text, "\n")
			s.lines, s.row, text = append(s.lines[:s.row], line), s.row+1, rest
		}
	}
	return len(p), nil
}

func TestLinesStayBelowWhatIsTold(t *testing.T) {
	var s screen
	live := view.NewLive(&s)
	for _, step := range []struct{ lines, staying []string }{
		{nil, []string{"ticks 0"}},
		{[]string{"first"}, []string{"ticks 1", "trades 1"}},
		{[]string{"second", "third"}, []string{"ticks 2", "trades 2"}},
		{nil, []string{"ticks 3", "trades 2"}},
	} {
		if err := live.Show(step.lines, step.staying); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"first", "second", "third", "ticks 3", "trades 2"}, s.lines); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestBoardTellsHowTopicsStand(t *testing.T) {
	at := time.Date(2026, 11, 29, 18, 4, 28, 0, time.UTC)
	var b view.Board
	opened := func(id string, state engine.State, severity engine.Severity) engine.Finding {
		return engine.Finding{ID: id, Topic: "ticks", State: state, Severity: severity}
	}
	expect := func(want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, b.Lines(view.Style{}, 100)); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
	partition := int32(1)
	b.Report(&engine.Report{Topic: "ticks", Scope: engine.ScopePartition, Partition: &partition, Trigger: engine.TriggerFinding,
		Findings: []engine.Finding{opened("a", engine.Opened, engine.Warning)}}, at)
	expect("ticks  no report yet  1 open: 1 WARNING  18:04:28")
	b.Report(&engine.Report{Topic: "ticks", Scope: engine.ScopeTopic, Trigger: engine.TriggerInterval, Status: engine.StatusSkew,
		Partitions: 16, Throughput: 15300.4, Findings: []engine.Finding{opened("b", engine.Updated, engine.Critical)}}, at.Add(time.Second))
	b.Report(&engine.Report{Topic: "a\x1b[2J", Scope: engine.ScopeTopic, Trigger: engine.TriggerInterval, Status: engine.StatusHealthy, Partitions: 1}, at)
	expect(`a\x1b[2J  KAFKA_STREAM_HEALTHY  nothing open  1 partitions  0 ticks/s  18:04:28`,
		"ticks  CLOCK_SKEW_WARNING  2 open: 1 CRITICAL, 1 WARNING  16 partitions  15300 ticks/s  18:04:29")
	b.Report(&engine.Report{Topic: "ticks", Scope: engine.ScopePartition, Partition: &partition, Trigger: engine.TriggerFinding,
		Findings: []engine.Finding{opened("a", engine.Resolved, engine.Warning)}}, at.Add(2*time.Second))
	if got := b.Lines(view.Style{}, 40)[1]; got != "ticks  CLOCK_SKEW_WARNING  1 open: 1 CRI" {
		t.Errorf("cut to 40 columns: %q", got)
	}
	if got := b.Lines(view.Style{Colour: true}, 40)[1]; strings.Count(got, "\x1b[0m") != 3 || strings.Count(got, "CRI") != 1 {
		t.Errorf("dressed: %q", got)
	}
}
