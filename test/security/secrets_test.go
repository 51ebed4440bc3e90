package security

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/internal/kafkatest"
	"github.com/auditstream/auditstream/internal/programtest"
)

// secrets looks for known secrets in all that the program puts out at the
// level debug, with logins that are accepted and with ones that are refused.
func secrets(t *testing.T, k *kafka) {
	for _, l := range k.logins(t)[:4] {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			tell := watched(t)
			file := l.configure(t, k, l.name, "rest.basic.auth.username=anna", "rest.basic.auth.password=s3cret-of-rest")
			for _, args := range [][]string{{"check", "-c", file}, {"config", "validate", "-c", file}, {"check", "-c", file, "--json"}} {
				out, _ := programtest.Command(t, patience, append(args, "--log-level", "debug")...).CombinedOutput()
				tell(strings.Join(args, " "), string(out))
			}
			k.asked(t, l, file, tell)
			wrong := l.configure(t, k, l.name)
			misspell(t, wrong, k.dir)
			code, said := run(t, wrong)
			if code != 2 || !strings.Contains(said, "consumer.override") {
				t.Errorf("a wrong secret: exit code %d\n%s", code, said)
			}
			tell("run with a wrong secret", said)
		})
	}
	t.Run("reports", func(t *testing.T) {
		tell := watched(t)
		for _, topic := range []string{"plain-ticks.audit", "plain-dead", "auditstream-plain-table"} {
			tell(topic, k.text(t, topic))
		}
	})
}

// watched gives a function that fails for a text with a secret in it. All
// secrets here, right and wrong, begin alike.
func watched(t *testing.T) func(what, text string) {
	return func(what, text string) {
		t.Helper()
		if text == "" {
			t.Errorf("%s: nothing was put out", what)
		}
		for line := range strings.Lines(text) {
			if strings.Contains(line, "s3cret") {
				t.Errorf("%s tells a secret: %s", what, line)
			}
		}
	}
}

// misspell lets a configuration refer to secrets that are wrong.
func misspell(t *testing.T, file, dir string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "wrong.properties")
	if err := os.WriteFile(other, []byte("plain=s3cret-wrong\nscram=s3cret-wrong\nbearer=s3cret-wrong\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	changed := strings.ReplaceAll(string(text), filepath.Join(dir, "secrets.properties"), other)
	if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
}

// asked runs the audit at the level debug and asks all of its HTTP.
func (k *kafka) asked(t *testing.T, l login, file string, tell func(what, text string)) {
	t.Helper()
	log := filepath.Join(t.TempDir(), "log")
	to, err := os.Create(log)
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	cmd := programtest.Command(t, patience, "run", "-c", file, "--log-level", "debug")
	cmd.Stdout, cmd.Stderr = to, to
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var url string
	kafkatest.Eventually(t, "the program's address", func() bool {
		url = address(t, log)
		return url != ""
	})
	kafkatest.Eventually(t, "the program to be ready", func() bool { code, _ := get(t, url+"/readyz"); return code == http.StatusOK })
	for _, path := range []string{
		"/metrics", "/readyz", "/healthz", "/", "/connectors?expand=info&expand=status", "/connectors/" + l.name + "/config", "/connectors/" + l.name + "/status",
	} {
		_, body := get(t, url+path)
		tell(path, body)
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	_ = cmd.Wait()
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	tell("run", string(text))
}

func address(t *testing.T, log string) string {
	t.Helper()
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), `"http":["`)
	url, _, found := strings.Cut(rest, `"`)
	if !found {
		return ""
	}
	if !strings.HasPrefix(url, "http://") {
		url = "http://" + url
	}
	return url
}

func get(t *testing.T, url string) (code int, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.SetBasicAuth("anna", "s3cret-of-rest")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, ""
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	return response.StatusCode, string(text)
}

// text is all that a topic holds.
func (k *kafka) text(t *testing.T, topic string) string {
	t.Helper()
	ends, err := k.admin.ListCommittedOffsets(t.Context(), topic)
	if err != nil {
		t.Fatal(err)
	}
	var left int64
	for _, end := range ends.Offsets()[topic] {
		left += end.At
	}
	client, err := kgo.NewClient(append(k.client.Opts(), kgo.ConsumeTopics(topic), kgo.KeepControlRecords(), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))...)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	var b strings.Builder
	for left > 0 {
		fetches := client.PollFetches(t.Context())
		if err := fetches.Err(); err != nil {
			t.Fatal(err)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			left--
			b.Write(r.Key)
			b.Write(r.Value)
			for _, h := range r.Headers {
				b.WriteString(h.Key)
				b.Write(h.Value)
			}
			b.WriteByte('\n')
		})
	}
	return b.String()
}
