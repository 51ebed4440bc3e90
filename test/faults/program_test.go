package faults

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/auditstream/auditstream/internal/kafkatest"
)

// program is one life of `auditstream run`.
type program struct {
	t    *testing.T
	cmd  *exec.Cmd
	said *said
	done chan struct{}
	url  string
}

// said collects what the program logs, and can be asked at any time.
type said struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// launch starts a program with a configuration file; env is added to its
// environment. It is killed when the test ends before it.
func launch(t *testing.T, built func() (string, error), file string, env []string, flags ...string) *program {
	t.Helper()
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	p := &program{t: t, cmd: exec.Command(path, append([]string{"run", "-c", file}, flags...)...), said: &said{}, done: make(chan struct{})}
	// The tests' own variables would be told as keys that do not exist.
	p.cmd.Env = slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "AUDITSTREAM_") })
	p.cmd.Env = append(p.cmd.Env, env...)
	p.cmd.Stderr = p.said
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.done)
		_ = p.cmd.Wait()
	}()
	t.Cleanup(func() {
		p.kill()
		if t.Failed() || os.Getenv("AUDITSTREAM_TEST_LOG") != "" { // logged in full when asked for
			text := strings.Join(slices.DeleteFunc(p.lines(""), func(line string) bool {
				return strings.Contains(line, `"message":"finding"`)
			}), "\n")
			t.Logf("pid %d said, findings left out:\n%s", p.cmd.Process.Pid, text[max(0, len(text)-6000):])
		}
	})
	return p
}

func (p *program) signal(s syscall.Signal) { _ = p.cmd.Process.Signal(s) }

// kill is kill -9.
func (p *program) kill() {
	p.signal(syscall.SIGKILL)
	<-p.done
}

// wait waits for the program's own end and gives its exit code, -1 for a
// signal's.
func (p *program) wait() int {
	p.t.Helper()
	select {
	case <-p.done:
	case <-time.After(2 * kafkatest.AwaitTimeout):
		p.signal(syscall.SIGQUIT) // its goroutines, for the log
		<-p.done
		p.t.Fatal("the program does not end")
	}
	return p.cmd.ProcessState.ExitCode()
}

func (p *program) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// stop ends the program in order; it must take no longer than a stop may.
func (p *program) stop() {
	p.t.Helper()
	began := time.Now()
	p.signal(syscall.SIGTERM)
	if code := p.wait(); code != 0 {
		p.t.Errorf("stopped with exit code %d", code)
	}
	p.t.Logf("stopped in %s", time.Since(began).Round(time.Millisecond))
}

// stopWithin ends the program and holds it to a time in which it ends whatever
// its exit code is; the code is returned.
func (p *program) stopWithin(limit time.Duration) int {
	p.t.Helper()
	began := time.Now()
	p.signal(syscall.SIGTERM)
	code := p.wait()
	if took := time.Since(began); took > limit {
		p.t.Errorf("the stop took %s, at most %s", took.Round(time.Millisecond), limit)
	}
	return code
}

// killed waits until the program has been killed at its fault point.
func (p *program) killed(point string) {
	p.t.Helper()
	p.wait()
	status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() || status.Signal() != syscall.SIGKILL {
		p.t.Fatalf("not killed at %s, but ended with %s", point, p.cmd.ProcessState)
	}
}

// get asks the program's HTTP interface; it answers nothing before it listens.
func (p *program) get(path string) (status int, body string) {
	if p.url == "" {
		p.url = p.listens()
	}
	if p.url == "" {
		return 0, ""
	}
	client := http.Client{Timeout: 2 * time.Second}
	resp, err := client.Get(p.url + path)
	if err != nil {
		return 0, ""
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, ""
	}
	return resp.StatusCode, string(text)
}

// listens finds the address in the log.
func (p *program) listens() string {
	for line := range strings.Lines(p.said.String()) {
		var entry struct {
			HTTP []string `json:"http"`
		}
		if json.Unmarshal([]byte(line), &entry) == nil && len(entry.HTTP) > 0 {
			if strings.HasPrefix(entry.HTTP[0], "http://") {
				return entry.HTTP[0]
			}
			return "http://" + entry.HTTP[0]
		}
	}
	return ""
}

func (p *program) ready() bool {
	status, _ := p.get("/readyz")
	return status == http.StatusOK
}

func (p *program) awaitReady() {
	p.t.Helper()
	kafkatest.Eventually(p.t, "the program to be ready", func() bool {
		if p.ended() {
			p.t.Fatalf("the program ended: %s", p.cmd.ProcessState)
		}
		return p.ready()
	})
}

// metric is the sum over all series of a metric, NaN-free; 0 when it is not
// there.
func (p *program) metric(name string) (sum float64) {
	_, body := p.get("/metrics")
	for line := range strings.Lines(body) {
		series, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		base, _, _ := strings.Cut(series, "{")
		if base != name {
			continue
		}
		var v float64
		if err := json.Unmarshal([]byte(value), &v); err == nil {
			sum += v
		}
	}
	return sum
}

// lines are the logged lines that contain a text.
func (p *program) lines(text string) (found []string) {
	for line := range strings.Lines(p.said.String()) {
		if strings.Contains(line, text) {
			found = append(found, strings.TrimSpace(line))
		}
	}
	return found
}

// complaint is the message with which a failed program ended.
func (p *program) complaint() string {
	for _, line := range p.lines("auditstream: ") {
		if strings.HasPrefix(line, "auditstream: ") {
			return line
		}
	}
	return ""
}

// openFiles counts the process's file handles.
func (p *program) openFiles() int {
	entries, err := os.ReadDir("/proc/" + itoa(p.cmd.Process.Pid) + "/fd")
	if err != nil {
		p.t.Fatal(err)
	}
	return len(entries)
}
