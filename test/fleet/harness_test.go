package fleet

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/kafkatest"
	"github.com/auditstream/auditstream/internal/programtest"
	"github.com/auditstream/auditstream/topology"
)

func TestMain(m *testing.M) { programtest.Main(m) }

// audit is one audit of one topic, whatever processes run it.
type audit struct {
	*kafkatest.Cluster
	names       topology.Names
	name, topic string
	into        string // topic of its reports, "": the one that is made for it
	settings    []string
}

func newAudit(t *testing.T, partitions int, settings ...string) *audit {
	t.Helper()
	a := &audit{Cluster: kafkatest.Real(t), name: kafkatest.Name(t), settings: settings}
	a.topic = a.Topic(t, partitions)
	a.names = topology.NamesOf(a.name)
	a.DeleteTopicsAtEnd(t, a.reports(), a.names.Table, a.names.DistributionTopic, a.names.DistributionTable)
	return a
}

func (a *audit) reports() string { return cmp.Or(a.into, a.topic+".audit") }

// anew is another audit of the topic, from its first record on.
func (a *audit) anew(t *testing.T) *audit {
	t.Helper()
	b := *a
	b.name = kafkatest.Name(t)
	b.into, b.names = b.name+".audit", topology.NamesOf(b.name)
	b.settings = append(slices.Clone(a.settings), "audit.topic="+b.into)
	b.DeleteTopicsAtEnd(t, b.into, b.names.Table, b.names.DistributionTopic, b.names.DistributionTable)
	return &b
}

// replayed is the FINAL report of a replay of the topic.
func (a *audit) replayed(t *testing.T) *engine.Report {
	t.Helper()
	out := output(t, nil, command(t, "replay", "-c", a.configure(t), "--fail-on", "never"))
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	r := new(engine.Report)
	if err := json.Unmarshal(lines[len(lines)-1], r); err != nil {
		t.Fatal(err)
	}
	return r
}

// configure writes a configuration of the audit, with a state folder of its
// own.
func (a *audit) configure(t *testing.T, settings ...string) string {
	t.Helper()
	return programtest.Configure(t, append([]string{
		"name=" + a.name, "bootstrap.servers=" + strings.Join(a.Brokers, ","), "topics=" + a.topic,
	}, append(a.settings, settings...)...)...)
}

func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	return programtest.Command(t, 3*time.Minute, args...)
}

// program is an instance that runs until it is stopped.
type program struct {
	cmd  *exec.Cmd
	said *bytes.Buffer
}

func (a *audit) start(t *testing.T, settings ...string) *program {
	t.Helper()
	p := &program{command(t, "run", "-c", a.configure(t, settings...)), new(bytes.Buffer)}
	p.cmd.Stderr = p.said
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// stop ends the instance as an operator does; it must end in order.
func (p *program) stop(t *testing.T) {
	t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatalf("the instance has ended: %v\n%s", err, p.said)
	}
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("the instance ended with %v\n%s", err, p.said)
	}
}

// toEnd audits what is there to its end.
func (a *audit) toEnd(t *testing.T, settings ...string) {
	t.Helper()
	cmd := command(t, "run", "-c", a.configure(t, settings...), "--stop-at-end")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("run --stop-at-end: %v\n%s", err, out)
	}
}

// read gives all reports, in the order of their partitions.
func (a *audit) read(t *testing.T) (reports []*engine.Report) {
	t.Helper()
	a.AwaitStable(t, a.reports())
	for _, r := range a.ReadAll(t, a.reports(), true) {
		report := new(engine.Report)
		if err := json.Unmarshal(r.Value, report); err != nil {
			t.Fatalf("%s: %v", r.Value, err)
		}
		reports = append(reports, report)
	}
	return reports
}

// final is the last FINAL report of the topic.
func final(t *testing.T, reports []*engine.Report) *engine.Report {
	t.Helper()
	for _, r := range slices.Backward(reports) {
		if r.Scope == engine.ScopeTopic && r.Trigger == engine.TriggerFinal {
			return r
		}
	}
	t.Fatalf("no FINAL report among %d", len(reports))
	return nil
}

// opened are the findings of a code that were opened; none may be twice.
func opened(t *testing.T, reports []*engine.Report, codes ...engine.Code) (fs []engine.Finding) {
	t.Helper()
	seen := map[string]bool{}
	for _, r := range reports {
		for _, f := range r.Findings {
			if f.State != engine.Opened || !slices.Contains(codes, f.Code) {
				continue
			}
			if seen[f.ID] {
				t.Errorf("%s of %s is opened twice", f.Code, f.Symbol)
			}
			seen[f.ID] = true
			fs = append(fs, f)
		}
	}
	return fs
}

// tool is a program of another language; the test is skipped, or fails, where
// it is not there.
func tool(t *testing.T, variable, otherwise string, probe ...string) string {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		path = otherwise
	}
	if out, err := exec.Command(path, probe...).CombinedOutput(); err != nil {
		kafkatest.SkipOrFail(t, "%s %s: %v %s (set %s)", path, strings.Join(probe, " "), err, out, variable)
	}
	return path
}

// output runs a command to its end with input.
func output(t *testing.T, in []byte, cmd *exec.Cmd) []byte {
	t.Helper()
	cmd.Stdin = bytes.NewReader(in)
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("%s: %v\n%s", cmd, err, exit.Stderr)
		}
		t.Fatalf("%s: %v", cmd, err)
	}
	return out
}
