package main

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/twmb/franz-go/pkg/sr"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/kafkatest"
)

// watched is what a command has written so far.
type watched struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(p)
}

func (w *watched) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.String()
}

// Reports in Avro, of a live audit and of a replay that publishes, lie behind
// a frame whose schema is registered under BACKWARD, and are read as those in
// JSON.
func TestReportsInAvro(t *testing.T) {
	c := kafkatest.Fake(t)
	topic := c.Topic(t, 1)
	r, _ := schemaServer(t)
	c.DeleteTopicsAtEnd(t, topic+".audit")
	onOnePartition(t, c, topic, avroTick(t, 0, tickTime), avroTick(t, 0, tickTime-5e9), []byte{0})
	path := schemaConfig(t, c, topic, r.URL(), "audit.value.converter=avro")
	for _, args := range [][]string{{"run", "-c", path, "--stop-at-end"}, {"replay", "-c", path, "--quiet", "--publish", "--fail-on", "never"}} {
		var out, log bytes.Buffer
		if code := run(t.Context(), args, nil, &out, &log, nil); code != exitDone {
			t.Fatalf("%s: exit code %d: %s", args[0], code, log.String())
		}
	}
	if _, ok := r.GetSchema(topic+".audit-value", 1); !ok {
		t.Error("the schema of reports is not registered")
	}
	client, err := sr.NewClient(sr.URLs(r.URL()))
	if err != nil {
		t.Fatal(err)
	}
	if level := client.Compatibility(t.Context(), topic+".audit-value")[0]; level.Err != nil || level.Level != sr.CompatBackward {
		t.Errorf("compatibility %v, %v", level.Level, level.Err)
	}
	c.AwaitStable(t, topic+".audit")
	written := c.ReadAll(t, topic+".audit", true)
	for _, rec := range written {
		if _, _, framed := codecs.Frame(rec.Value); !framed {
			t.Fatalf("no frame: %q", rec.Value)
		}
		for _, h := range rec.Headers {
			if h.Key == "content-type" && string(h.Value) != "application/avro" {
				t.Errorf("content-type %s", h.Value)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	var out watched
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"watch", "-c", path, "--from-beginning", "--json"}, nil, &out, &out, nil)
	}()
	kafkatest.Eventually(t, "all reports", func() bool { return strings.Count(out.text(), "\n") >= len(written) })
	cancel()
	<-ended
	finals := 0
	for line := range strings.Lines(out.text()) {
		report, err := codecs.DecodeReport([]byte(line))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if report.Trigger == engine.TriggerFinal && report.Scope == engine.ScopeTopic {
			finals++
			if n := report.Counts; n.Ticks != 2 || n.Disorder != 1 || n.Unreadable != 1 {
				t.Errorf("%s: %+v", report.Mode, n)
			}
		}
	}
	if finals != 2 {
		t.Errorf("%d final reports of the topic, want one live and one of the replay", finals)
	}
}
