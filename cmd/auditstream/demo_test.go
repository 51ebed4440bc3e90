package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/auditstream/auditstream/internal/demo"
)

// TestDemoFindsEveryFaultAndNothingElse plays the demo in every format with a
// schedule in which faults overlap; it ends once all of them are found.
func TestDemoFindsEveryFaultAndNothingElse(t *testing.T) {
	for _, format := range demo.Formats() {
		t.Run(format.Name, func(t *testing.T) {
			t.Parallel()
			var out, logs bytes.Buffer
			a := newApp(strings.NewReader(""), &out, &logs, nil)
			a.logLevel = "info"
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
			defer cancel()
			err := a.demo(ctx, demo.Options{Seed: 1, Format: format, Schedule: demo.Brief(format), Hasty: true})
			if err != nil {
				t.Errorf("the demo failed: %v\n%s\n%s", err, out.String(), logs.String())
			}
			wanted := 0
			for _, fault := range demo.Brief(format).Faults {
				wanted += len(fault.Expect)
			}
			if !strings.Contains(out.String(), fmt.Sprintf("%d of %d findings of injected faults found, 0 others", wanted, wanted)) {
				t.Errorf("no such summary in:\n%s", out.String())
			}
			if logs.Len() > 0 {
				t.Errorf("the audit logged:\n%s", logs.String())
			}
		})
	}
}

func TestDemoEndsAtOnceWhenInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	out := &cutter{w: io.Discard, at: "http", cut: interrupt}
	if code := run(ctx, []string{"demo"}, strings.NewReader(""), out, os.Stderr, nil); code != exitDone {
		t.Errorf("exit code %d", code)
	}
}

func TestDemoKnowsItsFaultsByName(t *testing.T) {
	var out, said bytes.Buffer
	if code := run(t.Context(), []string{"demo", "--list-faults"}, strings.NewReader(""), &out, &said, nil); code != exitDone || !strings.Contains(out.String(), "\nsequence-gap ") {
		t.Errorf("exit code %d: %s%s", code, &out, &said)
	}
	said.Reset()
	code := run(t.Context(), []string{"demo", "--format", "xml"}, strings.NewReader(""), &out, &said, nil)
	if code != exitUsage || !strings.Contains(said.String(), `--format: "xml" is not json, binance, csv, avro or protobuf`) {
		t.Errorf("exit code %d: %s", code, &said)
	}
	said.Reset()
	code = run(t.Context(), []string{"demo", "--faults", "disorder,sequence gap"}, strings.NewReader(""), &out, &said, nil)
	if code != exitUsage || !strings.Contains(said.String(), `fault "sequence gap"`) {
		t.Errorf("exit code %d: %s", code, &said)
	}
}

// cutter calls cut once a write holds the text at.
type cutter struct {
	w   io.Writer
	at  string
	cut func()
}

func (c *cutter) Write(b []byte) (int, error) {
	if bytes.Contains(b, []byte(c.at)) {
		c.cut()
	}
	return c.w.Write(b)
}
