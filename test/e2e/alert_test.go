package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/internal/kafkatest"
)

// started is the program in the background, killed at the end of the test;
// what it said is told when the test fails.
func started(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := command(t, args...)
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("%v said:\n%s", args, &said)
		}
	})
	return cmd
}

// notices are the notifications that reach a person, by alert and status.
type notices struct {
	mu    sync.Mutex
	count map[string]int // "<symbol> <status> <finding_id>"
}

func (n *notices) receive(w http.ResponseWriter, r *http.Request) {
	var message struct {
		Alerts []struct {
			Status string            `json:"status"`
			Labels map[string]string `json:"labels"`
		} `json:"alerts"`
	}
	if err := json.NewDecoder(r.Body).Decode(&message); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, a := range message.Alerts {
		n.count[a.Labels["symbol"]+" "+a.Status+" "+a.Labels["finding_id"]]++
	}
}

// of lists the notifications about a symbol: each status with its number.
func (n *notices) of(symbol string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	var list []string
	for what, times := range n.count {
		if parts := strings.Fields(what); parts[0] == symbol {
			list = append(list, fmt.Sprintf("%d %s", times, parts[1]))
		}
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// alertmanager runs an Alertmanager that notifies of each alert on its own,
// and returns its address.
func alertmanager(t *testing.T, receiver string) string {
	t.Helper()
	path := ""
	for _, name := range []string{"prometheus-alertmanager", "alertmanager"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		kafkatest.SkipOrFail(t, "NOT RUN with Alertmanager: install prometheus-alertmanager")
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "alertmanager.yml")
	content := "route: {receiver: person, group_by: ['...'], group_wait: 0s, group_interval: 1s, repeat_interval: 4h}\n" +
		"receivers: [{name: person, webhook_configs: [{url: '" + receiver + "', send_resolved: true}]}]\n"
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	cmd := exec.CommandContext(t.Context(), path, "--config.file="+file, "--storage.path="+folder,
		"--web.listen-address="+address, "--cluster.listen-address=")
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	kafkatest.Eventually(t, "Alertmanager at "+address, func() bool {
		response, err := http.Get("http://" + address + "/-/ready")
		if err != nil {
			return false
		}
		response.Body.Close()
		return response.StatusCode == http.StatusOK
	})
	return "http://" + address
}

// firing are the symbols of the alerts that an Alertmanager holds to be
// active, sorted.
func firing(t *testing.T, address string) string {
	t.Helper()
	response, err := http.Get(address + "/api/v2/alerts?active=true")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var alerts []struct{ Labels map[string]string }
	if err := json.NewDecoder(response.Body).Decode(&alerts); err != nil {
		t.Fatal(err)
	}
	var symbols []string
	for _, a := range alerts {
		symbols = append(symbols, a.Labels["symbol"])
	}
	slices.Sort(symbols)
	return strings.Join(symbols, " ")
}

// tickAt is a tick whose event time and record time are those given.
func tickAt(topic, symbol string, event, record time.Time) *kgo.Record {
	return &kgo.Record{
		Topic: topic, Key: []byte(symbol), Timestamp: record,
		Value: fmt.Appendf(nil, `{"symbol":%q,"timestamp_ns":%d}`, symbol, event.UnixNano()),
	}
}

func TestADisorderReachesAlertmanagerOnceThoughTheBridgeIsKilled(t *testing.T) {
	people := &notices{count: map[string]int{}}
	receiver := httptest.NewServer(http.HandlerFunc(people.receive))
	defer receiver.Close()
	address := alertmanager(t, receiver.URL)
	a := newAudited(t, 1, "clock.skew.tolerance.ms=60000", "alert.target=alertmanager", "alert.url="+address, "alert.resend.ms=1000")
	a.DeleteTopicsAtEnd(t, "auditstream-"+a.name+"-alert-table")
	started(t, "run", "-c", a.file)
	bridge := started(t, "alert", "-c", a.file)

	base := time.Now().Truncate(time.Millisecond)
	disorder := func(symbol string) {
		a.Produce(t, tickAt(a.topic, symbol, base, base), tickAt(a.topic, symbol, base.Add(-time.Second), base))
	}
	// An episode ends after 10 s of record time without a further step back.
	end := func(symbol string, after time.Duration) {
		later := base.Add(after)
		a.Produce(t, tickAt(a.topic, symbol, later, later))
	}
	a.Produce(t, tickAt(a.topic, "AAPL", base.Add(-time.Minute), base))
	kafkatest.Eventually(t, "the audit and the bridge to read", func() bool { return a.reads(t, "") && a.reads(t, "-alert") })
	begun := time.Now()
	disorder("AAPL")
	kafkatest.Eventually(t, "the disorder at Alertmanager", func() bool { return firing(t, address) == "AAPL" })
	t.Logf("from the acknowledged tick to the firing alert: %s", time.Since(begun).Round(time.Millisecond))
	kafkatest.Eventually(t, "a person to hear of it", func() bool { return people.of("AAPL") == "1 firing" })

	if err := bridge.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = bridge.Wait()
	end("AAPL", 15*time.Second)
	base = base.Add(15 * time.Second)
	disorder("MSFT")
	started(t, "alert", "-c", a.file)
	kafkatest.Eventually(t, "the first to be over and the second to fire", func() bool { return firing(t, address) == "MSFT" })
	end("MSFT", 15*time.Second)
	kafkatest.Eventually(t, "everything to be over", func() bool { return firing(t, address) == "" })
	for _, symbol := range []string{"AAPL", "MSFT"} {
		kafkatest.Eventually(t, "a person to hear that "+symbol+" is over", func() bool {
			return strings.HasSuffix(people.of(symbol), " resolved")
		})
		if heard := people.of(symbol); heard != "1 firing, 1 resolved" {
			t.Errorf("of %s a person heard: %s", symbol, heard)
		}
	}
}

// reads says whether one of the audit's groups has a member with partitions.
func (a *audited) reads(t *testing.T, suffix string) bool {
	t.Helper()
	group := "auditstream-" + a.name + suffix
	described, err := a.Admin(t).DescribeGroups(t.Context(), group)
	return err == nil && described[group].State == "Stable" && len(described[group].Members) > 0
}
