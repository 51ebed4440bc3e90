package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

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

// TestScript runs the program as a process. A script has the addresses of an
// in-process broker in $BROKERS and of a port without one in $NOBROKER, and the
// command exitcode.
func TestScript(t *testing.T) {
	brokers := strings.Join(kafkatest.Fake(t).Brokers, ",")
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("BROKERS", brokers)
			env.Setenv("NOBROKER", "127.0.0.1:1")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exitcode": exitcode},
	})
}

// exitcode CODE PROGRAM ARGS… runs a program and compares its exit code.
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
	if got, want := limitsOf(config.Default()), engine.DefaultLimits(); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
