package alert_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/alert"
	"github.com/auditstream/auditstream/internal/kafkatest"
)

// ear is a target that keeps what it is told, unless it answers with an error.
type ear struct {
	mu      sync.Mutex
	told    []string
	answer  func(told string) error // nil: accepts everything
	batch   int
	repeats bool
}

func (e *ear) Batch() int    { return max(1, e.batch) }
func (e *ear) Repeats() bool { return e.repeats }

func (e *ear) Send(_ context.Context, alerts []alert.Alert) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	var told []string
	for _, a := range alerts {
		event := "+" + a.Finding.ID
		if a.Resolved {
			event = "-" + a.Finding.ID
		}
		if e.answer != nil {
			if err := e.answer(event); err != nil {
				return err
			}
		}
		told = append(told, event)
	}
	e.told = append(e.told, told...)
	return nil
}

func (e *ear) heard() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return strings.Join(e.told, " ")
}

func (e *ear) answers(answer func(string) error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.answer = answer
}

// life is one run of a bridge.
type life struct {
	stop context.CancelFunc
	done chan error
}

// end stops the bridge and waits for its end, which must be no error.
func (l *life) end(t *testing.T) {
	t.Helper()
	l.stop()
	if err := <-l.done; err != nil {
		t.Fatal(err)
	}
}

type world struct {
	*kafkatest.Cluster
	o   alert.Options
	age time.Duration // of what is told next
}

func newWorld(t *testing.T, c *kafkatest.Cluster, partitions int, target alert.Target) *world {
	reach := []kgo.Opt{kgo.SeedBrokers(c.Brokers...), kgo.MetadataMinAge(50 * time.Millisecond)}
	return &world{Cluster: c, o: alert.Options{
		Consumer: append([]kgo.Opt{kgo.FetchMaxWait(50 * time.Millisecond)}, reach...), Client: reach,
		Topic: c.Topic(t, partitions), Table: c.Topic(t, partitions, "cleanup.policy=compact"), Group: c.Group(t),
		Instance: "test", Target: target, Severity: engine.Warning, Resend: time.Hour, Rate: 60_000,
		Metrics: alert.NewMetrics(prometheus.NewRegistry()), Log: zerolog.New(zerolog.NewTestWriter(t)),
	}}
}

func (w *world) start(t *testing.T) *life {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	l := &life{cancel, make(chan error, 1)}
	go func() { l.done <- alert.Run(ctx, w.o) }()
	t.Cleanup(cancel)
	return l
}

// tell writes a FINDING report for each event, "+id" or "-id".
func (w *world) tell(t *testing.T, partition int32, events ...string) {
	t.Helper()
	var records []*kgo.Record
	for _, event := range events {
		f := disorder(event[1:], "AAPL")
		if event[0] == '-' {
			f.State = engine.Resolved
		}
		r := engine.Report{Topic: "ticks", Trigger: engine.TriggerFinding, Mode: "LIVE", Findings: []engine.Finding{f}}
		value, err := json.Marshal(&r)
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, &kgo.Record{Topic: w.o.Topic, Partition: partition, Value: value, Timestamp: time.Now().Add(-w.age)})
	}
	w.Produce(t, records...)
}

func (w *world) hears(t *testing.T, e *ear, want string) {
	t.Helper()
	kafkatest.Eventually(t, "the target to hear "+want, func() bool { return len(e.heard()) >= len(want) })
	if got := e.heard(); got != want {
		t.Fatalf("the target heard %q, want %q", got, want)
	}
}

// commits waits until the group has read a partition to its end.
func (w *world) commits(t *testing.T) {
	t.Helper()
	kafkatest.Eventually(t, "the offsets to be committed", func() bool {
		lags, err := w.Admin(t).Lag(t.Context(), w.o.Group)
		return err == nil && lags[w.o.Group].Lag.Total() == 0 && committed(lags[w.o.Group])
	})
}

// begun waits until a bridge counts every event.
func (w *world) begun(t *testing.T) {
	t.Helper()
	kafkatest.Eventually(t, "the bridge to begin", func() bool {
		offsets, err := w.Admin(t).FetchOffsets(t.Context(), w.o.Group)
		return err == nil && len(offsets[w.o.Topic]) > 0
	})
}

// dropOffsets is what happens when the group's offsets expire.
func (w *world) dropOffsets(t *testing.T) {
	t.Helper()
	_, err := w.Admin(t).LeaveGroup(t.Context(), kadm.LeaveGroup(w.o.Group).InstanceIDs(w.o.Instance)) // a static member stays
	if err != nil {
		t.Fatal(err)
	}
	kafkatest.Eventually(t, "the group to be gone with its offsets", func() bool {
		gone, err := w.Admin(t).DeleteGroup(t.Context(), w.o.Group)
		return err == nil && gone.Err == nil
	})
}

func committed(l kadm.DescribedGroupLag) bool {
	return slices.ContainsFunc(l.Lag.Sorted(), func(m kadm.GroupMemberLag) bool { return m.Commit.At > 0 })
}

func TestABridgeGoesOnWhereTheLastOneWas(t *testing.T) {
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		e := &ear{}
		w := newWorld(t, c, 2, e)
		first := w.start(t)
		w.begun(t)
		w.tell(t, 1, "+a", "+b", "-a")
		w.hears(t, e, "+a +b -a")
		w.commits(t)
		first.end(t)
		w.tell(t, 1, "-b", "+c", "+d", "-d")
		second := w.start(t)
		w.hears(t, e, "+a +b -a -b +c +d -d")
		second.end(t)
	})
}

// What a bridge has told and not committed is in its table.
func TestABridgeThatDiedBeforeItsCommitTellsNothingTwice(t *testing.T) {
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		e := &ear{}
		w := newWorld(t, c, 1, e)
		first := w.start(t)
		w.begun(t)
		// The target hangs over c: a and b are told and kept, and nothing of it
		// is committed, as if the process had been killed there.
		e.answers(func(told string) error {
			if told == "+c" {
				return errors.New("not now")
			}
			return nil
		})
		w.tell(t, 0, "+a", "+b", "-a", "+c")
		w.hears(t, e, "+a +b -a")
		first.end(t)
		e.answers(nil)
		second := w.start(t)
		w.hears(t, e, "+a +b -a +c")
		w.commits(t)
		second.end(t)
	})
}

func TestTheFirstBridgeTellsOnlyWhatIsOpen(t *testing.T) {
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		e := &ear{}
		w := newWorld(t, c, 1, e)
		w.tell(t, 0, "+a", "+b", "+c", "-b")
		l := w.start(t)
		w.hears(t, e, "+a +c")
		w.tell(t, 0, "-c")
		w.hears(t, e, "+a +c -c")
		l.end(t)
	})
}

// Killed between what it told and its first commit, or after the group's
// offsets have expired, a bridge finds in its table what was told: that ends
// where it has ended, and is not told again.
func TestABridgeWithoutOffsetsEndsWhatWasTold(t *testing.T) {
	kafkatest.Run(t, func(t *testing.T, c *kafkatest.Cluster) {
		e := &ear{}
		w := newWorld(t, c, 1, e)
		first := w.start(t)
		w.begun(t)
		w.tell(t, 0, "+a", "+c", "+e", "-e")
		w.hears(t, e, "+a +c +e -e")
		w.commits(t)
		first.end(t)
		w.dropOffsets(t)
		w.tell(t, 0, "-a", "+b", "+d", "-d")
		second := w.start(t)
		w.hears(t, e, "+a +c +e -e -a +b")
		w.tell(t, 0, "-c")
		w.hears(t, e, "+a +c +e -e -a +b -c")
		second.end(t)
	})
}

func TestATargetThatIsAwayIsWaitedForInOrder(t *testing.T) {
	c := kafkatest.Fake(t)
	failures := 3
	e := &ear{batch: 10}
	e.answer = func(string) error {
		if failures--; failures >= 0 {
			return &alert.StatusError{Status: 503}
		}
		return nil
	}
	w := newWorld(t, c, 1, e)
	l := w.start(t)
	w.begun(t)
	w.tell(t, 0, "+a", "-a", "+b")
	w.hears(t, e, "+a -a +b")
	l.end(t)
}

func TestOneRefusedAlertKeepsNoOtherBack(t *testing.T) {
	c := kafkatest.Fake(t)
	e := &ear{batch: 10}
	e.answer = func(told string) error {
		if told == "+b" {
			return &alert.RefusedError{Status: 400, Answer: "bad label"}
		}
		return nil
	}
	w := newWorld(t, c, 1, e)
	w.tell(t, 0, "+a", "+b", "+c")
	l := w.start(t)
	w.hears(t, e, "+a +c")
	w.commits(t)
	l.end(t)
}

func TestWhatIsOpenIsRepeatedWhereSilenceEndsIt(t *testing.T) {
	c := kafkatest.Fake(t)
	e := &ear{batch: 10, repeats: true}
	w := newWorld(t, c, 1, e)
	w.o.Resend = 50 * time.Millisecond
	l := w.start(t)
	w.tell(t, 0, "+a")
	kafkatest.Eventually(t, "a repeat", func() bool { return strings.Count(e.heard(), "+a") > 2 })
	w.tell(t, 0, "-a", "+b")
	kafkatest.Eventually(t, "a repeat", func() bool { return strings.Count(e.heard(), "+b") > 2 })
	l.end(t)
	if heard := e.heard(); strings.Count(heard, "-a") != 1 || strings.Contains(heard[strings.Index(heard, "-a"):], "+a") {
		t.Errorf("heard %s", heard)
	}
	// A bridge that starts tells at once what is open, for its restart may
	// have taken long.
	w.o.Resend = time.Hour
	before := strings.Count(e.heard(), "+b")
	next := w.start(t)
	kafkatest.Eventually(t, "a repeat after the start", func() bool { return strings.Count(e.heard(), "+b") == before+1 })
	next.end(t)
}

func TestForeignRecordsAreReadPast(t *testing.T) {
	c := kafkatest.Fake(t)
	e := &ear{}
	w := newWorld(t, c, 1, e)
	c.Produce(t, &kgo.Record{Topic: w.o.Topic, Value: []byte("no report")})
	l := w.start(t)
	w.commits(t)
	c.Produce(t, &kgo.Record{Topic: w.o.Topic, Value: []byte("no report")})
	w.tell(t, 0, "+a")
	w.hears(t, e, "+a")
	l.end(t)
}

// With the same instance id one of two bridges ends with the reason.
func TestOfTwoBridgesWithOneInstanceIDOneEnds(t *testing.T) {
	c := kafkatest.Real(t)
	e := &ear{}
	w := newWorld(t, c, 1, e)
	lives := make([]*life, 2)
	for i := range lives {
		lives[i] = w.start(t)
		w.tell(t, 0, fmt.Sprintf("+%d", i))
		kafkatest.Eventually(t, "the target to hear", func() bool { return strings.Contains(e.heard(), fmt.Sprintf("+%d", i)) })
	}
	if err := <-lives[0].done; err == nil || !strings.Contains(err.Error(), "instance id test") {
		t.Errorf("the first ended with %v", err)
	}
	lives[1].end(t)
}
