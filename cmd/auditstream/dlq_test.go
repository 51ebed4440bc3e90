package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/internal/kafkatest"
)

// letterBox is an audit with a dead-letter topic.
type letterBox struct {
	t           *testing.T
	c           *kafkatest.Cluster
	ticks, dead string
	args        []string
}

func newLetterBox(t *testing.T, c *kafkatest.Cluster) *letterBox {
	b := &letterBox{t: t, c: c, ticks: c.Topic(t, 3)}
	name := kafkatest.Name(t)
	b.dead = name + "-dead"
	c.CreateTopic(t, b.dead, 1)
	b.args = []string{
		"--set", "bootstrap.servers=" + c.Brokers[0], "--set", "name=" + name, "--set", "topics=" + b.ticks, "--set", "rest.listeners=",
		"--set", "errors.deadletterqueue.topic.name=" + b.dead, "--set", "field.timestamp=ts", "--set", "state.dir=" + t.TempDir(),
	}
	return b
}

// run runs a command and returns its exit code and standard output.
func (b *letterBox) run(args ...string) (int, string) {
	b.t.Helper()
	var out, errs bytes.Buffer
	code := run(b.t.Context(), append(args, b.args...), strings.NewReader(""), &out, &errs, nil)
	if code != exitDone {
		b.t.Logf("%v: exit code %d, %s", args, code, errs.String())
	}
	return code, out.String()
}

func (b *letterBox) audit() {
	b.t.Helper()
	if code, _ := b.run("run", "--stop-at-end", "--quiet", "--log-level", "error"); code != exitDone {
		b.t.Fatalf("the audit ends with %d", code)
	}
}

func (b *letterBox) letters(args ...string) (lines []letterLine) {
	b.t.Helper()
	code, out := b.run(append([]string{"dlq", "list", "--json"}, args...)...)
	if code != exitDone {
		b.t.Fatalf("dlq list: exit code %d", code)
	}
	for line := range strings.Lines(out) {
		var l letterLine
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			b.t.Fatalf("%s: %v", line, err)
		}
		lines = append(lines, l)
	}
	return lines
}

var letterTime = time.UnixMilli(1_735_831_800_123)

// bad is a record that cannot be read as JSON.
func (b *letterBox) bad(partition int32, value string, at time.Duration) *kgo.Record {
	return &kgo.Record{
		Topic: b.ticks, Partition: partition, Key: []byte("QXA"), Value: []byte(value), Timestamp: letterTime.Add(at),
		Headers: []kgo.RecordHeader{{Key: "trace", Value: []byte("a")}, {Key: "trace", Value: nil}},
	}
}

func TestDeadLettersAreShownAndPutBack(t *testing.T) {
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		b := newLetterBox(t, c)
		b.c.Produce(t, b.bad(2, `{"symbol":"QXA","ts":17`, 0), b.bad(2, `nonsense`, time.Second))
		b.audit()
		b.c.Produce(t, b.bad(1, `nonsense`, 2*time.Second))
		b.audit()

		if got := b.letters(); len(got) != 3 || got[0].Error != "truncated" || got[0].Original.Topic != b.ticks || got[0].Original.Partition != 2 || *got[0].Key != "QXA" {
			t.Fatalf("letters %+v", got)
		}
		for filter, want := range map[string]int{
			"--partition=2": 2, "--partition=0": 0, "--reason=syntax": 2, "--limit=1": 1, "--from=1": 2, "--to=1": 1,
			"--topic=" + b.ticks: 3, "--topic=other": 0, "--from=2025-01-02T15:30:01.123Z": 2, "--to=1735831801123": 1,
		} {
			if got := b.letters(filter); len(got) != want {
				t.Errorf("%s: %d letters, want %d", filter, len(got), want)
			}
		}
		code, out := b.run("dlq", "list")
		if code != exitDone || !strings.Contains(out, "3 letters in "+b.dead) {
			t.Errorf("exit code %d\n%s", code, out)
		}
		for line := range strings.Lines(out) {
			if len(strings.TrimRight(line, "\n")) > 80 && !strings.Contains(line, "letters in") {
				t.Errorf("more than 80 columns: %q", line)
			}
		}

		if code, _ := b.run("dlq", "replay", "--partition=-1", "--yes"); code != exitUsage {
			t.Errorf("a partition that is none: exit code %d, want 2", code)
		}
		if code, out := b.run("dlq", "replay", "--partition=2"); code != exitDone || !strings.Contains(out, "2 letters would be written back, 0 skipped") {
			t.Errorf("dry run: exit code %d\n%s", code, out)
		}
		if n := len(c.ReadAll(t, b.ticks, true)); n != 3 {
			t.Fatalf("a dry run has written: %d records", n)
		}
		if code, out := b.run("dlq", "replay", "--partition=2", "--yes"); code != exitDone || !strings.Contains(out, "2 letters written back, 0 skipped") {
			t.Fatalf("exit code %d\n%s", code, out)
		}
		back := 0
		for _, r := range c.ReadAll(t, b.ticks, true) {
			if r.Partition != 2 || r.Offset < 2 {
				continue
			}
			back++
			var names []string
			for _, h := range r.Headers {
				names = append(names, fmt.Sprintf("%s=%q", h.Key, h.Value))
			}
			want := fmt.Sprintf(`trace="a" trace="" x-original-topic=%q x-original-partition="2" x-original-offset="%d" x-retries="0"`, b.ticks, r.Offset-2)
			if got := strings.Join(names, " "); got != want || string(r.Key) != "QXA" || !r.Timestamp.Equal(letterTime.Add(time.Duration(r.Offset-2)*time.Second)) {
				t.Errorf("offset %d: headers %s, key %s, time %s; want %s", r.Offset, got, r.Key, r.Timestamp, want)
			}
			if r.Headers[1].Value != nil {
				t.Error("a null header came back as an empty one")
			}
		}
		if back != 2 {
			t.Errorf("%d records came back", back)
		}

		b.audit() // they still cannot be read: told once more, and no longer
		again := b.letters()
		if len(again) != 5 || again[3].Retries != 1 || again[3].Original.Offset != 2 || again[4].Retries != 1 {
			t.Fatalf("letters of the second round %+v", again)
		}
		records := c.ReadAll(t, b.dead, true)
		if first, second := len(records[0].Headers), len(records[3].Headers); first != second {
			t.Errorf("%d headers after the second round, %d after the first", second, first)
		}
		b.wantNoGroups(t)
	})
}

// wantNoGroups makes sure that nothing but the audit itself has made groups.
func (b *letterBox) wantNoGroups(t *testing.T) {
	groups, err := b.c.Admin(t).ListGroups(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range groups.Groups() {
		if b.c.Kfake != nil && !strings.HasPrefix(g, "auditstream-") {
			t.Errorf("group %s", g)
		}
	}
}

// A letter names its place in headers that anybody may have written: only
// configured topics are written to, and only records that are whole.
func TestDeadLettersThatCannotGoBack(t *testing.T) {
	c := kafkatest.Fake(t)
	b := newLetterBox(t, c)
	letter := func(headers ...string) *kgo.Record {
		r := &kgo.Record{Topic: b.dead, Value: []byte("v"), Timestamp: letterTime}
		for i := 0; i < len(headers); i += 2 {
			r.Headers = append(r.Headers, kgo.RecordHeader{Key: headers[i], Value: []byte(headers[i+1])})
		}
		return r
	}
	at := func(topic, partition string) []string {
		return []string{"x-original-topic", topic, "x-original-partition", partition, "x-original-offset", "0"}
	}
	other := c.Topic(t, 1)
	c.Produce(t,
		letter(), letter(at(other, "0")...), letter(at(b.ticks, "3")...), letter(append(at(b.ticks, "0"), "x-truncated-from", "9")...),
		letter("__connect.errors.topic", b.ticks, "__connect.errors.partition", "1", "__connect.errors.offset", "5", "__connect.errors.exception.message", "boom\x1b[31m"))
	code, out := b.run("dlq", "replay", "--yes")
	if code != exitDone || !strings.Contains(out, "1 letter written back, 4 skipped") || strings.Contains(out, "\x1b") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	for _, why := range []string{"name no place", "not among the key topics", "has 3 partitions", "is not whole"} {
		if !strings.Contains(out, why) {
			t.Errorf("nothing says %q:\n%s", why, out)
		}
	}
	if n := len(c.ReadAll(t, other, true)); n != 0 {
		t.Error("a topic was written to that is not configured")
	}
	if got := c.ReadAll(t, b.ticks, true); len(got) != 1 || got[0].Partition != 1 {
		t.Errorf("%d records in the tick topic", len(got))
	}
}

func TestDeadLettersNeedATopic(t *testing.T) {
	c := kafkatest.Fake(t)
	b := newLetterBox(t, c)
	if code, _ := b.run("dlq", "list", "--from", "yesterday"); code != exitUsage {
		t.Errorf("a bound that is none: exit code %d", code)
	}
	b.args = append(b.args, "--set", "errors.deadletterqueue.topic.name=gone")
	if code, _ := b.run("dlq", "list"); code != exitUsage {
		t.Errorf("a topic that does not exist: exit code %d", code)
	}
	b.args = append(b.args, "--set", "errors.deadletterqueue.topic.name=")
	if code, _ := b.run("dlq", "list"); code != exitUsage {
		t.Errorf("no topic configured: exit code %d", code)
	}
}
