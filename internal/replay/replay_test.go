package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/capture"
)

// replayAll runs a replay and returns its reports.
func replayAll(t *testing.T, ctx context.Context, input string, change func(*Options)) ([]*engine.Report, error) {
	t.Helper()
	in, err := capture.Open("-", strings.NewReader(input))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	decoder := func() (codecs.TickDecoder, error) {
		return codecs.NewJSON(codecs.Fields{Symbol: "symbol", Timestamp: "ts"})
	}
	var reports []*engine.Report
	o := Options{
		Topics: []string{"ticks"}, Limits: engine.DefaultLimits(), Decoder: decoder, Symbols: decoder, Hash: engine.HashMurmur2,
		Report: func(r *engine.Report) error { reports = append(reports, r); return nil },
		Note:   func(format string, args ...any) { t.Logf(format, args...) },
	}
	if change != nil {
		change(&o)
	}
	return reports, Run(ctx, in, o)
}

func kcat(partition, offset int, symbol string, at int64) string {
	return fmt.Sprintf(`{"topic":"ticks","partition":%d,"offset":%d,"tstype":"create","ts":%d,"key":"%s","payload":"{\"symbol\":\"%s\",\"ts\":%d}"}`+"\n",
		partition, offset, at/1e6, symbol, symbol, at)
}

// A file that holds partition after partition gives the same findings as one
// in which they alternate.
func TestOrderOfPartitionsInTheFile(t *testing.T) {
	var blocks, mixed [3]strings.Builder
	for i := range 600 {
		p := i % 3
		at := t0 + int64(i)*100e6
		if i%97 == 0 {
			at -= 500e6
		}
		blocks[p].WriteString(kcat(p, i/3, fmt.Sprintf("S%d", p), at))
		mixed[0].WriteString(kcat(p, i/3, fmt.Sprintf("S%d", p), at))
	}
	show := func(input string) string {
		reports, err := replayAll(t, context.Background(), input, nil)
		if err != nil {
			t.Fatal(err)
		}
		final := reports[len(reports)-1]
		var out strings.Builder
		fmt.Fprintf(&out, "%+v\n", final.Counts)
		for i := range final.Findings {
			f := &final.Findings[i]
			fmt.Fprintf(&out, "%s %v %v %d-%d %d\n", f.ID, f.Code, f.State, f.FirstOffset, f.LastOffset, f.Count)
		}
		return out.String()
	}
	got, want := show(blocks[0].String()+blocks[1].String()+blocks[2].String()), show(mixed[0].String())
	if got != want || !strings.Contains(want, "UPSTREAM_DISORDER") {
		t.Errorf("partition after partition:\n%salternating:\n%s", got, want)
	}
}

func TestStoppedRunHasNoFinalReport(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	reports, err := replayAll(t, ctx, kcat(0, 0, "QXA", t0), nil)
	if !errors.Is(err, context.Canceled) || len(reports) != 0 {
		t.Errorf("%d reports, %v", len(reports), err)
	}
}

func TestFailingWriterEndsTheRun(t *testing.T) {
	full := errors.New("disk full")
	_, err := replayAll(t, context.Background(), kcat(0, 0, "QXA", t0), func(o *Options) {
		o.Report = func(*engine.Report) error { return full }
	})
	if !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
}

// Records that repeat an offset are counted as duplicates and judged once.
func TestRepeatedOffsets(t *testing.T) {
	input := kcat(0, 0, "QXA", t0) + kcat(0, 1, "QXA", t0+1e9)
	var notes []string
	reports, err := replayAll(t, context.Background(), input+input, func(o *Options) {
		o.Note = func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	})
	if err != nil {
		t.Fatal(err)
	}
	final := reports[len(reports)-1]
	if final.Counts.Records != 4 || final.Counts.Duplicates != 2 || final.Counts.Disorder != 0 || len(notes) != 1 || !strings.Contains(notes[0], "2 records at or before an offset") {
		t.Errorf("counts %+v, notes %q", final.Counts, notes)
	}
}

func TestTopicsInTheFile(t *testing.T) {
	input := kcat(0, 0, "QXA", t0) + strings.ReplaceAll(kcat(1, 0, "QXA", t0), "ticks", "more")
	reports, err := replayAll(t, context.Background(), input, func(o *Options) { o.Topics = []string{"more", "ticks"} })
	if err != nil {
		t.Fatal(err)
	}
	var finals []string
	for _, r := range reports {
		if r.Trigger == engine.TriggerFinal {
			finals = append(finals, fmt.Sprintf("%s %d of %d", r.Topic, r.Counts.Records, r.Partitions))
		}
	}
	if got := strings.Join(finals, ", "); got != "more 1 of 2, ticks 1 of 1" {
		t.Errorf("FINAL reports: %s", got)
	}
	_, err = replayAll(t, context.Background(), input, func(o *Options) {
		o.Topics, o.Consumed = []string{"more", "ticks"}, map[int32]int64{0: 1}
	})
	if !errors.As(err, new(Invalid)) {
		t.Errorf("consumed offsets of two topics: %v", err)
	}
}

// A packed capture that was cut: what is there is audited, and the reports say
// that it is a part, wherever the cut lies.
func TestCutPackedFile(t *testing.T) {
	var lines strings.Builder
	for i := range 3000 {
		lines.WriteString(kcat(i%3, i/3, fmt.Sprintf("S%d", i%3), t0+int64(i)*1e6))
	}
	var packed bytes.Buffer
	z, err := zstd.NewWriter(&packed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := z.Write([]byte(lines.String())); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{packed.Len() - 1, packed.Len() * 2 / 3, packed.Len() / 2} {
		reports, err := replayAll(t, context.Background(), string(packed.Bytes()[:size]), nil)
		if err != nil {
			t.Fatalf("%d of %d bytes: %v", size, packed.Len(), err)
		}
		final := reports[len(reports)-1]
		told := false
		for i := range final.Findings {
			f := &final.Findings[i]
			told = told || f.Code == engine.UnreadableValue && strings.Contains(f.Cause, "ends in the middle")
		}
		if !told || final.Trigger != engine.TriggerFinal || final.Counts.Records > 3000 {
			t.Errorf("%d of %d bytes: told %v, %v with %d records", size, packed.Len(), told, final.Trigger, final.Counts.Records)
		}
	}
}
