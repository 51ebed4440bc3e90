package security

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/auditstream/auditstream/internal/kafkatest"
	"github.com/auditstream/auditstream/internal/programtest"
)

// block is a section of the page with its commands.
var block = regexp.MustCompile("(?s)\n### ([^\n]*)\n.*?```sh\n(.*?)```")

// commands carries out what docs/security.md prints for each command of the
// program, for a user of its own, and runs the command as that user.
func commands(t *testing.T, k *kafka) {
	page, err := os.ReadFile("../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	k.makeTopic(t, "ticks")
	k.feed(t, "ticks")
	files := map[string]string{}
	target := newTarget(t)
	for _, section := range block.FindAllStringSubmatch(string(page), -1) {
		user := strings.FieldsFunc(section[1], func(r rune) bool { return r < 'a' || r > 'z' })[0]
		if files[user] != "" {
			continue // what run may see of other groups
		}
		l := login{"bearer", "BEARER", "User:" + user, k.bearer(t, user)}
		var rights []acl
		for line := range strings.Lines(section[2]) {
			rights = append(rights, parse(t, strings.ReplaceAll(line, "User:auditstream", l.principal))...)
		}
		k.grant(t, rights...)
		files[user] = l.configure(t, k, "prices", "topics=ticks", "errors.deadletterqueue.topic.name=ticks.dead",
			"alert.target=webhook", "alert.url="+target.URL, "alert.listeners=http://127.0.0.1:0")
	}
	if code, said := run(t, files["run"]); code != 0 {
		t.Fatalf("run: exit code %d\n%s", code, said)
	}
	for _, args := range [][]string{
		{"replay", "-c", files["replay"], "--publish", "--fail-on", "never"}, {"dlq", "list", "-c", files["dlq"]}, {"dlq", "replay", "--yes", "-c", files["dlq"]},
	} {
		t.Run(strings.TrimSuffix(args[0]+" "+args[1], " -c"), func(t *testing.T) {
			if out, err := programtest.Command(t, patience, args...).CombinedOutput(); err != nil {
				t.Errorf("%v: %v\n%s", args, err, out)
			}
		})
	}
	t.Run("watch", func(t *testing.T) {
		cmd := programtest.Command(t, patience, "watch", "-c", files["watch"], "--from-beginning")
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.Contains(line, "ticks") {
			t.Errorf("%q, %v", line, err)
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	t.Run("alert", func(t *testing.T) {
		cmd := programtest.Command(t, patience, "alert", "-c", files["alert"])
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		kafkatest.Eventually(t, "an alert", target.told)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
}

// target is a webhook.
type target struct {
	*httptest.Server
	mu    sync.Mutex
	posts int
}

func newTarget(t *testing.T) *target {
	t.Helper()
	to := &target{}
	to.Server = httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		to.mu.Lock()
		defer to.mu.Unlock()
		to.posts++
	}))
	t.Cleanup(to.Close)
	return to
}

func (to *target) told() bool {
	to.mu.Lock()
	defer to.mu.Unlock()
	return to.posts > 0
}
