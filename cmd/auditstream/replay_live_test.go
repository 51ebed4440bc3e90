package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/demo"
	"github.com/auditstream/auditstream/internal/subscribe"
)

// byClock are the codes that a live audit judges by the wall clock, and about
// what is not in the records; a replay has record times only.
var byClock = map[engine.Code]bool{
	engine.ClockSkew: true, engine.StaleTick: true, engine.AuditorBehind: true, engine.ConsumerLag: true,
	engine.OffsetInconsistency: true, engine.RebalanceStorm: true,
}

// latestOf are the findings about records as the reports tell them last.
func latestOf(reports []*engine.Report) map[string]engine.Finding {
	found := map[string]engine.Finding{}
	for _, r := range reports {
		for _, f := range r.Findings {
			if old, ok := found[f.ID]; !byClock[f.Code] && (!ok || f.Count > old.Count || f.State == engine.Resolved) {
				found[f.ID] = f
			}
		}
	}
	return found
}

// placeOf is what must be the same of a finding live and in replay.
func placeOf(f engine.Finding, whole bool) string {
	partition := int32(-1)
	if f.Partition != nil {
		partition = *f.Partition
	}
	s := fmt.Sprintf("%s %s/%d %q first %d", f.Code, f.Topic, partition, f.Symbol, f.FirstOffset)
	if whole {
		s += fmt.Sprintf(" last %d count %d", f.LastOffset, f.Count)
	}
	return s
}

// What the demo's audit finds while the market trades, a replay of its topic
// finds too: every finding about records with its id and place, and those that
// are over with their count. The market trades on while the audit ends, so the
// replay has seen more. Another replay runs beside the audit, which then still
// finds what was injected and nothing else.
func TestReplayFindsWhatTheLiveAuditFound(t *testing.T) {
	var live, replayed []*engine.Report
	a := newApp(strings.NewReader(""), io.Discard, io.Discard, nil)
	a.logLevel = "error"
	options := demo.Options{Seed: 3, Schedule: demo.Brief(demo.Formats()[0]), Hasty: true, Patience: demoPatience, Out: io.Discard}
	var ends kadm.Offsets
	options.Audit = func(ctx context.Context, settings []string, announce func(name, value string)) error {
		beside := make(chan error, 1)
		err := a.demoAudit(ctx, settings, func(name, value string) {
			announce(name, value)
			go func() {
				_, err := replayOf(t, settings)
				beside <- err
			}()
		})
		if err = errors.Join(err, <-beside); err != nil {
			return err
		}
		if live, ends, err = auditedBy(settings); err != nil {
			return err
		}
		replayed, err = replayOf(t, settings)
		return err
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	summary, err := demo.Run(ctx, options)
	if err != nil {
		t.Fatal(err)
	}
	if err := summary.Err(); err != nil {
		t.Fatal(err)
	}
	want, got := latestOf(live), latestOf(replayed)
	codes := map[engine.Code]bool{}
	for id, f := range want {
		codes[f.Code] = true
		g, ok := got[id]
		if !ok {
			t.Errorf("not in the replay: %s %s", id, placeOf(f, true))
			continue
		}
		if whole := f.State == engine.Resolved; placeOf(f, whole) != placeOf(g, whole) {
			t.Errorf("finding %s is\n%s live, and\n%s in replay", id, placeOf(f, whole), placeOf(g, whole))
		}
	}
	for id, g := range got {
		if _, ok := want[id]; ok || g.Partition == nil {
			continue
		}
		if o, _ := ends.Lookup(demo.Topic, *g.Partition); g.FirstOffset < o.At && g.LastOffset < o.At {
			t.Errorf("not in the live audit, which has read up to %d: %s %s", o.At, id, placeOf(g, true))
		}
	}
	for _, code := range []engine.Code{engine.UpstreamDisorder, engine.SymbolSplit, engine.PartitionUnbalanced, engine.UnreadableValue} {
		if !codes[code] {
			t.Errorf("the live audit has no %s", code)
		}
	}
}

func settingOf(settings []string, key string) string {
	for _, s := range settings {
		if value, ok := strings.CutPrefix(s, key+"="); ok {
			return value
		}
	}
	return ""
}

// auditedBy reads what the audit has reported, and how far it has come.
func auditedBy(settings []string) (reports []*engine.Report, ends kadm.Offsets, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	client, err := kgo.NewClient(kgo.SeedBrokers(settingOf(settings, "bootstrap.servers")))
	if err != nil {
		return nil, nil, err
	}
	defer client.Close()
	committed, err := kadm.NewClient(client).FetchOffsets(ctx, "auditstream-"+settingOf(settings, "name"))
	if err != nil {
		return nil, nil, err
	}
	over := make(chan struct{})
	close(over)
	err = subscribe.Reports(ctx, subscribe.Options{
		Client: []kgo.Opt{kgo.SeedBrokers(settingOf(settings, "bootstrap.servers"))},
		Topic:  settingOf(settings, "audit.topic"), FromBeginning: true, Drain: over,
	}, func(r subscribe.Report) error { reports = append(reports, r.Report); return r.Err })
	return reports, committed.Offsets(), err
}

// replayOf replays the topic under the same settings.
func replayOf(t *testing.T, settings []string) (reports []*engine.Report, err error) {
	path := filepath.Join(t.TempDir(), "replay.properties")
	if err := os.WriteFile(path, []byte(strings.Join(settings, "\n")), 0o600); err != nil {
		return nil, err
	}
	var stdout, stderr bytes.Buffer
	args := []string{"replay", "-c", path, "--fail-on", "never", "--quiet", "--set", "findings.max.per.report=1000"}
	if code := run(context.Background(), args, nil, &stdout, &stderr, nil); code != exitDone {
		return nil, fmt.Errorf("replay: exit code %d: %s", code, stderr.String())
	}
	for line := range bytes.Lines(stdout.Bytes()) {
		r, err := codecs.DecodeReport(line)
		if err != nil {
			return nil, err
		}
		reports = append(reports, r)
	}
	return reports, nil
}
