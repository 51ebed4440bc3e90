package faults

import (
	"context"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/kafkatest"
)

// drop deletes a topic and waits until it is gone.
func (a *audit) drop(topic string) {
	a.t.Helper()
	if _, err := a.adm.DeleteTopics(context.Background(), topic); err != nil {
		a.t.Fatal(err)
	}
	kafkatest.Eventually(a.t, "topic "+topic+" to be gone", func() bool {
		listed, err := a.adm.ListTopics(context.Background(), topic)
		return err == nil && !listed.Has(topic)
	})
}

func (a *audit) make(topic string, partitions int) {
	a.t.Helper()
	kafkatest.Eventually(a.t, "topic "+topic+" to be made again", func() bool {
		_, err := a.adm.CreateTopic(context.Background(), int32(partitions), -1, nil, topic)
		return err == nil
	})
}

// memory is the resident memory of the process in bytes.
func (p *program) memory() (bytes int64) {
	status, err := os.ReadFile("/proc/" + itoa(p.cmd.Process.Pid) + "/status")
	if err != nil {
		p.t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			fields := strings.Fields(rest)
			for _, c := range fields[0] {
				bytes = bytes*10 + int64(c-'0')
			}
			return bytes << 10
		}
	}
	return 0
}

// While the audit topic is away the input waits, visibly and in bounded
// memory; when it is back all goes on, and nothing is missing.
func TestAuditTopicAway(t *testing.T) {
	t.Parallel()
	for _, g := range guarantees {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			a := newAudit(t, one.get(t), 4, "processing.guarantee="+g.name)
			f := a.feed(25).rounds(700)
			p := a.start(a.file("one"))
			a.awaitCommitted(int64(len(f.records)))
			p.stop()
			early := a.reports()
			p = a.start(a.file("one"))
			p.awaitReady()
			a.drop(a.auditTopic())
			gone := time.Now()
			f.run()
			kafkatest.Eventually(t, "the program to say that it waits", func() bool {
				status, body := p.get("/readyz")
				return status == 503 && strings.Contains(body, "input waits")
			})
			before := p.memory()
			f.burst(400_000)
			at := a.committed()
			kafkatest.Eventually(t, "another attempt", func() bool { return len(p.lines("trying again")) >= 2 })
			if after := p.memory(); after > before+(300<<20) {
				t.Errorf("%d MiB before the topic went, %d MiB now", before>>20, after>>20)
			} else {
				t.Logf("resident memory: %d MiB before the topic went, %d MiB now", before>>20, after>>20)
			}
			away := time.Duration(0)
			if !g.repeats {
				away = 2 * time.Minute // most of what delivery.timeout.ms leaves
			}
			for ; time.Since(gone) < away; <-time.After(time.Second) {
				// The program lets 384 MiB of garbage come together, and each attempt makes some.
				if status, _ := p.get("/readyz"); status != 503 || p.memory() > before+(500<<20) || a.committed() != at {
					t.Fatalf("after %s: readiness %d, %d MiB, committed %d of %d", time.Since(gone), status, p.memory()>>20, a.committed(), at)
				}
			}
			if now := a.committed(); now != at {
				t.Errorf("committed %d, then %d, although no report could be written", at, now)
			}
			for _, line := range p.lines("stood still") {
				t.Errorf("a slow write was taken for a stopped process: %s", line)
			}
			a.make(a.auditTopic(), 1)
			a.moving(1)
			p.awaitReady()
			f.end()
			p.stop()
			a.finish(a.file("two"))
			a.before = early
			a.check(f.expected(), g.repeats, engine.AuditorBehind)
		})
	}
}

// An audit topic that does not come back ends the program with the cause,
// within delivery.timeout.ms; a stop is as short as ever meanwhile.
func TestAuditTopicGone(t *testing.T) {
	t.Parallel()
	for _, g := range guarantees {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			a := newAudit(t, one.get(t), 2, "processing.guarantee="+g.name, "producer.override.delivery.timeout.ms=15000")
			f := a.feed(25).run()
			first := a.start(a.file("one"))
			first.awaitReady()
			a.moving(1)
			a.drop(a.auditTopic())
			gone := time.Now()
			if code := first.wait(); code != 1 {
				t.Errorf("exit code %d, want 1", code)
			}
			took := time.Since(gone)
			t.Logf("ended after %s with %s", took.Round(100*time.Millisecond), strings.TrimSpace(first.complaint()))
			if said := first.complaint(); !strings.Contains(said, a.auditTopic()) {
				t.Errorf("the cause does not name the topic: %s", said)
			}
			second := a.start(a.file("one")) // makes the topic anew
			second.awaitReady()
			a.moving(1)
			a.drop(a.auditTopic())
			kafkatest.Eventually(t, "the program to notice", func() bool { return len(second.lines("input waits")) > 0 })
			second.stopWithin(5 * time.Second)
			f.end()
		})
	}
}

// An audit topic that takes too small messages for a report is refused with the
// cause before anything is read; with a larger limit the audit finds everything.
func TestReportOverTheBrokersLimit(t *testing.T) {
	t.Parallel()
	for _, g := range guarantees {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			a := newAudit(t, one.get(t), 2, "processing.guarantee="+g.name)
			small := "600"
			kafkatest.Eventually(t, "the audit topic", func() bool {
				_, err := a.adm.CreateTopic(context.Background(), 1, -1, map[string]*string{"max.message.bytes": &small}, a.auditTopic())
				return err == nil
			})
			f := a.feed(25).rounds(700)
			p := a.start(a.file("one"))
			if code := p.wait(); code != 2 {
				t.Errorf("exit code %d, want 2", code)
			}
			said := p.complaint()
			t.Log(strings.TrimSpace(said))
			if !strings.Contains(said, a.auditTopic()) || !strings.Contains(said, "up to 600 bytes (max.message.bytes)") {
				t.Errorf("the cause is not told: %s", said)
			}
			if at := a.committed(); at > 0 {
				t.Errorf("committed %d of an audit that was refused", at)
			}
			large := "1000000"
			a.alter(a.auditTopic(), "max.message.bytes", large)
			a.finish(a.file("one"))
			a.check(f.expected(), g.repeats)
		})
	}
}

// An audit topic whose limit is lowered while the audit runs ends it at once,
// with the cause; the next start goes by the new limit, and nothing is missing.
func TestMessageLimitLowered(t *testing.T) {
	t.Parallel()
	for _, g := range guarantees {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			a := newAudit(t, one.get(t), 2, "processing.guarantee="+g.name)
			f := a.feed(25).rounds(300)
			p := a.start(a.file("one"))
			a.awaitCommitted(int64(len(f.records)))
			a.alter(a.auditTopic(), "max.message.bytes", "600")
			f.rounds(700)
			if code := p.wait(); code != 1 {
				t.Errorf("exit code %d, want 1", code)
			}
			said := p.complaint()
			t.Log(strings.TrimSpace(said))
			if !strings.Contains(said, a.auditTopic()) || !strings.Contains(strings.ToLower(said), "too large") {
				t.Errorf("the cause is not told: %s", said)
			}
			const limit = 40_000
			a.alter(a.auditTopic(), "max.message.bytes", itoa(limit))
			a.finish(a.file("one"))
			a.check(f.expected(), g.repeats)
		})
	}
}

// A state folder that cannot be written is told at once.
func TestStateFolderFull(t *testing.T) {
	t.Parallel()
	a := newAudit(t, one.get(t), 1)
	full := t.TempDir()
	if err := syscall.Mount("tmpfs", full, "tmpfs", 0, "size=4k,nr_inodes=1"); err != nil {
		t.Logf("no right to mount (%v): a folder below a file instead", err)
		full = "/dev/full/state"
	} else {
		t.Cleanup(func() { _ = syscall.Unmount(full, 0) })
	}
	p := a.start(a.file("one", "state.dir="+full))
	if code := p.wait(); code != 1 && code != 2 {
		t.Errorf("exit code %d, want 1 or 2", code)
	}
	if said := p.complaint(); !strings.Contains(said, "state.dir") || !strings.Contains(said, full) {
		t.Errorf("the cause is not told: %s", said)
	}
	if groups, err := a.adm.DescribeGroups(context.Background(), a.names.Group); err == nil && len(groups[a.names.Group].Members) > 0 {
		t.Error("it joined the group all the same")
	}
}
