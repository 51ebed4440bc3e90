package processors_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/internal/kafkatest"
	"github.com/auditstream/auditstream/processors"
	"github.com/auditstream/auditstream/topology"
)

// childEnv makes the test's program an audit of its own instead: kill -9 needs
// a process.
const childEnv = "AUDITSTREAM_TEST_CHILD"

// childConfig is what a child is told.
type childConfig struct {
	Brokers     []string
	Topology    topology.Topology
	Instance    string
	StateDir    string
	ExactlyOnce bool
	StopAtEnd   bool
	Interval    time.Duration
	FetchBytes  int32 // 0: as much as comes
}

func TestChild(t *testing.T) {
	raw := os.Getenv(childEnv)
	if raw == "" {
		return // it is not a child
	}
	var c childConfig
	if err := json.Unmarshal([]byte(raw), &c); err != nil {
		t.Fatal(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	cfg := auditConfig(nil, c.Brokers, c.Topology)
	cfg.InstanceID, cfg.StateDir, cfg.ExactlyOnce, cfg.StopAtEnd = c.Instance, c.StateDir, c.ExactlyOnce, c.StopAtEnd
	cfg.CheckpointInterval = c.Interval
	if c.FetchBytes > 0 {
		cfg.ConsumerOptions = append(cfg.ConsumerOptions, kgo.FetchMaxBytes(c.FetchBytes), kgo.FetchMaxPartitionBytes(c.FetchBytes))
	}
	go tellReady(ctx, cfg.Status)
	if err := processors.Run(ctx, cfg); err != nil {
		t.Fatal(err)
	}
}

// tellReady writes a line once the audit is ready.
func tellReady(ctx context.Context, status *processors.Status) {
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for !status.Stats().Ready {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
	fmt.Fprintln(os.Stdout, "ready")
}

// child is an audit in a process of its own.
type child struct {
	t    *testing.T
	cmd  *exec.Cmd
	out  *bufio.Scanner
	done chan error
}

// spawn starts a child with a state folder of its own.
func (r *rig) spawn(instance string, opts ...option) *child {
	r.t.Helper()
	was := r.cfg
	defer func() { r.cfg = was }()
	for _, o := range opts {
		o(r)
	}
	raw, err := json.Marshal(childConfig{
		Brokers: r.cluster.Brokers, Topology: r.topo, Instance: instance, StateDir: r.t.TempDir(),
		ExactlyOnce: r.cfg.ExactlyOnce, StopAtEnd: r.cfg.StopAtEnd, Interval: r.cfg.CheckpointInterval,
		FetchBytes: r.fetchBytes,
	})
	if err != nil {
		r.t.Fatal(err)
	}
	c := &child{t: r.t, cmd: exec.Command(os.Args[0], "-test.run=^TestChild$"), done: make(chan error, 1)}
	c.cmd.Env = append(os.Environ(), childEnv+"="+string(raw))
	c.cmd.Stderr = os.Stderr
	// What the child writes after its first line is the test framework's.
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	c.out = bufio.NewScanner(out)
	if err := c.cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(c.kill)
	return c
}

func (c *child) awaitReady() {
	c.t.Helper()
	if !c.out.Scan() {
		c.t.Fatal("the child ended before it was ready")
	}
}

// kill is kill -9.
func (c *child) kill() {
	if c.cmd.ProcessState == nil {
		_ = c.cmd.Process.Kill()
		_ = c.cmd.Wait()
	}
}

// wait waits for the child's own end.
func (c *child) wait() {
	c.t.Helper()
	go func() { c.done <- c.cmd.Wait() }()
	select {
	case err := <-c.done:
		if err != nil {
			c.t.Fatalf("child: %v", err)
		}
	case <-time.After(kafkatest.AwaitTimeout):
		c.t.Fatal("the child does not end")
	}
}

// failure waits until the child has failed and returns what it wrote.
func (c *child) failure() string {
	c.t.Helper()
	timer := time.AfterFunc(kafkatest.AwaitTimeout, func() { _ = c.cmd.Process.Kill() })
	defer timer.Stop()
	var output strings.Builder
	for c.out.Scan() {
		output.WriteString(c.out.Text() + "\n")
	}
	if err := c.cmd.Wait(); err == nil {
		c.t.Error("the child ended in order")
	}
	return output.String()
}
