package processors

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/IBM/sarama"
	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
)

// foundUnit has always something to write, and a finding to tell where found.
type foundUnit struct {
	boundsUnit
	found bool
}

func (u *foundUnit) urgent() bool                { return u.found }
func (u *foundUnit) take() (*batch, error)       { return &batch{inner: u}, nil }
func (u *foundUnit) giveBack(*batch)             {}
func (u *foundUnit) progress(int64, int64)       {}
func (u *foundUnit) stands(int64, int64)         {}
func (u *foundUnit) sweep()                      {}
func (u *foundUnit) settle(*batch, int64, int64) {}

// notedSink notes the partitions of each checkpoint.
type notedSink struct {
	written [][]int32
	err     error
}

func (k *notedSink) open() error { return nil }
func (k *notedSink) close()      {}
func (k *notedSink) write(_ context.Context, _ *session, batches []*batch) error {
	var of []int32
	for _, b := range batches {
		of = append(of, b.claim.partition)
	}
	k.written = append(k.written, of)
	return k.err
}

// A finding is written without the rows of other partitions; these are written
// at their time, however many findings there are, and all together after a
// failure, so that what failed is tried again.
func TestFindingsWriteTheirPartitionsAlone(t *testing.T) {
	t.Parallel()
	sink := &notedSink{}
	cfg := &Config{Status: NewStatus(), CheckpointInterval: time.Hour, SessionTimeout: time.Hour, RetryFor: time.Hour}
	s := &session{g: &group{cfg: cfg, sink: sink}, known: true}
	s.ctx, s.cancel = context.WithCancelCause(t.Context())
	defer s.cancel(nil)
	for id := range int32(3) {
		c := newClaim(place{"ticks", id}, "ticks", id, &foundUnit{found: id == 1}, newBudget())
		c.next = 1
		s.ordered = append(s.ordered, c)
	}
	l := &s.loop
	l.ready(s)
	for _, c := range []struct {
		name      string
		whole     time.Duration // since the last checkpoint of all
		err       error
		partition []int32
	}{
		{"a finding", time.Minute, nil, []int32{1}},
		{"another", time.Minute, nil, []int32{1}},
		{"all are due", 2 * time.Hour, nil, []int32{0, 1, 2}},
		{"a finding that fails", time.Minute, errors.New("away"), []int32{1}},
		{"after a failure", time.Minute, nil, []int32{0, 1, 2}},
		{"well again", time.Minute, nil, []int32{1}},
	} {
		sink.written, sink.err = nil, c.err
		now := time.Now()
		l.swept, l.whole, l.checked = now, now.Add(-c.whole), now.Add(-time.Second)
		if !l.step(s.ctx, s) {
			t.Fatalf("%s: the loop ended", c.name)
		}
		if len(sink.written) != 1 || !slices.Equal(sink.written[0], c.partition) {
			t.Errorf("%s: partitions %v were written, want %v", c.name, sink.written, c.partition)
		}
	}
}

// cutSink lets a first checkpoint end only when its time is up.
type cutSink struct {
	begun chan struct{}
	err   error
	calls int
}

func (k *cutSink) open() error { return nil }
func (k *cutSink) close()      {}
func (k *cutSink) write(ctx context.Context, _ *session, _ []*batch) error {
	if k.calls++; k.calls > 1 {
		return nil
	}
	close(k.begun)
	<-ctx.Done()
	return k.err
}

// A session may end while a checkpoint is under way. One that is known to have
// come to nothing is made up for by the last one; after one that may have come
// true nothing is written, and the end is told as a failure.
func TestCheckpointUnderWayAtTheEnd(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		err   error
		calls int
		fails bool
	}{
		{"given up", context.Canceled, 2, false},
		{"outcome unknown", fmt.Errorf("%w: %w", errOutcome, context.Canceled), 1, true},
		{"fenced", sarama.ErrProducerFenced, 1, true},
		{"somebody else's", sarama.ErrIllegalGeneration, 1, false},
	} {
		sink := &cutSink{begun: make(chan struct{}), err: c.err}
		cfg := &Config{Status: NewStatus(), CheckpointInterval: time.Nanosecond, SessionTimeout: time.Hour, RetryFor: time.Hour}
		cfg.OnReport = func(*engine.Report) {}
		s := &session{g: &group{cfg: cfg, sink: sink}, known: true}
		s.ctx, s.cancel = context.WithCancelCause(t.Context())
		claim := newClaim(place{"ticks", 0}, "ticks", 0, &foundUnit{}, newBudget())
		claim.next = 1
		s.ordered = append(s.ordered, claim)
		s.loop.start(s)
		<-sink.begun
		s.cancel(nil)
		s.loop.stop(0)
		err := s.lastCheckpoint(time.Now().Add(time.Minute), true)
		if sink.calls != c.calls || (err != nil) != c.fails {
			t.Errorf("%s: %d checkpoints, %v; want %d, failure %v", c.name, sink.calls, err, c.calls, c.fails)
		}
	}
}

// Where no time is left for a last checkpoint, what made those before it fail is
// told, and no failure where nothing is left to write.
func TestLastCheckpointTellsTheCause(t *testing.T) {
	t.Parallel()
	sink := &notedSink{}
	s := &session{g: &group{cfg: &Config{ExactlyOnce: true, SessionTimeout: time.Hour}, sink: sink}, known: true}
	s.loop.ready(s)
	if err := s.lastCheckpoint(time.Now(), true); err != nil {
		t.Errorf("%v, with nothing to write", err)
	}
	claim := newClaim(place{"ticks", 0}, "ticks", 0, &foundUnit{}, newBudget())
	claim.next = 1
	s.ordered = append(s.ordered, claim)
	gone := errors.New("topic gone")
	_ = s.loop.why(gone)
	if err := s.lastCheckpoint(time.Now(), true); !errors.Is(err, gone) || !errors.Is(err, context.DeadlineExceeded) || len(sink.written) > 0 {
		t.Errorf("%v, %d checkpoints", err, len(sink.written))
	}
}

// A member that ends is no failure of the group by itself, however long it has
// lived; members that end one after another are, unless one gets something done.
func TestFailuresInARow(t *testing.T) {
	t.Parallel()
	var f failures
	for i, c := range []struct{ now, durable, lasted time.Duration }{
		{time.Hour, 0, 0},
		{time.Hour + time.Minute, 0, time.Minute},
		{2 * time.Hour, time.Hour - 1, time.Hour},
		{3 * time.Hour, 3*time.Hour - time.Second, 0},
		{4 * time.Hour, 3*time.Hour - time.Second, time.Hour},
	} {
		if got := f.lasted(int64(c.now), int64(c.durable)); got != c.lasted {
			t.Errorf("failure %d: %s, want %s", i, got, c.lasted)
		}
	}
}

// What is found in history is old already: it asks for no checkpoint of its own
// until the audit has caught up.
func TestOnlyWhatIsNewIsUrgent(t *testing.T) {
	t.Parallel()
	d, err := codecs.NewJSON(codecs.Fields{Symbol: "s", Timestamp: "t"})
	if err != nil {
		t.Fatal(err)
	}
	cfg := &Config{Status: NewStatus(), Limits: engine.DefaultLimits()}
	cfg.prepared.Partitions = map[string]int32{"ticks": 1}
	u := newSymbols(cfg, place{"ticks", 0}, "table", d, zerolog.Nop())
	tick := func(offset, event int64) *kgo.Record {
		return &kgo.Record{
			Topic: "ticks", Offset: offset, Key: []byte("QXA"), Timestamp: time.Unix(1735831800, 0),
			Value: fmt.Appendf(nil, `{"s":"QXA","t":%d}`, event),
		}
	}
	if err := u.consume([]*kgo.Record{tick(0, 1735831800), tick(1, 1735831799)}); err != nil {
		t.Fatal(err)
	}
	if !u.judge.Pending() || u.urgent() {
		t.Errorf("in history: a finding %v, urgent %v; want one that is not urgent", u.judge.Pending(), u.urgent())
	}
	u.progress(2, 2)
	if !u.urgent() {
		t.Error("caught up, and the finding is not urgent")
	}
}
