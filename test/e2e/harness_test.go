package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/feedtest"
	"github.com/auditstream/auditstream/internal/kafkatest"
	"github.com/auditstream/auditstream/internal/programtest"
)

// record is a record for produce.py.
type record struct {
	Topic     string `json:"topic"`
	Key       string `json:"key"`
	Value     string `json:"value"`
	Timestamp int64  `json:"timestamp,omitempty"` // milliseconds; 0: the producer's clock
}

// place is where a record came to lie.
type place struct {
	Partition int32 `json:"partition"`
	Offset    int64 `json:"offset"`
}

func TestMain(m *testing.M) { programtest.Main(m) }

// python is an interpreter that has confluent-kafka.
func python(t *testing.T) string {
	t.Helper()
	path := os.Getenv("AUDITSTREAM_TEST_PYTHON")
	if path == "" {
		path = "python3"
	}
	if out, err := exec.Command(path, "-c", "import confluent_kafka").CombinedOutput(); err != nil {
		kafkatest.SkipOrFail(t, "%s has no confluent-kafka (pip install -r test/e2e/requirements.txt; AUDITSTREAM_TEST_PYTHON): %s", path, out)
	}
	return path
}

// produce writes the records with confluent-kafka and returns their places.
func produce(t *testing.T, c *kafkatest.Cluster, records []record, settings ...string) []place {
	t.Helper()
	var in bytes.Buffer
	for i := range records {
		line, err := json.Marshal(&records[i])
		if err != nil {
			t.Fatal(err)
		}
		in.Write(append(line, '\n'))
	}
	cmd := exec.Command(python(t), append([]string{"produce.py", c.Brokers[0]}, settings...)...)
	var complaint bytes.Buffer
	cmd.Stdin, cmd.Stderr = &in, &complaint
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("produce.py: %v\n%s", err, &complaint)
	}
	places := make([]place, 0, len(records))
	for line := range bytes.Lines(out) {
		var p place
		if err := json.Unmarshal(line, &p); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		places = append(places, p)
	}
	if len(places) != len(records) {
		t.Fatalf("%d of %d records were acknowledged", len(places), len(records))
	}
	return places
}

// consume reads the reports back with confluent-kafka, read committed.
func consume(t *testing.T, c *kafkatest.Cluster, topic string) []*engine.Report {
	t.Helper()
	cmd := exec.Command(python(t), "consume.py", c.Brokers[0], topic)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("consume.py: %v\n%s", err, &complaint)
	}
	var reports []*engine.Report
	for line := range bytes.Lines(out) {
		r := new(engine.Report)
		if err := json.Unmarshal(line, r); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		reports = append(reports, r)
	}
	return reports
}

// audited is one audit under test: a name, a tick topic, a configuration.
type audited struct {
	*kafkatest.Cluster
	name, topic, audit, file string
}

func newAudited(t *testing.T, partitions int, settings ...string) *audited {
	t.Helper()
	c := kafkatest.Real(t)
	a := &audited{Cluster: c, name: kafkatest.Name(t)}
	a.topic = c.Topic(t, partitions)
	a.audit = a.topic + ".audit"
	a.configure(t, settings...)
	c.DeleteTopicsAtEnd(t, a.audit, a.table(), "auditstream-"+a.name+"-distribution", "auditstream-"+a.name+"-distribution-table")
	return a
}

func (a *audited) table() string { return "auditstream-" + a.name + "-table" }

// configure writes the configuration file anew, with an empty state folder.
func (a *audited) configure(t *testing.T, settings ...string) {
	t.Helper()
	a.file = programtest.Configure(t, append([]string{
		"name=" + a.name, "bootstrap.servers=" + strings.Join(a.Brokers, ","), "topics=" + a.topic,
	}, settings...)...)
}

// command is the built program, killed when it outlives the test's patience.
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	return programtest.Command(t, 90*time.Second, args...)
}

// run runs the program to its end and returns its exit code and what it said.
func run(t *testing.T, args ...string) (code int, stderr string) {
	t.Helper()
	cmd := command(t, args...)
	var said bytes.Buffer
	cmd.Stderr = &said
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0, said.String()
	case errors.As(err, &exit):
		return exit.ExitCode(), said.String()
	}
	t.Fatalf("%v: %v", args, err)
	return -1, ""
}

// toEnd audits the topic to its end and returns the reports.
func (a *audited) toEnd(t *testing.T) []*engine.Report {
	t.Helper()
	if code, said := run(t, "run", "-c", a.file, "--stop-at-end"); code != 0 {
		t.Fatalf("run --stop-at-end: exit %d\n%s", code, said)
	}
	return consume(t, a.Cluster, a.audit)
}

// final is the last report of TOPIC scope, which must be FINAL.
func final(t *testing.T, reports []*engine.Report) *engine.Report {
	t.Helper()
	for i := len(reports) - 1; i >= 0; i-- {
		if r := reports[i]; r.Scope == engine.ScopeTopic {
			if r.Trigger != engine.TriggerFinal {
				t.Fatalf("the last TOPIC report is %s", r.Trigger)
			}
			return r
		}
	}
	t.Fatalf("no TOPIC report among %d", len(reports))
	return nil
}

// opened lists the findings that were opened, and fails when one was twice.
func opened(t *testing.T, reports []*engine.Report) []engine.Finding {
	t.Helper()
	var fs []engine.Finding
	seen := map[string]bool{}
	for _, r := range reports {
		for _, f := range r.Findings {
			if f.State != engine.Opened {
				continue
			}
			if seen[f.ID] {
				t.Errorf("finding %s (%s of %s) is opened twice", f.ID, f.Code, f.Symbol)
			}
			seen[f.ID] = true
			fs = append(fs, f)
		}
	}
	return fs
}

// trade is a trade message of the recorded spot feed.
type trade struct {
	received int64 // milliseconds
	symbol   string
	message  string // as received
	time     int64  // data.T, milliseconds
}

// trades reads the trades of the recorded spot feed.
func trades(t *testing.T) []trade {
	t.Helper()
	var ts []trade
	for _, m := range feedtest.Trades(t) {
		ts = append(ts, trade{m.Received / 1e6, m.Symbol, m.Text, m.Time})
	}
	return ts
}
