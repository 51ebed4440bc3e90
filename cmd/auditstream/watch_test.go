package main

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/kafkatest"
)

func finding(state engine.State, symbol string) *engine.Report {
	p := int32(1)
	return &engine.Report{
		Trigger: engine.TriggerFinding, Topic: "ticks",
		Findings: []engine.Finding{{
			ID: symbol, Code: engine.UpstreamDisorder, Severity: engine.Warning, State: state, Topic: "ticks",
			Symbol: symbol, Partition: &p, Count: 2, Cause: "a step back", FirstTime: engine.NoTime, LastTime: engine.NoTime,
		}},
		WindowStart: engine.NoTime, WindowEnd: engine.NoTime,
	}
}

func auditRecord(t *testing.T, topic string, r *engine.Report) *kgo.Record {
	t.Helper()
	value, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return &kgo.Record{Topic: topic, Value: value, Timestamp: time.UnixMilli(1_764_439_468_120)}
}

// watchUntil runs watch until its output holds a text, as Ctrl-C would.
func watchUntil(t *testing.T, text string, args ...string) (code int, out, logs string) {
	t.Helper()
	ctx, interrupt := context.WithTimeout(t.Context(), kafkatest.AwaitTimeout)
	defer interrupt()
	var stdout, stderr bytes.Buffer
	code = run(ctx, append([]string{"watch"}, args...), strings.NewReader(""),
		&cutter{w: &stdout, at: text, cut: interrupt}, &stderr, nil)
	return code, stdout.String(), stderr.String()
}

func TestWatchTellsFindingsOnOneLineEach(t *testing.T) {
	c := kafkatest.Fake(t)
	topic := c.Topic(t, 1)
	c.Produce(t,
		auditRecord(t, topic, finding(engine.Opened, "AAPL")),
		&kgo.Record{Topic: topic, Value: []byte("foreign")},
		auditRecord(t, topic, finding(engine.Opened, "AAPL")),
		auditRecord(t, topic, finding(engine.Resolved, "AAPL")),
		auditRecord(t, topic, finding(engine.Opened, "LAST")),
	)
	code, out, logs := watchUntil(t, "LAST",
		"--set", "bootstrap.servers="+c.Brokers[0], "--set", "audit.topic="+topic, "--from-beginning")
	const head = "2025-11-29T18:04:28.120Z "
	const subject = "UPSTREAM_DISORDER    ticks symbol AAPL on partition 1, offset 0, count 2: a step back\n"
	want := head + "OPENED   WARNING  " + subject + head + "RESOLVED WARNING  " + subject
	if code != exitDone || !strings.HasPrefix(out, want) || strings.Count(out, "\n") != 3 {
		t.Errorf("exit code %d\ngot\n%swant\n%s", code, out, want)
	}
	if !strings.Contains(logs, "note: "+topic+"/0 at 1 is no report") {
		t.Errorf("stderr: %s", logs)
	}
}

func TestWatchPassesReportsThrough(t *testing.T) {
	c := kafkatest.Fake(t)
	topic := c.Topic(t, 1)
	record := auditRecord(t, topic, finding(engine.Opened, "LAST"))
	c.Produce(t, record)
	code, out, _ := watchUntil(t, "LAST",
		"--set", "bootstrap.servers="+c.Brokers[0], "--set", "audit.topic="+topic, "--from-beginning", "--json")
	if code != exitDone || out != string(record.Value)+"\n" {
		t.Errorf("exit code %d, output %s", code, out)
	}
}

func TestWatchNamesWhatIsMissing(t *testing.T) {
	c := kafkatest.Fake(t)
	for _, w := range []struct {
		why, message string
		code         int
		args         []string
	}{
		{"no topic", "the audit topic does not exist: ticks.audit", exitUsage, []string{"--set", "bootstrap.servers=" + c.Brokers[0], "--set", "topics=ticks"}},
		{"no name", "no audit topic: set audit.topic or topics", exitUsage, []string{"--set", "bootstrap.servers=" + c.Brokers[0]}},
		{"no broker", "no broker can be reached", exitFailed, []string{"--set", "bootstrap.servers=127.0.0.1:1", "--set", "topics=ticks"}},
	} {
		code, out, logs := watchUntil(t, "never", w.args...)
		if code != w.code || out != "" || !strings.Contains(logs, w.message) {
			t.Errorf("%s: exit code %d, stdout %q, stderr %s", w.why, code, out, logs)
		}
	}
}
