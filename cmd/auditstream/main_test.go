package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/config"
	"github.com/auditstream/auditstream/internal/doctest"
	"github.com/auditstream/auditstream/internal/kafka"
	"github.com/auditstream/auditstream/internal/kafkatest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"auditstream": main})
}

func TestDocsFindings(t *testing.T) {
	doctest.Check(t, "findings.md", findingsPage())
}

// TestScript runs the program as a process. Scripts share an in-process broker,
// which is configured by variables; $NOBROKER is an address without one. Their
// own commands are
//
//	exitcode CODE PROGRAM ARGS…      run a program and compare its exit code
//	topic NAME PARTITIONS [FILE]     make a topic; FILE has a value a line, for partition 0
//	foreign GROUP TOPIC              a member of another program joins the group
func TestScript(t *testing.T) {
	cluster := kafkatest.Fake(t)
	brokers := strings.Join(cluster.Brokers, ",")
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("BROKERS", brokers)
			env.Setenv("KEY", "a\x1b[31mb")
			env.Setenv("NOBROKER", "127.0.0.1:1")
			env.Setenv("AUDITSTREAM_BOOTSTRAP_SERVERS", brokers)
			env.Setenv("AUDITSTREAM_REST_LISTENERS", "")
			env.Setenv("AUDITSTREAM_STATE_DIR", env.WorkDir+"/state")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exitcode": exitcode,
			"topic":    func(ts *testscript.TestScript, _ bool, args []string) { makeTopic(ts, t, cluster, args) },
			"foreign":  func(ts *testscript.TestScript, _ bool, args []string) { foreignMember(t, cluster, args[0], args[1]) },
		},
	})
}

func makeTopic(ts *testscript.TestScript, t *testing.T, cluster *kafkatest.Cluster, args []string) {
	partitions, err := strconv.Atoi(args[1])
	ts.Check(err)
	cluster.CreateTopic(t, args[0], partitions)
	if len(args) < 3 {
		return
	}
	var records []*kgo.Record
	for line := range strings.Lines(ts.ReadFile(args[2])) {
		key, _, _ := strings.Cut(strings.TrimPrefix(line, `{"symbol":"`), `"`)
		records = append(records, &kgo.Record{Topic: args[0], Key: []byte(key), Value: []byte(strings.TrimSpace(line))})
	}
	cluster.Produce(t, records...)
}

func foreignMember(t *testing.T, cluster *kafkatest.Cluster, group, topic string) {
	member := cluster.Client(t, kgo.ConsumerGroup(group), kgo.ConsumeTopics(topic), kgo.ClientID("strategy-7"))
	kafkatest.Eventually(t, "the member to join", func() bool {
		poll, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer stop()
		member.PollFetches(poll)
		id, _ := member.GroupMetadata()
		return id != ""
	})
}

func exitcode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exitcode CODE PROGRAM ARGS…")
	}
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit interface{ ExitCode() int }
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if want := args[0]; fmt.Sprint(got) != want {
		ts.Fatalf("exit code %d, want %s", got, want)
	}
}

// invoke runs the program within the test.
func invoke(args ...string) (code int, out, err string) {
	var stdout, stderr bytes.Buffer
	code = run(context.Background(), args, strings.NewReader(""), &stdout, &stderr, nil)
	return code, stdout.String(), stderr.String()
}

func TestExitCodesOfErrors(t *testing.T) {
	for _, test := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{errors.New("failed"), 1},
		{fmt.Errorf("run: %w", &kafka.Error{Err: errors.New("unreachable")}), 1},
		{fmt.Errorf("run: %w", &kafka.Error{Configuration: true, Err: errors.New("no topic")}), 2},
		{fmt.Errorf("run: %w", &config.Error{Faults: []config.Fault{{Key: "topics"}}}), 2},
		{fmt.Errorf("run: %w", usagef("bad flag")), 2},
		{withTry(findingsError{3, "WARNING"}, "look"), 3},
	} {
		if got := exitCode(test.err); got != test.want {
			t.Errorf("%v: %d, want %d", test.err, got, test.want)
		}
	}
}

func TestEveryCommandHasHelp(t *testing.T) {
	for _, cmd := range newApp(nil, nil, nil, nil).commands() {
		code, out, err := invoke(cmd.Name(), "--help")
		if code != 0 || err != "" || !strings.Contains(out, "Usage:") || cmd.Short == "" {
			t.Errorf("%s --help: exit %d, stderr %q", cmd.Name(), code, err)
		}
	}
}

func TestEveryFindingIsExplained(t *testing.T) {
	for _, info := range engine.Codes() {
		code, out, _ := invoke("explain", info.Name)
		if code != 0 || !strings.Contains(out, info.Meaning) || !strings.Contains(out, info.Action) {
			t.Errorf("%s: exit %d, %s", info.Name, code, out)
		}
	}
}

// No colour reaches a file or a pipe.
func TestNoColourWithoutTerminal(t *testing.T) {
	_, _, stderr := invoke("nothing")
	if strings.Contains(stderr, "\x1b") {
		t.Errorf("stderr %q", stderr)
	}
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if newApp(nil, f, f, nil).colour(f) {
		t.Error("a file is no terminal")
	}
}

func TestLimitsOfDefaultsAreTheEnginesDefaults(t *testing.T) {
	if got, want := limitsOf(config.Default()), engine.DefaultLimits(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestSecondInterruptEndsTheProcess(t *testing.T) {
	signals := make(chan os.Signal, 2)
	var told []string
	signals <- os.Interrupt
	signals <- os.Interrupt
	obey(signals, func() { told = append(told, "stop") }, func(code int) { told = append(told, fmt.Sprint("exit ", code)) })
	if got := strings.Join(told, ", "); got != "stop, exit 130" {
		t.Errorf("got %s", got)
	}
}

// seen is a writer that tells when a text has passed.
type seen struct {
	text string
	once sync.Once
	done chan struct{}
}

func (s *seen) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(s.text)) {
		s.once.Do(func() { close(s.done) })
	}
	return len(p), nil
}

func TestInterruptedRunEndsInOrder(t *testing.T) {
	cluster := kafkatest.Fake(t)
	topic := cluster.Topic(t, 2)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	stderr := &seen{text: "audit starts", done: make(chan struct{})}
	code := make(chan int)
	go func() {
		code <- run(ctx, []string{"run", "--set", "topics=" + topic, "--set", "state.dir=" + t.TempDir(), "--set", "rest.listeners=",
			"--set", "bootstrap.servers=" + strings.Join(cluster.Brokers, ",")}, nil, io.Discard, stderr, nil)
	}()
	select {
	case <-stderr.done:
	case early := <-code:
		t.Fatalf("ended by itself with %d", early)
	}
	stop()
	if got := <-code; got != 0 {
		t.Errorf("exit code %d after an interrupt, want 0", got)
	}
}
