package e2e

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/kafkatest"
	"github.com/auditstream/auditstream/internal/livepage"
)

// browser is a Chromium with one page. What the page complains about on its
// console fails the test.
func browser(t *testing.T, limit time.Duration) context.Context {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		kafkatest.SkipOrFail(t, "no chromium (Debian's package of that name): %v", err)
	}
	// Not t.TempDir: processes of a browser that has ended write for a moment more.
	profile, err := os.MkdirTemp("", "auditstream-chromium-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		kafkatest.Eventually(t, "the browser's profile to be removed", func() bool { return os.RemoveAll(profile) == nil })
	})
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path),
		chromedp.NoSandbox, chromedp.DisableGPU, chromedp.Flag("disable-dev-shm-usage", true), chromedp.UserDataDir(profile), chromedp.WSURLReadTimeout(limit))...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	var mu sync.Mutex
	var complaints []string
	chromedp.ListenTarget(ctx, func(event any) {
		mu.Lock()
		defer mu.Unlock()
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			complaints = append(complaints, e.ExceptionDetails.Error())
		case *runtime.EventConsoleAPICalled:
			if e.Type == runtime.APITypeError || e.Type == runtime.APITypeWarning {
				complaints = append(complaints, fmt.Sprint(e.Type, e.Args))
			}
		case *log.EventEntryAdded:
			// An audit that ends takes its stream along, which Chromium notes.
			ends := e.Entry.Source == log.SourceNetwork && strings.HasSuffix(e.Entry.URL, "/api/v1/events")
			if !ends && (e.Entry.Level == log.LevelError || e.Entry.Level == log.LevelWarning) {
				complaints = append(complaints, e.Entry.Text+" "+e.Entry.URL)
			}
		}
	})
	t.Cleanup(func() {
		mu.Lock()
		defer mu.Unlock()
		for _, c := range complaints {
			t.Errorf("the page complains: %s", c)
		}
	})
	return ctx
}

func do(t *testing.T, ctx context.Context, actions ...chromedp.Action) {
	t.Helper()
	for i, action := range actions {
		if err := chromedp.Run(ctx, action); err != nil {
			var page string
			if chromedp.FromContext(ctx).Browser == nil {
				t.Fatalf("chromium does not start: %v", err)
			}
			again, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			_ = chromedp.Run(again, chromedp.Evaluate(`document.activeElement.id + " has the focus\n" + document.body.innerText.slice(0, 3000)`, &page))
			t.Fatalf("step %d: %v; the page: %s", i, err, page)
		}
	}
}

// looksRight sees at each width that nothing sticks out, and leaves a picture
// where AUDITSTREAM_TEST_SCREENSHOTS names a folder.
func looksRight(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	for _, size := range [][2]int64{{360, 740}, {1280, 800}, {3840, 2160}} {
		var over int64
		var text string
		var picture []byte
		do(t, ctx, chromedp.EmulateViewport(size[0], size[1]), chromedp.Sleep(300*time.Millisecond), // until it is drawn anew
			chromedp.Evaluate(`document.documentElement.scrollWidth - innerWidth`, &over),
			chromedp.Evaluate(`getComputedStyle(document.body).fontSize`, &text))
		if over > 0 {
			t.Errorf("%s at %d px: %d px stick out", name, size[0], over)
		}
		if text < "15px" { // two digits
			t.Errorf("%s at %d px: text of %s", name, size[0], text)
		}
		if folder := os.Getenv("AUDITSTREAM_TEST_SCREENSHOTS"); folder != "" {
			do(t, ctx, chromedp.FullScreenshot(&picture, 100))
			if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%s-%d.png", name, size[0])), picture, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	do(t, ctx, chromedp.EmulateViewport(1280, 800))
}

// During the demo a fault shows on the page that is open already, with what to
// do, and a symbol is found.
func TestPageShowsAFaultAsItHappens(t *testing.T) {
	ctx := browser(t, 2*time.Minute)
	cmd := command(t, "demo")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	address := ""
	for address == "" && lines.Scan() {
		if strings.HasPrefix(lines.Text(), "page") {
			address = regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(lines.Text())
		}
	}
	go func() {
		for lines.Scan() {
			continue
		}
	}()
	if address == "" {
		t.Fatal("the demo names no page")
	}
	const story = `#open-list li[data-code]`
	var before, first string
	var marked, dark bool
	do(t, ctx, chromedp.Navigate(address), chromedp.WaitVisible(`#open-list li.calm`),
		chromedp.Evaluate(`window.marked = true; document.querySelector("#pill").textContent`, &before),
		chromedp.WaitVisible(story), chromedp.Text(story, &first), chromedp.Evaluate(`window.marked === true`, &marked))
	if !marked {
		t.Error("the finding came by a reload")
	}
	if before == "" || !strings.Contains(first, "Next") && !strings.Contains(first, "Check") && !strings.Contains(first, "Look") {
		t.Errorf("before: %q; the finding says no next step: %s", before, first)
	}
	var row, verdict, selected string
	do(t, ctx, chromedp.Evaluate(`document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "/", bubbles: true}))`, nil), chromedp.KeyEvent("aapl"), chromedp.WaitVisible(`tr[data-symbol="AAPL"]`),
		chromedp.Text(`tr[data-symbol="AAPL"]`, &row), chromedp.WaitVisible(`#verdict td.right`), chromedp.Text(`#verdict`, &verdict),
		chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent("p"), chromedp.KeyEvent(kb.ArrowRight), chromedp.Text(`#selected`, &selected))
	if !strings.Contains(row, "demo.ticks/") || !strings.Contains(verdict, "murmur2") || !strings.Contains(selected, "demo.ticks/0:") {
		t.Errorf("symbol %q, partitioner %q, partition %q", row, verdict, selected)
	}
	looksRight(t, ctx, "demo")
	do(t, ctx, chromedp.Evaluate(`document.documentElement.classList.contains("dark")`, &dark), chromedp.Click(`#theme`))
	var after bool
	do(t, ctx, chromedp.Evaluate(`document.documentElement.classList.contains("dark")`, &after))
	if after == dark {
		t.Error("dark and light are the same")
	}
	looksRight(t, ctx, "demo-dark")
	// The page is left before its audit ends, so that it has nothing to complain about.
	do(t, ctx, chromedp.Navigate("about:blank"))
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // ended early, its summary says so
}

// 2 000 partitions and 100 000 symbols stay readable, and are bounded bytes.
func TestPageOfALargeAudit(t *testing.T) {
	const partitions, symbols = 2000, 100_000
	status := livepage.Status{Instance: "host-0"}
	for p := range int32(partitions) {
		status.Partitions = append(status.Partitions, livepage.Partition{Topic: "ticks", Partition: p, Ticks: 1000 + int64(p%97)*40, Symbols: symbols / partitions, Lag: int64(p % 5)})
	}
	status.Partitions[1234].Ticks = 90_000
	name := func(i int) string { return fmt.Sprintf("SYM%05d", i) }
	board := livepage.NewBoard(livepage.Source{
		Name: "large", Version: "1.2.3", State: func() string { return "RUNNING" }, Status: func() livepage.Status { return status },
		Symbols: func(match func(string) bool, most int) (found []livepage.Symbol, more bool) {
			for i := range symbols {
				if !match(name(i)) {
					continue
				}
				if len(found) == most {
					return found, true
				}
				found = append(found, livepage.Symbol{Topic: "ticks", Partition: int32(i % partitions), Symbol: name(i), Ticks: 9})
			}
			return found, false
		},
		Distinct: func() int64 { return symbols },
		Busiest: func(most int) (loads []livepage.Load) {
			for p := range int32(partitions) {
				loads = append(loads, livepage.Load{Topic: "ticks", Partition: p, Symbols: []livepage.Count{{Symbol: name(int(p)), Ticks: int64(p)}}})
			}
			return loads
		},
	})
	for i := range 3000 {
		board.Report(&engine.Report{Topic: "ticks", Trigger: engine.TriggerFinding, Findings: []engine.Finding{{
			ID: fmt.Sprint(i), Code: engine.UpstreamDisorder, State: engine.Opened, Severity: engine.Warning, Topic: "ticks",
			Symbol: name(i), Count: 1, Cause: "event time went back <b>bold</b>", Action: "Check the producer.",
		}}})
	}
	mux := http.NewServeMux()
	mux.Handle("/{$}", board.Page())
	mux.Handle("/", board.Handler())
	server := httptest.NewServer(mux)
	defer server.CloseClientConnections()
	ctx := browser(t, 2*time.Minute)
	var stories, bold int
	var bars, more string
	do(t, ctx, chromedp.Navigate(server.URL), chromedp.WaitVisible(`#bars canvas`), chromedp.WaitVisible(`#hot button`),
		chromedp.Evaluate(`document.querySelectorAll("#open-list li").length`, &stories), chromedp.Evaluate(`document.querySelectorAll("#open-list p b").length`, &bold),
		chromedp.Text(`#partition-count`, &bars), chromedp.SendKeys(`#q`, "sym09"), chromedp.WaitVisible(`tr[data-symbol="SYM09000"]`),
		chromedp.Text(`#found`, &more))
	if stories != 100 || bold != 0 || bars != "2,000 here" || !strings.Contains(more, "There are more") {
		t.Errorf("%d findings, %d of them with markup, %s, found %.80s", stories, bold, bars, more)
	}
	looksRight(t, ctx, "large")
	do(t, ctx, chromedp.Navigate("about:blank"))
}

// Who opens the page of a paused audit sees that it is, since when and by whom,
// and the topic run away from it; then it goes on, and nothing is lost.
func TestPageOfAPausedAudit(t *testing.T) {
	ctx := browser(t, 2*time.Minute)
	a := newAudited(t, 2, "checkpoint.interval.ms=200")
	write := func(from int) {
		var records []record
		for i := range 200 {
			at := 1_735_831_800_000 + int64(from+i)
			key := fmt.Sprintf("SYM%d", i%10)
			records = append(records, record{a.topic, key, fmt.Sprintf(`{"symbol":%q,"timestamp_ns":%d}`, key, at*1_000_000), at})
		}
		produce(t, a.Cluster, records, "partitioner=murmur2_random")
	}
	write(0)
	client := &connectClient{t: t}
	end := serve(t, a, client)
	ask := func(method, path string) string {
		t.Helper()
		request, err := http.NewRequestWithContext(ctx, method, client.url+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("User-Agent", "a-test/1")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode/100 != 2 {
			t.Fatalf("%s %s: %s %s %v", method, path, response.Status, body, err)
		}
		return string(body)
	}
	shows := func(id, want string) chromedp.Action {
		return chromedp.Poll(fmt.Sprintf(`document.querySelector(%q).textContent.includes(%q)`, id, want), nil)
	}
	kafkatest.Eventually(t, "all judged", func() bool { return client.offsets(a.name) == 200 })
	do(t, ctx, chromedp.Navigate(client.url), shows("#pill", "HEALTHY"), shows("#facts", "Behind, records0"))
	ask("PUT", "/connectors/"+a.name+"/pause")
	write(200)
	do(t, ctx, shows("#pill", "PAUSED"), shows("#reasons", "by a-test/1"), shows("#reasons", "/resume"), shows("#facts", "Behind, records200"), shows("#facts", "Symbols10"))
	looksRight(t, ctx, "paused")
	for path, want := range map[string]string{
		"/readyz": `"state":"PAUSED","since":"`, "/healthz": `"state":"PAUSED","since":"`, "/metrics": "\nauditstream_paused 1\n", "/api/v1/state": `"lag":200`,
	} {
		if said := ask("GET", path); !strings.Contains(said, want) {
			t.Errorf("%s does not say %s: %.300s", path, want, said)
		}
	}
	ask("PUT", "/connectors/"+a.name+"/resume")
	do(t, ctx, shows("#pill", "HEALTHY"), shows("#facts", "Behind, records0"), chromedp.Navigate("about:blank"))
	kafkatest.Eventually(t, "what was written in the pause to be judged", func() bool { return client.offsets(a.name) == 400 })
	said := end()
	for _, want := range []string{`"level":"warn","by":"from 127.0.0.1:`, `a-test/1","was":"RUNNING"`, `"message":"paused as asked`, `"message":"resumed`} {
		if !strings.Contains(said, want) {
			t.Errorf("the log does not hold %s:\n%s", want, said)
		}
	}
	if report := final(t, a.toEnd(t)); report.TotalTicks != 400 || report.Counts.Disorder+report.Counts.Duplicates != 0 {
		t.Errorf("%d ticks, %+v; 400 were written", report.TotalTicks, report.Counts)
	}
}
