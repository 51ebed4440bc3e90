package faults

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/kafkatest"
	"github.com/auditstream/auditstream/topology"
)

func itoa(n int) string { return strconv.Itoa(n) }

// sessionTimeout is that of all audits here: short, so that a dead member is
// missed soon.
const sessionTimeout = 4 * time.Second

// audit is one audit of one topic, whatever processes run it.
type audit struct {
	t          *testing.T
	k          *kafka
	adm        *kadm.Client
	name       string
	topic      string
	partitions int
	names      topology.Names
	settings   []string
	files      int
	before     []*engine.Report // of an audit topic that has been deleted since
}

// newAudit makes the tick topic, with all replicas that the cluster has.
func newAudit(t *testing.T, k *kafka, partitions int, settings ...string) *audit {
	t.Helper()
	a := &audit{t: t, k: k, adm: k.Admin(t), name: kafkatest.Name(t), partitions: partitions, settings: settings}
	a.names = topology.NamesOf(a.name)
	a.topic = a.name + "-ticks"
	a.makeTopic(nil)
	k.DeleteTopicsAtEnd(t, a.topic, a.auditTopic(), a.names.Table, a.names.DistributionTopic, a.names.DistributionTable)
	return a
}

func (a *audit) auditTopic() string { return a.topic + ".audit" }

func (a *audit) makeTopic(configs map[string]*string) {
	a.t.Helper()
	kafkatest.Eventually(a.t, "topic "+a.topic+" to be made", func() bool {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		_, err := a.adm.CreateTopic(ctx, int32(a.partitions), -1, configs, a.topic)
		return err == nil
	})
	kafkatest.Eventually(a.t, "leaders of "+a.topic, func() bool {
		ends, err := a.adm.ListEndOffsets(context.Background(), a.topic)
		return err == nil && ends.Error() == nil && len(ends.Offsets()[a.topic]) == a.partitions
	})
}

// alter sets a topic's setting.
func (a *audit) alter(topic, setting, value string) {
	a.t.Helper()
	responses, err := a.adm.AlterTopicConfigs(context.Background(), []kadm.AlterConfig{{Op: kadm.SetConfig, Name: setting, Value: &value}}, topic)
	if err == nil && len(responses) == 1 {
		err = responses[0].Err
	}
	if err != nil {
		a.t.Fatalf("set %s of %s: %v", setting, topic, err)
	}
}

// file writes a configuration of this audit for one instance, with a state
// folder of its own.
func (a *audit) file(instance string, settings ...string) string {
	a.t.Helper()
	a.files++
	dir := a.t.TempDir()
	lines := []string{
		"name=" + a.name, "bootstrap.servers=" + strings.Join(a.k.Brokers, ","), "topics=" + a.topic, "audit.topic=" + a.auditTopic(),
		"state.dir=" + filepath.Join(dir, "state"), "rest.listeners=http://127.0.0.1:0", "instance.id=" + instance,
		"checkpoint.interval.ms=150", "findings.max.per.report=1000",
		"consumer.override.session.timeout.ms=" + itoa(int(sessionTimeout.Milliseconds())),
		"consumer.override.metadata.max.age.ms=2000", "producer.override.transaction.timeout.ms=6000",
	}
	lines = append(append(lines, a.settings...), settings...)
	path := filepath.Join(dir, "audit.properties")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		a.t.Fatal(err)
	}
	return path
}

// start starts an instance of the program as it is shipped.
func (a *audit) start(file string, flags ...string) *program {
	a.t.Helper()
	return launch(a.t, plain, file, nil, flags...)
}

// finish audits what is left, to the end.
func (a *audit) finish(file string) {
	a.t.Helper()
	p := a.start(file, "--stop-at-end")
	if code := p.wait(); code != 0 {
		a.t.Fatalf("run --stop-at-end: exit %d", code)
	}
}

// committed is the sum of the committed offsets of the audit's group.
func (a *audit) committed() (sum int64) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	offsets, err := a.adm.FetchOffsets(ctx, a.names.Group)
	if err == nil {
		err = offsets.Error()
	}
	if err != nil {
		a.adm = a.k.Admin(a.t) // a client goes on asking a coordinator that is dead
		return -1
	}
	for _, o := range offsets[a.topic] {
		sum += max(0, o.At)
	}
	return sum
}

// awaitCommitted waits until the group has made n records durable.
func (a *audit) awaitCommitted(n int64) {
	a.t.Helper()
	kafkatest.Eventually(a.t, fmt.Sprintf("%d committed records", n), func() bool { return a.committed() >= n })
}

// moving waits until the group has got so many records further.
func (a *audit) moving(n int64) {
	a.t.Helper()
	a.awaitCommitted(max(0, a.committed()) + n)
}

// reports reads the audit topic as a subscriber does, once no transaction is
// open on it any more.
func (a *audit) reports() []*engine.Report {
	a.t.Helper()
	a.k.AwaitStable(a.t, a.auditTopic())
	var reports []*engine.Report
	for _, record := range a.k.ReadAll(a.t, a.auditTopic(), true) {
		r := new(engine.Report)
		if err := json.Unmarshal(record.Value, r); err != nil {
			a.t.Fatalf("report at offset %d: %v", record.Offset, err)
		}
		reports = append(reports, r)
	}
	return reports
}

// outcome is what a subscriber has in the end.
type outcome struct {
	final    *engine.Report
	opened   map[string]engine.Finding // by id
	repeats  []string                  // findings and reports that came more than once
	conflict []string                  // repeats that do not say the same
	windows  map[int32]int64           // records by partition that INTERVAL reports count
	reports  []*engine.Report
}

func (a *audit) outcome() *outcome {
	a.t.Helper()
	o := &outcome{opened: map[string]engine.Finding{}, windows: map[int32]int64{}, reports: append(a.before, a.reports()...)}
	seen := map[string]*engine.Report{}
	in := map[string]string{} // finding -> report in which it is opened
	for _, r := range o.reports {
		if r.Scope == engine.ScopeTopic && r.Trigger == engine.TriggerFinal {
			o.final = r
		}
		if before := seen[r.ID]; before != nil {
			o.repeats = append(o.repeats, "report "+r.ID)
			if before.Counts.Records != r.Counts.Records && r.Trigger == engine.TriggerInterval && r.Scope == engine.ScopePartition {
				o.conflict = append(o.conflict, fmt.Sprintf("report %s of window %v counts %d and %d records", r.ID, r.WindowStart, before.Counts.Records, r.Counts.Records))
			}
		} else if r.Scope == engine.ScopePartition && r.Trigger == engine.TriggerInterval {
			o.windows[*r.Partition] += r.Counts.Records
		}
		seen[r.ID] = r
		for _, f := range r.Findings {
			if f.State != engine.Opened {
				continue
			}
			if was, ok := o.opened[f.ID]; ok {
				o.repeats = append(o.repeats, "finding "+f.ID)
				if in[f.ID] != r.ID || was.FirstOffset != f.FirstOffset || was.Code != f.Code {
					o.conflict = append(o.conflict, fmt.Sprintf("finding %s is opened by reports %s and %s", f.ID, in[f.ID], r.ID))
				}
				continue
			}
			o.opened[f.ID], in[f.ID] = f, r.ID
		}
	}
	if o.final == nil {
		a.t.Fatalf("no FINAL report among %d", len(o.reports))
	}
	return o
}

// check compares a subscriber's view with what the engine alone judges of the
// same records: totals, windows and the set of findings. Codes that tell of
// the audit itself may come besides. With repeats a report may come twice, as
// long as it says the same; without, none may.
func (a *audit) check(want *expected, repeats bool, besides ...engine.Code) *outcome {
	t := a.t
	t.Helper()
	o := a.outcome()
	f := o.final
	if f.TotalTicks != want.total || f.Counts.Ticks != want.total || f.Counts.Records != want.total {
		t.Errorf("total %d, ticks %d, records %d; produced %d", f.TotalTicks, f.Counts.Ticks, f.Counts.Records, want.total)
	}
	if f.Counts.Disorder != want.disorder {
		t.Errorf("disorder %d, injected %d", f.Counts.Disorder, want.disorder)
	}
	for p, n := range want.ticks {
		if got := f.PartitionTicks[itoa(int(p))]; got != n {
			t.Errorf("partition %d: %d ticks, produced %d", p, got, n)
		}
		if got := o.windows[p]; got != n {
			t.Errorf("partition %d: its windows count %d records, produced %d", p, got, n)
		}
	}
	missing := 0
	for id, w := range want.findings {
		if _, ok := o.opened[id]; !ok {
			if missing++; missing <= 5 {
				t.Errorf("missing: %s of %s at %d@%d", w.Code, w.Symbol, *w.Partition, w.FirstOffset)
			}
		}
	}
	wrong := 0
	for id, got := range o.opened {
		if _, ok := want.findings[id]; !ok && !slices.Contains(besides, got.Code) {
			if wrong++; wrong <= 5 {
				t.Errorf("%s was not injected: symbol %q, offset %d, %s", got.Code, got.Symbol, got.FirstOffset, got.Cause)
			}
		}
	}
	if missing+wrong > 0 {
		t.Errorf("%d findings missing, %d too many, of %d", missing, wrong, len(want.findings))
	}
	if !repeats && len(o.repeats) > 0 {
		t.Errorf("%d repeats for a read-committed reader, the first: %s", len(o.repeats), o.repeats[0])
	}
	if len(o.conflict) > 0 {
		t.Errorf("%d repeats that differ, the first: %s", len(o.conflict), o.conflict[0])
	}
	t.Logf("%d ticks, %d findings, %d reports, %d repeats", want.total, len(want.findings), len(o.reports), len(o.repeats))
	return o
}
