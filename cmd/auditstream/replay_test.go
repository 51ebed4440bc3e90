package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
)

const (
	tickTime = int64(1735831800_000000000) // 2025-01-02T15:30:00Z
	tickText = "2025-01-02T15:30:00Z"
)

// replayed runs replay over stdin, twice, and returns the exit code and the
// reports of the first run; the second must give the same bytes.
func replayed(t *testing.T, input string, args ...string) (code int, reports []*engine.Report, stderr string) {
	t.Helper()
	config := filepath.Join(t.TempDir(), "replay.properties")
	if err := os.WriteFile(config, []byte("topics=ticks\nfield.timestamp=ts\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	args = append([]string{"replay", "-c", config, "--input", "-"}, args...)
	var out, again, errs bytes.Buffer
	code = run(context.Background(), args, strings.NewReader(input), &out, &errs, nil)
	run(context.Background(), args, strings.NewReader(input), &again, &bytes.Buffer{}, nil)
	if !bytes.Equal(out.Bytes(), again.Bytes()) {
		t.Error("two runs gave different bytes")
	}
	for line := range strings.Lines(out.String()) {
		r, err := codecs.DecodeReport([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		reports = append(reports, r)
	}
	return code, reports, errs.String()
}

// final is the last report, which must be the FINAL one of the topic.
func final(t *testing.T, reports []*engine.Report) *engine.Report {
	t.Helper()
	if len(reports) == 0 {
		t.Fatal("no report")
	}
	r := reports[len(reports)-1]
	if r.Trigger != engine.TriggerFinal || r.Scope != engine.ScopeTopic || r.Mode != "REPLAY" || r.Topic != "ticks" {
		t.Fatalf("the last report is %v of %v, %s, %s", r.Trigger, r.Scope, r.Topic, r.Mode)
	}
	return r
}

func codesOf(r *engine.Report) string {
	var codes []string
	for i := range r.Findings {
		codes = append(codes, r.Findings[i].Code.String())
	}
	return strings.Join(codes, " ")
}

// ticks writes n bare ticks of one symbol, a millisecond apart.
func ticks(symbol string, n int, from int64) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "{\"symbol\":%q,\"ts\":%d}\n", symbol, from+int64(i)*1e6)
	}
	return b.String()
}

// consumedFile is a file for --consumed.
func consumedFile(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "consumed.json")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// The reference values of the batch audit, as a file shows them.
func TestReplayReferenceValues(t *testing.T) {
	lag := func(offset int) []string {
		return []string{"--partitions", "1", "--set", "max.lag.ticks=1000", "--consumed", consumedFile(t, fmt.Sprintf(`{"0":%d}`, offset))}
	}
	quiet := ""
	for i := range 20 {
		quiet += ticks(fmt.Sprintf("QUIET%02d", i), 1, tickTime+int64(i)*1e6)
	}
	one := ticks("QXA", 1, tickTime)
	for name, tc := range map[string]struct {
		input  string
		args   []string
		status engine.Status
		code   int
	}{
		"2000 ticks, 0 consumed":        {ticks("QXA", 2000, tickTime), lag(0), engine.StatusLag, 3},
		"2000 ticks, 1000 consumed":     {ticks("QXA", 2000, tickTime), lag(1000), engine.StatusHealthy, 0},
		"consumed ahead of the end":     {ticks("QXA", 2000, tickTime), lag(2001), engine.StatusOffset, 3},
		"consumed at the end":           {ticks("QXA", 2000, tickTime), lag(2000), engine.StatusHealthy, 0},
		"900 ms old against 250 ms":     {one, []string{"--set", "max.tick.age.ms=250", "--now", "2025-01-02T15:30:00.9Z"}, engine.StatusStale, 3},
		"200 ms old against 250 ms":     {one, []string{"--set", "max.tick.age.ms=250", "--now", "2025-01-02T15:30:00.2Z"}, engine.StatusHealthy, 0},
		"5000 ms ahead":                 {one, []string{"--set", "max.tick.age.ms=250", "--now", "1735831795000"}, engine.StatusSkew, 3},
		"400 ticks of one and 20 quiet": {ticks("HOT", 400, tickTime) + quiet, []string{"--partitions", "4"}, engine.StatusUnbalanced, 3},
		"2 symbols over 16":             {ticks("QXA", 300, tickTime) + ticks("QXB", 300, tickTime), []string{"--partitions", "16"}, engine.StatusHealthy, 0},
	} {
		t.Run(name, func(t *testing.T) {
			code, reports, stderr := replayed(t, tc.input, tc.args...)
			r := final(t, reports)
			if r.Status != tc.status || code != tc.code {
				t.Errorf("status %v and exit code %d, want %v and %d; findings %s; %s", r.Status, code, tc.status, tc.code, codesOf(r), stderr)
			}
			if tc.status == engine.StatusSkew && (r.MaxTickAgeMs == nil || *r.MaxTickAgeMs != -5000) {
				t.Errorf("max_tick_age_ms is %v, want -5000", r.MaxTickAgeMs)
			}
			if tc.status == engine.StatusStale && (r.MaxTickAgeMs == nil || *r.MaxTickAgeMs != 900) {
				t.Errorf("max_tick_age_ms is %v, want 900", r.MaxTickAgeMs)
			}
		})
	}
}

// AAPL over 16 partitions: 12 by crc32, 1 by murmur2.
func TestReplayPlacesBareTicks(t *testing.T) {
	for _, tc := range []struct {
		partitioner string
		want        int32
	}{{"crc32", 12}, {"murmur2", 1}, {"auto", 1}, {"librdkafka", 12}} {
		_, reports, stderr := replayed(t, ticks("AAPL", 3, tickTime), "--set", "partitioner="+tc.partitioner)
		r := final(t, reports)
		if r.Partitions != 16 || r.SymbolsMap["AAPL"] != tc.want || r.PartitionTicks[fmt.Sprint(tc.want)] != 3 {
			t.Errorf("%s: %v over %d partitions, want %d; %s", tc.partitioner, r.SymbolsMap, r.Partitions, tc.want, stderr)
		}
	}
}

// symbol.normalize=upper: spellings of one symbol are one symbol, in keys too.
func TestReplayNormalizesSymbols(t *testing.T) {
	const line = `{"topic":"ticks","partition":0,"offset":%d,"tstype":"create","ts":%d,"key":"%s","payload":"{\"symbol\":\"%s\",\"ts\":%d}"}` + "\n"
	var input string
	for i, symbol := range []string{"QXA", "qxa", " Qxa "} {
		at := tickTime + int64(i)*1e9
		input += fmt.Sprintf(line, i, at/1e6, symbol, symbol, at)
	}
	_, reports, _ := replayed(t, input, "--set", "symbol.normalize=upper")
	if r := final(t, reports); r.Symbols != 1 || r.Counts.KeyDiffers != 0 || len(r.Findings) != 0 {
		t.Errorf("%d symbols, counts %+v, findings %s", r.Symbols, r.Counts, codesOf(r))
	}
	_, reports, _ = replayed(t, input)
	if r := final(t, reports); r.Symbols != 3 {
		t.Errorf("not normalized: %d symbols", r.Symbols)
	}
}

// The variant of G-01: 10 001 broken records are one finding, not 10 001
// reports or lines.
func TestReplayManyUnreadable(t *testing.T) {
	input := ticks("QXA", 1, tickTime) + strings.Repeat("{\"symbol\":\"QXA\",\"ts\":17358\n", 10_001) + ticks("QXA", 1, tickTime+1e9)
	code, reports, stderr := replayed(t, input, "--partitions", "1")
	r := final(t, reports)
	if c := r.Counts; c.Records != 10_003 || c.Ticks != 2 || c.Unreadable != 10_001 || code != 3 {
		t.Errorf("exit code %d, counts %+v", code, c)
	}
	if len(r.Findings) != 1 || r.Findings[0].Count != 10_001 || r.Findings[0].FirstOffset != 1 || r.Findings[0].LastOffset != 10_001 {
		t.Errorf("findings %+v", r.Findings)
	}
	if len(reports) > 20 || strings.Count(stderr, "\n") > 5 {
		t.Errorf("%d reports, stderr %q", len(reports), stderr)
	}
}

// A finding is OPENED in exactly one report, and every record is counted in
// exactly one window of its partition.
func TestReplayReportsAddUp(t *testing.T) {
	var input strings.Builder
	for i := range 5000 {
		at := tickTime + int64(i)*10e6
		if i%100 == 50 {
			at -= 300e6
		}
		fmt.Fprintf(&input, "{\"symbol\":\"S%d\",\"ts\":%d}\n", i%7, at)
	}
	_, reports, _ := replayed(t, input.String(), "--partitions", "3")
	opened := map[string]int{}
	var inWindows int64
	for _, r := range reports {
		if r.Scope == engine.ScopePartition && r.Trigger == engine.TriggerInterval {
			inWindows += r.Counts.Records
		}
		for i := range r.Findings {
			if r.Findings[i].State == engine.Opened {
				opened[r.Findings[i].ID]++
			}
		}
	}
	r := final(t, reports)
	if inWindows != 5000 || r.Counts.Records != 5000 || r.TotalTicks != 5000 || r.Counts.Disorder != 50 {
		t.Errorf("%d records in windows, FINAL %+v", inWindows, r.Counts)
	}
	if len(opened) == 0 || len(opened) != len(r.Findings) {
		t.Errorf("%d findings opened, %d in the FINAL report", len(opened), len(r.Findings))
	}
	for id, n := range opened {
		if n != 1 {
			t.Errorf("finding %s was opened in %d reports", id, n)
		}
	}
}

// The trades of a recorded feed: one symbol, nothing goes backwards.
func TestReplayRecordedFeed(t *testing.T) {
	input, truth := recordedTrades(t)
	code, reports, stderr := replayed(t, input, "--set", "field.symbol=data.s", "--set", "field.timestamp=data.T")
	r := final(t, reports)
	if code != 0 || r.TotalTicks != truth || r.Counts.Records != truth || r.Counts.Disorder != 0 || len(r.Findings) != 0 || r.TimestampUnit != "ms" {
		t.Errorf("exit code %d, %d of %d ticks, unit %s, findings %s; %s", code, r.TotalTicks, truth, r.TimestampUnit, codesOf(r), stderr)
	}
}
