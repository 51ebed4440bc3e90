package processors

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

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
