package processors_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/kafkatest"
	"github.com/auditstream/auditstream/processors"
)

// at is a tick whose event and record time are so long ago.
func (r *rig) at(partition int32, symbol string, now time.Time, ago time.Duration) *kgo.Record {
	tick := r.tick(partition, symbol, 0)
	tick.Timestamp = now.Add(-ago)
	tick.Value = fmt.Appendf(nil, `{"symbol":%q,"ts":%d}`, symbol, tick.Timestamp.UnixNano())
	return tick
}

// A paused audit says that it is, and how far the topic has run away from it;
// when it goes on nothing is lost.
func TestAPausedAuditSaysSo(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *kafkatest.Cluster, guarantee option) {
		r := newRig(t, c, 2)
		var log lockedBuffer
		control := processors.NewControl(zerolog.New(&log))
		a := r.start(guarantee, func(r *rig) {
			r.cfg.Control, r.cfg.Limits.ReportInterval = control, time.Second
		})
		now := time.Now()
		r.produce(r.at(0, "QA", now, time.Minute), r.at(1, "QB", now, time.Minute))
		lag := func(want int64) {
			t.Helper()
			kafkatest.Eventually(t, fmt.Sprintf("a lag of %d", want), func() bool {
				stats := a.Status.Stats()
				got, known := stats.Lag()
				return known && got == want
			})
		}
		r.awaitCommitted(0, 1)
		r.awaitCommitted(1, 1)
		lag(0)
		kafkatest.Eventually(t, "the audit to keep up", func() bool {
			p := a.Status.Stats().Partitions
			return len(p) == 2 && p[0].Live && p[1].Live
		})

		kafkatest.Eventually(t, "a report of the topic", func() bool {
			topics := a.Status.Stats().Topics
			return len(topics) == 1 && topics[0].Symbols == 2
		})
		control.Pause("ops from 10.0.0.7:999")
		for i := range 2 {
			for n := range 10 {
				ago := 40*time.Second - time.Duration(10*i+n)*time.Millisecond
				r.produce(r.at(0, "QA", now, ago), r.at(1, "QB", now, ago))
			}
			lag(int64(20 * (i + 1)))
		}
		stats := a.Status.Stats()
		if stats.State != processors.Paused || stats.Asked.State != processors.Paused || stats.Asked.By != "ops from 10.0.0.7:999" || stats.Asked.Since.IsZero() {
			t.Errorf("paused: state %s, asked %+v", stats.State, stats.Asked)
		}
		if !stats.Ready {
			t.Errorf("paused on purpose, and not ready: %q", stats.NotReady)
		}
		for _, p := range stats.Partitions {
			if p.Live || p.Stalled || p.Lag != 20 {
				t.Errorf("paused: %s/%d live %v, stalled %v, lag %d", p.Topic, p.Partition, p.Live, p.Stalled, p.Lag)
			}
		}
		control.Resume("a test")
		r.awaitCommitted(0, 21)
		r.awaitCommitted(1, 21)
		lag(0)
		control.Pause("a test")
		r.produce(r.at(0, "QA", now, 20*time.Second), r.at(1, "QB", now, 20*time.Second))
		lag(2)
		control.Restart("a test")
		kafkatest.Eventually(t, "a restarted audit that is paused still to know its lag", func() bool {
			stats := a.Status.Stats()
			got, known := stats.Lag()
			return stats.State == processors.Paused && known && got == 2 && stats.Ready
		})
		control.Stop("a test")
		kafkatest.Eventually(t, "the stop", func() bool { return control.State() == processors.Stopped })
		stats = a.Status.Stats()
		if got, known := stats.Lag(); known || stats.Asked.State != processors.Stopped {
			t.Errorf("stopped: lag %d, asked %+v", got, stats.Asked)
		}
		if len(stats.Topics) != 0 {
			t.Errorf("stopped, and it speaks for topics: %+v", stats.Topics)
		}
		control.Pause("a test")
		lag(2)
		control.Resume("a test")
		r.awaitCommitted(0, 22)
		r.awaitCommitted(1, 22)
		lag(0)
		if stats := a.Status.Stats(); stats.Judged.Records != 44 || stats.Judged.Ticks != 44 {
			t.Errorf("judged %+v", stats.Judged)
		}
		a.stop()
		if opened, _ := r.opened(); len(opened) != 0 {
			t.Errorf("findings about a sound topic: %v", opened)
		}
		var told []string
		for line := range strings.Lines(log.String()) {
			var said struct{ Level, Message, By, Was string }
			if err := json.Unmarshal([]byte(line), &said); err != nil {
				t.Fatal(err)
			}
			word, _, _ := strings.Cut(said.Message, " ")
			told = append(told, said.Level+" "+word+" "+said.By+" "+said.Was)
		}
		want := []string{
			"warn paused ops from 10.0.0.7:999 RUNNING", "info resumed: a test PAUSED", "warn paused a test RUNNING", "info restart a test ", "warn stopped a test PAUSED",
			"warn paused a test STOPPED", "info resumed: a test PAUSED",
		}
		if fmt.Sprint(told) != fmt.Sprint(want) {
			t.Errorf("logged %q, want %q", told, want)
		}

		// A process that starts restores what was judged, and has judged none of it.
		again := r.start(guarantee)
		r.produce(r.at(0, "QA", now, 10*time.Second))
		r.awaitCommitted(0, 23)
		if stats := again.Status.Stats(); stats.Judged.Records != 1 {
			t.Errorf("judged %+v after a start", stats.Judged)
		}
		again.stop()
	})
}

// lockedBuffer takes a log from several goroutines.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// awaited has every schema waited for until it is closed.
type awaited chan struct{}

func (a awaited) Await(ctx context.Context, _ codecs.SchemaRef) error {
	select {
	case <-a:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (a awaited) Away() string { return "" }

// An audit up to the end that has to wait on its way says how much is left.
func TestLagOfAnAuditUpToTheEnd(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *kafkatest.Cluster, guarantee option) {
		r := newRig(t, c, 1)
		const plain, framed = 3000, 200
		var records []*kgo.Record
		for i := range plain {
			records = append(records, r.tick(0, "QA", time.Duration(i)*time.Millisecond))
		}
		for range framed {
			records = append(records, &kgo.Record{Topic: r.topic(), Key: []byte("QA"), Value: []byte("\x00\x00\x00\x00\x07rest")})
		}
		r.produce(records...)
		schemas := make(awaited)
		a := r.start(guarantee, stopAtEnd, func(r *rig) { r.cfg.Schemas = schemas })
		kafkatest.Eventually(t, "a part to be judged and the rest to wait", func() bool {
			stats := a.Status.Stats()
			return len(stats.Partitions) == 1 && stats.Partitions[0].Counts.Records > 0
		})
		kafkatest.Eventually(t, "the lag of what waits", func() bool {
			stats := a.Status.Stats()
			lag, known := stats.Lag()
			if p := stats.Partitions; known && lag < framed {
				t.Fatalf("lag %d after %d records of %d", lag, p[0].Counts.Records, plain+framed)
			}
			return known && stats.Partitions[0].Counts.Records+lag == plain+framed
		})
		close(schemas)
		if err := a.wait(); err != nil {
			t.Fatal(err)
		}
		if final := r.final(r.topic()); final.Counts.Records != plain+framed {
			t.Errorf("%d records judged", final.Counts.Records)
		}
	})
}

// Of whole topics that instance speaks which judges them, and no other.
func TestTopicsAreToldByOneInstance(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, c *kafkatest.Cluster, guarantee option) {
		r := newRig(t, c, 2)
		often := func(r *rig) { r.cfg.Limits.ReportInterval = time.Second }
		r.produce(r.tick(0, "QA", 0), r.tick(1, "QA", 0)) // a split is of the whole topic
		first := r.start(guarantee, often)
		tells := func(a *running) bool {
			stats := a.Status.Stats()
			return len(stats.Topics) == 1 && stats.Open[engine.SymbolSplit] == 1
		}
		kafkatest.Eventually(t, "the topic to be told of", func() bool { return tells(first) })
		second := r.start(guarantee, often, instance("earlier in the order of names"))
		kafkatest.Eventually(t, "the topic to be told of by the other", func() bool { return tells(second) })
		stats := first.Status.Stats()
		if len(stats.Topics) != 0 || stats.Open[engine.SymbolSplit] != 0 {
			t.Errorf("told by both: %+v, %v open", stats.Topics, stats.Open)
		}
		second.stop()
		kafkatest.Eventually(t, "the topic to be told of again", func() bool { return tells(first) })
		first.stop()
	})
}
