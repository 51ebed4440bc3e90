package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/auditstream/auditstream/internal/kafkatest"
)

// connectClient is kafka-connect-py's command line on one address.
type connectClient struct {
	t                *testing.T
	url              string
	user, credential string
	*connectProcess
}

type connectProcess struct {
	commands io.Writer
	answers  *json.Decoder
}

func startConnectClient(t *testing.T) *connectProcess {
	t.Helper()
	interpreter := python(t)
	if out, err := exec.Command(interpreter, "-c", "import kafka_connect").CombinedOutput(); err != nil {
		kafkatest.SkipOrFail(t, "%s has no kafka-connect-py (pip install -r test/e2e/requirements.txt): %s", interpreter, out)
	}
	cmd := exec.Command(interpreter, "connect.py")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Wait()
	})
	return &connectProcess{in, json.NewDecoder(out)}
}

// run runs one command of the client.
func (c *connectClient) run(args ...string) (out string, ok bool) {
	c.t.Helper()
	line, err := json.Marshal(append([]string{"-u", c.url, "-a", c.user + ":" + c.credential}, args...))
	if err != nil {
		c.t.Fatal(err)
	}
	var answer struct {
		Code int
		Out  string
	}
	if _, err := c.commands.Write(append(line, '\n')); err != nil {
		c.t.Fatal(err)
	}
	if err := c.answers.Decode(&answer); err != nil {
		c.t.Fatal(err)
	}
	return answer.Out, answer.Code == 0
}

// says runs a command whose JSON must hold the text, white space aside.
func (c *connectClient) says(want string, args ...string) {
	c.t.Helper()
	out, ok := c.run(args...)
	if !ok || !strings.Contains(strings.ReplaceAll(out, " ", ""), want) {
		c.t.Errorf("%v\n got %s\nwant %s", args, out, want)
	}
}

func (c *connectClient) await(want string, args ...string) {
	c.t.Helper()
	kafkatest.Eventually(c.t, want, func() bool {
		out, ok := c.run(args...)
		return ok && strings.Contains(strings.ReplaceAll(out, " ", ""), want)
	})
}

// offsets sums up the next offsets to read; the client has no command for it.
func (c *connectClient) offsets(name string) (sum int64) {
	c.t.Helper()
	request, err := http.NewRequest(http.MethodGet, c.url+"/connectors/"+name+"/offsets", nil)
	if err != nil {
		c.t.Fatal(err)
	}
	request.SetBasicAuth(c.user, c.credential)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		c.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	var answer struct {
		Offsets []struct {
			Offset struct {
				Next int64 `json:"kafka_offset"`
			}
		}
	}
	if err != nil || json.Unmarshal(body, &answer) != nil {
		c.t.Fatalf("offsets: %v %s", err, body)
	}
	for _, o := range answer.Offsets {
		sum += o.Offset.Next
	}
	return sum
}

// A client of Kafka Connect shows the audit and drives it, and no tick is lost
// or counted twice by it.
func TestConnectClientDrivesTheAudit(t *testing.T) {
	t.Parallel()
	process := startConnectClient(t)
	secrets := filepath.Join(t.TempDir(), "secrets.properties")
	if err := os.WriteFile(secrets, []byte("rest=pass-word-1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a := newAudited(t, 3, "rest.basic.auth.username=ops", "rest.basic.auth.password=${file:"+secrets+":rest}", "checkpoint.interval.ms=200")
	total := int64(0)
	write := func() {
		rs, _ := quotes(a.topic, 300, 30)
		for i := range rs { // event times go on where they ended
			rs[i].Value = fmt.Sprintf(`{"symbol":%q,"timestamp_ns":%d}`, rs[i].Key, (1_735_831_800_000+total+int64(i))*1_000_000)
			rs[i].Timestamp = 1_735_831_800_000 + total + int64(i)
		}
		produce(t, a.Cluster, rs, "partitioner=murmur2_random")
		total += int64(len(rs))
	}
	write()
	client := &connectClient{t: t, connectProcess: process, user: "ops", credential: "pass-word-1"}
	end := serve(t, a, client)
	kafkatest.Eventually(t, "all judged", func() bool { return client.offsets(a.name) == total })

	(&connectClient{t: t, connectProcess: process, url: client.url, user: "ops", credential: "guess"}).refused("401", "list")
	client.says(`"version":"4.`, "info")
	client.says(`["`+a.name+`"]`, "list")
	client.says(`"info":{"name":"`+a.name, "list", "--expand", "info")
	client.says(`"status":{"name":"`+a.name, "list", "--expand", "status")
	client.says(`"connector.class":"auditstream.AuditSinkConnector"`, "config", a.name)
	client.says(`"rest.basic.auth.password":"${file:`, "config", a.name)
	client.says(`"tasks":[{"connector":"`+a.name+`","task":0}],"type":"sink"`, "get", a.name)
	client.says(`"connector":{"state":"RUNNING"`, "status", a.name)
	client.says(`"id":{"connector":"`+a.name+`","task":0}`, "list-tasks", a.name)
	client.says(`{"id":0,"state":"RUNNING"`, "task-status", a.name, "0")
	client.says(`"topics":["`+a.topic+`"]`, "list-topics", a.name)
	client.says("", "reset-topics", a.name)
	client.says(`"class":"auditstream.AuditSinkConnector","type":"sink"`, "list-plugins")
	client.refused("405", "delete", a.name)

	client.says("", "pause", a.name)
	client.says(`"tasks":[{"id":0,"state":"PAUSED"`, "status", a.name)
	before := total
	write()
	if n := client.offsets(a.name); n != before {
		t.Errorf("paused at %d, read up to %d", before, n)
	}
	client.says("", "resume", a.name)
	kafkatest.Eventually(t, "what was written in the pause is judged", func() bool { return client.offsets(a.name) == total })
	client.says("", "restart-task", a.name, "0")
	write()
	client.await(`"connector":{"state":"RUNNING"`, "status", a.name)
	kafkatest.Eventually(t, "what was written in a restart is judged", func() bool { return client.offsets(a.name) == total })
	if said := end(); strings.Contains(said, client.credential) {
		t.Error("the log tells the password")
	}
	report := final(t, a.toEnd(t))
	if report.TotalTicks != total || report.Counts.Disorder != 0 || report.Counts.Duplicates != 0 {
		t.Errorf("%d ticks, %+v; %d were written", report.TotalTicks, report.Counts, total)
	}
}

// refused runs a command that must fail and say why.
func (c *connectClient) refused(why string, args ...string) {
	c.t.Helper()
	if out, _ := c.run(args...); !strings.Contains(out, why) {
		c.t.Errorf("%v: not refused with %s: %s", args, why, out)
	}
}

// serve starts the audit and has the client know its address. end ends it in
// order and returns what it logged.
func serve(t *testing.T, a *audited, client *connectClient) (end func() string) {
	t.Helper()
	cmd := command(t, "run", "-c", a.file)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	lines := bufio.NewScanner(io.TeeReader(stderr, &said))
	for client.url == "" && lines.Scan() {
		var line struct{ HTTP []string }
		if json.Unmarshal(lines.Bytes(), &line) == nil && len(line.HTTP) > 0 {
			client.url = line.HTTP[0]
		}
	}
	if client.url == "" {
		t.Fatalf("no address: %s", &said)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		for lines.Scan() {
			continue
		}
	}()
	return func() string {
		t.Helper()
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		<-read
		if err := cmd.Wait(); err != nil {
			t.Errorf("the audit ended with %v\n%s", err, &said)
		}
		return said.String()
	}
}
