package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/avro"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/kafkatest"
	"github.com/auditstream/auditstream/processors"
)

// tickSchemas are versions of one schema that grows: a field comes with a
// default, and the fields change their order.
var tickSchemas = []string{
	`{"type":"record","name":"Tick","fields":[{"name":"symbol","type":"string"},{"name":"ts","type":"long"}]}`,
	`{"type":"record","name":"Tick","fields":[{"name":"venue","type":"string","default":"X"},{"name":"symbol","type":"string"},{"name":"ts","type":"long"}]}`,
	`{"type":"record","name":"Tick","fields":[{"name":"ts","type":{"type":"long","logicalType":"timestamp-nanos"}},{"name":"symbol","type":"string"}]}`,
}

const firstSchema = 40 // id of the first version

// schemaServer is a registry with the versions, whose answers can be switched
// to a status.
func schemaServer(t *testing.T) (*srfake.Registry, *atomic.Int64) {
	r := srfake.New()
	t.Cleanup(r.Close)
	for i, text := range tickSchemas {
		r.SeedSchema("ticks-value", i+1, firstSchema+i, sr.Schema{Schema: text})
	}
	r.SeedSchema("json-value", 1, 50, sr.Schema{Schema: `{"type":"object"}`, Type: sr.TypeJSON})
	status := new(atomic.Int64)
	r.Intercept(func(w http.ResponseWriter, _ *http.Request) bool {
		if s := status.Load(); s != 0 {
			w.WriteHeader(int(s))
			return true
		}
		return false
	})
	return r, status
}

// inFrame puts a registry's frame before a payload.
func inFrame(id int, payload []byte) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{0}, uint32(id)), payload...)
}

// avroTick is a tick in a version of the schema.
func avroTick(t *testing.T, version int, at int64) []byte {
	t.Helper()
	b, err := avro.MustParse(tickSchemas[version]).Encode(map[string]any{"symbol": "QXA", "ts": at, "venue": "V"})
	if err != nil {
		t.Fatal(err)
	}
	return inFrame(firstSchema+version, b)
}

// onOnePartition produces values a second apart.
func onOnePartition(t *testing.T, c *kafkatest.Cluster, topic string, values ...[]byte) {
	t.Helper()
	var records []*kgo.Record
	for i, value := range values {
		records = append(records, &kgo.Record{Topic: topic, Key: []byte("QXA"), Value: value, Timestamp: time.Unix(0, tickTime+int64(i)*1e9)})
	}
	c.Produce(t, records...)
}

// schemaConfig is a configuration of values with schemas.
func schemaConfig(t *testing.T, c *kafkatest.Cluster, topic, registry string, settings ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "audit.properties")
	text := fmt.Sprintf("name=%s\nbootstrap.servers=%s\ntopics=%s\nfield.timestamp=ts\nvalue.converter=avro\nvalue.converter.schema.registry.url=%s\nrest.listeners=http://127.0.0.1:0\nstate.dir=%s\n%s\n",
		kafkatest.Name(t), strings.Join(c.Brokers, ","), topic, registry, t.TempDir(), strings.Join(settings, "\n"))
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// liveAndReplayed are the last reports of the topic that a live audit to the
// topic's end and a replay make.
func liveAndReplayed(t *testing.T, c *kafkatest.Cluster, topic, path string) map[string]*engine.Report {
	t.Helper()
	c.DeleteTopicsAtEnd(t, topic+".audit", "auditstream-"+kafkatest.Name(t)+"-table", "auditstream-"+kafkatest.Name(t)+"-distribution", "auditstream-"+kafkatest.Name(t)+"-distribution-table")
	all := map[string][]*engine.Report{}
	for mode, args := range map[string][]string{
		"live": {"run", "-c", path, "--stop-at-end", "--fail-on", "never"}, "replay": {"replay", "-c", path, "--quiet", "--fail-on", "never"},
	} {
		var out, log bytes.Buffer
		if code := run(context.Background(), args, nil, &out, &log, nil); code != exitDone {
			t.Fatalf("%s ended with %d: %s", mode, code, log.String())
		}
		for line := range strings.Lines(out.String()) {
			if r, err := codecs.DecodeReport([]byte(line)); err == nil && mode == "replay" {
				all[mode] = append(all[mode], r)
			}
		}
	}
	c.AwaitStable(t, topic+".audit")
	for _, r := range c.ReadAll(t, topic+".audit", true) {
		report, err := codecs.DecodeReport(r.Value)
		if err != nil {
			t.Fatal(err)
		}
		all["live"] = append(all["live"], report)
	}
	last := map[string]*engine.Report{}
	for mode, reports := range all {
		for _, r := range reports {
			if r.Scope == engine.ScopeTopic && r.Trigger == engine.TriggerFinal {
				last[mode] = r
			}
		}
		if last[mode] == nil {
			t.Fatalf("%s: no final report among %d", mode, len(reports))
		}
	}
	return last
}

// Records of every version and form are read by what they are, and the broken
// ones are told apart.
func TestG66AndG69SchemasThatGrowAndFormatsThatMix(t *testing.T) {
	c := kafkatest.Fake(t)
	topic := c.Topic(t, 1)
	r, _ := schemaServer(t)
	at := func(i int) int64 { return tickTime + int64(i)*1e9 }
	onOnePartition(t, c, topic,
		avroTick(t, 0, at(0)), avroTick(t, 1, at(1)), avroTick(t, 2, at(2)), avroTick(t, 0, at(3)),
		fmt.Appendf(nil, `{"symbol":"QXA","ts":%d,"unknown":[1]}`, at(4)),
		[]byte{0},
		inFrame(50, fmt.Appendf(nil, `{"ts":%d,"symbol":"QXA"}`, at(6))),
		[]byte{}, inFrame(99, []byte("x")), []byte("neither"), avroTick(t, 0, at(10))[:8], nil,
	)
	for mode, final := range liveAndReplayed(t, c, topic, schemaConfig(t, c, topic, r.URL())) {
		n := final.Counts
		if n.Records != 12 || n.Ticks != 6 || n.Unreadable != 5 || n.Tombstones != 1 || n.Disorder != 0 || n.Unusable != 0 {
			t.Errorf("%s: %+v", mode, n)
		}
		for _, f := range final.Findings {
			if f.Code == engine.UpstreamDisorder || f.Code == engine.KeyMismatch {
				t.Errorf("%s: %s", mode, f.Cause)
			}
			if f.Code == engine.UnreadableValue && f.State == engine.Opened {
				text := fmt.Sprint(f.Evidence)
				for _, reason := range []string{"truncated", "empty_value", "schema_unknown", "no_schema_frame"} {
					if !strings.Contains(text, reason) {
						t.Errorf("%s: %s is not in %s", mode, reason, text)
					}
				}
			}
		}
	}
}

// A registry that answers 503 at the start is waited for: the audit is not
// ready, judges nothing, and reads every record once it answers.
func TestG68RegistryIsDownAtTheStart(t *testing.T) { kafkatest.Run(t, registryIsDownAtTheStart) }

func registryIsDownAtTheStart(t *testing.T, c *kafkatest.Cluster) {
	topic := c.Topic(t, 1)
	r, status := schemaServer(t)
	status.Store(http.StatusServiceUnavailable)
	var values [][]byte
	for i := range 5 {
		values = append(values, avroTick(t, i%3, tickTime+int64(i)*1e9))
	}
	onOnePartition(t, c, topic, values...)
	a := newApp(strings.NewReader(""), io.Discard, io.Discard, nil)
	a.logLevel = "error"
	path := schemaConfig(t, c, topic, r.URL())
	config, err := a.load(configFlags{path: path})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	addresses, ended := make(chan string, 1), make(chan error, 1)
	var judged atomic.Int64
	go func() {
		ended <- audit(ctx, config, auditOptions{
			log: a.logger(), listening: func(s []string) { addresses <- s[0] },
			onReport: func(r *engine.Report) {
				if r.Scope == engine.ScopePartition {
					judged.Add(r.Counts.Unreadable + r.Counts.Ticks)
				}
			},
		})
	}()
	ready := "http://" + strings.TrimPrefix(<-addresses, "http://") + "/readyz"
	kafkatest.Eventually(t, "readiness to name the registry", func() bool {
		code, text := get(t, ready)
		return code == http.StatusServiceUnavailable && strings.Contains(text, "schema registry")
	})
	if n := judged.Load(); n != 0 {
		t.Errorf("%d records were judged without their schemas", n)
	}
	status.Store(0)
	kafkatest.Eventually(t, "readiness", func() bool {
		code, _ := get(t, ready)
		return code == http.StatusOK
	})
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	for mode, final := range liveAndReplayed(t, c, topic, path) {
		if n := final.Counts; n.Ticks != 5 || n.Unreadable != 0 {
			t.Errorf("%s: %+v", mode, n)
		}
	}
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		return 0, err.Error()
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(b)
}

// A registry that stays away ends the run within its time, with the cause.
func TestRegistryStaysAway(t *testing.T) { kafkatest.Run(t, registryStaysAway) }

func registryStaysAway(t *testing.T, c *kafkatest.Cluster) {
	topic := c.Topic(t, 1)
	r, status := schemaServer(t)
	status.Store(http.StatusServiceUnavailable)
	onOnePartition(t, c, topic, avroTick(t, 0, tickTime))
	path := schemaConfig(t, c, topic, r.URL(), "producer.override.delivery.timeout.ms=1500", "producer.override.request.timeout.ms=1000")
	for _, args := range [][]string{{"run", "-c", path}, {"replay", "-c", path}} {
		var out, log bytes.Buffer
		code := run(context.Background(), args, nil, &out, &log, nil)
		if code != exitFailed || !strings.Contains(log.String(), "schema.registry.url: no answer for") || !strings.Contains(log.String(), "503") {
			t.Errorf("%s: exit code %d: %s", args[0], code, log.String())
		}
		if strings.Contains(out.String(), "UNREADABLE") {
			t.Errorf("%s: %s", args[0], out.String())
		}
	}
	c.AwaitStable(t, topic+".audit")
	for _, rec := range c.ReadAll(t, topic+".audit", true) {
		if bytes.Contains(rec.Value, []byte("UNREADABLE")) {
			t.Errorf("reported: %s", rec.Value)
		}
	}
}

// A registry that goes away in the middle holds up records of schemas that are
// not known yet, and no others; one id that was unknown is read once it is
// there.
func TestRegistryGoesAwayInTheMiddle(t *testing.T) { kafkatest.Run(t, registryGoesAwayInTheMiddle) }

func registryGoesAwayInTheMiddle(t *testing.T, c *kafkatest.Cluster) {
	topic := c.Topic(t, 1)
	r, status := schemaServer(t)
	a := newApp(strings.NewReader(""), io.Discard, io.Discard, nil)
	a.logLevel = "error"
	config, err := a.load(configFlags{path: schemaConfig(t, c, topic, r.URL(), "checkpoint.interval.ms=50", "report.interval.ms=100")})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	state := processors.NewStatus()
	go func() { ended <- audit(ctx, config, auditOptions{log: a.logger(), status: state}) }()
	counted := func(ticks, unreadable int64) func() bool {
		return func() bool {
			p := state.Stats().Partitions
			return len(p) == 1 && p[0].Counts.Ticks == ticks && p[0].Counts.Unreadable == unreadable
		}
	}
	onOnePartition(t, c, topic, avroTick(t, 0, tickTime), inFrame(60, []byte{6, 'Q', 'X', 'A', 2}))
	kafkatest.Eventually(t, "a tick and an unknown schema", counted(1, 1))
	status.Store(http.StatusServiceUnavailable)
	onOnePartition(t, c, topic, avroTick(t, 0, tickTime+1e9))
	kafkatest.Eventually(t, "a tick of a known schema", counted(2, 1))
	onOnePartition(t, c, topic, avroTick(t, 1, tickTime+2e9))
	kafkatest.Eventually(t, "readiness to name the registry", func() bool {
		return strings.Contains(strings.Join(state.Stats().NotReady, " "), "schema registry")
	})
	r.SeedSchema("late-value", 1, 60, sr.Schema{Schema: tickSchemas[0]})
	status.Store(0)
	kafkatest.Eventually(t, "the tick that waited", counted(3, 1))
	kafkatest.Eventually(t, "the schema that has appeared", func() bool {
		onOnePartition(t, c, topic, append(inFrame(60, nil), avroTick(t, 0, tickTime+3e9)[5:]...))
		return state.Stats().Partitions[0].Counts.Ticks > 3
	})
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}
