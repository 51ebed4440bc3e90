package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/kafkatest"
)

// replayConfig is a configuration file for topics of a cluster.
func replayConfig(t *testing.T, c *kafkatest.Cluster, topics ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "replay.properties")
	text := fmt.Sprintf("bootstrap.servers=%s\ntopics=%s\nfield.timestamp=ts\nname=%s\n", strings.Join(c.Brokers, ","), strings.Join(topics, ","), kafkatest.Name(t))
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func ticksOn(topic string, partitions, n int) []*kgo.Record {
	var out []*kgo.Record
	for i := range n {
		symbol, at := fmt.Sprintf("S%d", i%(3*partitions)), tickTime+int64(i)*50e6
		event := at
		if i%101 == 50 {
			event -= 2e9
		}
		out = append(out, &kgo.Record{
			Topic: topic, Partition: int32(i % partitions), Key: []byte(symbol), Timestamp: time.Unix(0, at),
			Value: fmt.Appendf(nil, `{"symbol":%q,"ts":%d}`, symbol, event),
		})
	}
	return out
}

// The whole command: reports to a file, a page, the audit topic and a resume
// file; no group comes of it, and no topic unless it publishes.
func TestReplayOfTopics(t *testing.T) {
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		topic := c.Topic(t, 3, "retention.ms=-1")
		c.DeleteTopicsAtEnd(t, topic+".audit")
		c.Produce(t, ticksOn(topic, 3, 3000)...)
		dir := t.TempDir()
		out, page, state := filepath.Join(dir, "out"), filepath.Join(dir, "page.html"), filepath.Join(dir, "state")
		replay := func(args ...string) (int, string) {
			var stdout, stderr bytes.Buffer
			code := run(context.Background(), append([]string{"replay", "-c", replayConfig(t, c, topic), "--quiet"}, args...), nil, &stdout, &stderr, nil)
			return code, stdout.String() + stderr.String()
		}
		code, plain := replay("--fail-on", "never")
		if code != exitDone {
			t.Fatalf("exit code %d: %s", code, plain)
		}
		topics, err := c.Admin(t).ListTopics(context.Background())
		if err != nil || topics.Has(topic+".audit") {
			t.Errorf("a replay made the audit topic, %v", err)
		}
		code, text := replay("--out", out, "--html", page, "--publish", "--resume", state)
		if code != exitFindings {
			t.Errorf("exit code %d, want %d: %s", code, exitFindings, text)
		}
		written, err := os.ReadFile(out)
		if err != nil || string(written) != plain {
			t.Errorf("%d bytes in --out, %d on stdout, %v", len(written), len(plain), err)
		}
		if html, err := os.ReadFile(page); err != nil || !bytes.Contains(html, []byte("UPSTREAM_DISORDER")) {
			t.Errorf("page of %d bytes, %v", len(html), err)
		}
		published := map[string]bool{}
		for _, r := range c.ReadAll(t, topic+".audit", true) {
			report, err := codecs.DecodeReport(r.Value)
			if err != nil || report.Mode != "REPLAY" || string(r.Key) != report.Key() || len(r.Headers) == 0 {
				t.Fatalf("published %s: %v", r.Value, err)
			}
			published[string(r.Value)] = true
		}
		if n := strings.Count(plain, "\n"); len(published) != n {
			t.Errorf("%d reports published, %d written", len(published), n)
		}
		if code, text := replay("--resume", t.TempDir()); code != exitUsage || !strings.Contains(text, "--resume: ") {
			t.Errorf("a folder for a resume file: exit code %d, %s", code, text)
		}
		if code, text := replay("--out", out, "--html", page, "--publish", "--resume", state, "--from", "5"); code != exitUsage || !strings.Contains(text, `--from was "" there`) {
			t.Errorf("a resume file of another replay: exit code %d, %s", code, text)
		}
		groups, err := c.Admin(t).ListGroups(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, group := range groups.Groups() {
			if strings.Contains(group, kafkatest.Name(t)[:20]) {
				t.Errorf("a replay made the group %s", group)
			}
		}
	})
}

func TestReplayRefusesMissingTopic(t *testing.T) {
	c := kafkatest.Fake(t)
	c.CreateTopic(t, "ticks", 1)
	var stdout, stderr bytes.Buffer
	code := run(context.Background(), []string{"replay", "-c", replayConfig(t, c, "tick")}, nil, &stdout, &stderr, nil)
	if code != exitUsage || !strings.Contains(stderr.String(), `topic "tick" does not exist; the nearest name is "ticks"`) || stdout.Len() > 0 {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
}

// errors.tolerance=none: the place is named, and there is no FINAL report.
func TestReplayStopsAtABadRecord(t *testing.T) {
	c := kafkatest.Fake(t)
	topic := c.Topic(t, 1)
	records := ticksOn(topic, 1, 10)
	records[7].Value = []byte("{")
	c.Produce(t, records...)
	var stdout, stderr bytes.Buffer
	args := []string{"replay", "-c", replayConfig(t, c, topic), "--set", "errors.tolerance=none"}
	code := run(context.Background(), args, nil, &stdout, &stderr, nil)
	if code != exitFailed || !strings.Contains(stderr.String(), topic+"/0@7 is unreadable: truncated") || strings.Contains(stdout.String(), engine.TriggerFinal.String()) {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
}
