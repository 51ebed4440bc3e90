package demo

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/capture"
	"github.com/auditstream/auditstream/internal/config"
	"github.com/auditstream/auditstream/internal/converter"
	"github.com/auditstream/auditstream/internal/replay"
)

const openedAt = int64(1735831800_000000000)

// captureOf is a schedule's messages as kcat writes records.
func captureOf(t *testing.T, f *Format, s Schedule) string {
	t.Helper()
	var out []byte
	next := [partitionCount]int64{}
	for _, m := range messagesOf(s, s.Length) {
		out = fmt.Appendf(out, `{"topic":%q,"partition":%d,"offset":%d,"tstype":"create","ts":%d,"key":%q,"payload":"`,
			Topic, m.Partition, next[m.Partition], (openedAt+int64(m.At))/1e6, m.Symbol)
		next[m.Partition]++
		for _, c := range f.Value(&m, openedAt) {
			if c < 0x20 || c == '"' || c == '\\' {
				out = fmt.Appendf(out, `\u%04x`, c)
				continue
			}
			out = append(out, c)
		}
		out = append(out, "\"}\n"...)
	}
	path := filepath.Join(t.TempDir(), "capture")
	if err := os.WriteFile(path, out, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// judged is the ledger after a replay of a schedule, by the decoder of the
// demo's own settings.
func judged(t *testing.T, f *Format, s Schedule) (*ledger, *engine.Report) {
	t.Helper()
	registry := ""
	if f.schema != nil {
		schemas := startRegistry(f.schema)
		defer schemas.Close()
		registry = schemas.URL()
	}
	c, err := config.Load("", nil, f.Settings("localhost:9092", registry))
	if err != nil {
		t.Fatal(err)
	}
	values, err := converter.Open(c, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	defer values.Close()
	in, err := capture.Open(captureOf(t, f, s), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	limits := engine.DefaultLimits()
	limits.MaxSymbolSilence, limits.ClockSkewTolerance = c.MaxSymbolSilence, c.ClockSkewTolerance
	limits.Sequences, limits.OrderByVenue, limits.ReportInterval = c.Sequenced(), c.ByVenue(), c.ReportInterval
	l := newLedger(s.Faults)
	for _, fault := range s.Faults {
		l.injected(fault, time.Unix(1, 0))
	}
	var final *engine.Report
	err = replay.Run(t.Context(), in, replay.Options{
		Topics: c.Topics, Limits: limits, Decoder: values.Decoder, Note: t.Logf,
		Report: func(r *engine.Report) error {
			text, err := json.Marshal(r)
			if err != nil {
				return err
			}
			read, err := codecs.DecodeReport(text) // as subscribers have it
			if err != nil {
				return err
			}
			final = read
			for i := range read.Findings {
				if read.Trigger == engine.TriggerFinding && !ofAll(l, &read.Findings[i]) {
					l.found(&read.Findings[i], time.Unix(2, 0))
				}
				l.mentioned(&read.Findings[i])
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return l, final
}

// ofAll says whether a finding is that of the load over the whole replay, which
// comes beside that of a window when it is over.
func ofAll(l *ledger, f *engine.Finding) bool {
	return f.Code == engine.PartitionUnbalanced && slices.ContainsFunc(l.outcomes, func(o *Outcome) bool {
		return o.Expect.Code == f.Code && o.id != "" && o.id != f.ID && o.Expect.met(f)
	})
}

// In every format the audit finds each fault for what it is, and nothing else.
func TestEveryFormatShowsEveryFault(t *testing.T) {
	for _, f := range Formats() {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			l, final := judged(t, f, Brief(f))
			for _, o := range l.outcomes {
				if o.Found.IsZero() || !o.Blamed {
					t.Errorf("%s: %s of %s is not found, or not as of %q", o.Fault.Name, o.Expect.Code, o.Expect.Subject(), o.Expect.Blames)
				}
			}
			for i := range l.others {
				t.Errorf("no fault: %s: %s: %v", l.others[i].Code, l.others[i].Cause, l.others[i].Evidence)
			}
			if n := final.Counts; n.Records != n.Ticks+n.Unreadable || n.Ignored > 0 {
				t.Errorf("counts %+v", n)
			}
		})
	}
}

// Each fault by itself is named by its code.
func TestEachFaultIsNamedByItsCode(t *testing.T) {
	for _, fault := range Faults(&jsonFormat) {
		s, err := Pick(&jsonFormat, []string{fault.ID()})
		if err != nil {
			t.Fatal(err)
		}
		if l, final := judged(t, &jsonFormat, s); !l.settled() || len(l.others) > 0 {
			t.Errorf("%s: others %v, %d findings", fault.ID(), l.others, final.FindingsTotal)
		}
	}
}

func TestFormatsAreKnownByName(t *testing.T) {
	for _, f := range Formats() {
		if named, err := FormatNamed(f.Name); err != nil || named != f {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
	if _, err := FormatNamed("xml"); err == nil || !strings.Contains(err.Error(), `"xml" is not json, binance, csv, avro or protobuf`) {
		t.Errorf("xml: %v", err)
	}
}
