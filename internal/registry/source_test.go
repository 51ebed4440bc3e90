package registry

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"
	"go.uber.org/goleak"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/kafkatest"
)

const (
	tickV1 = `{"type":"record","name":"Tick","fields":[{"name":"symbol","type":"string"},{"name":"ts","type":"long"}]}`
	tickV3 = `{"type":"record","name":"Tick","fields":[{"name":"ts","type":"long"},{"name":"symbol","type":"string"}]}`
)

var quick = timing{
	awayMin: time.Millisecond, awayMax: 5 * time.Millisecond, unknownMin: 5 * time.Millisecond, unknownMax: 20 * time.Millisecond,
	recheck: 5 * time.Millisecond, burst: 2000, refill: time.Millisecond, told: time.Minute,
}

// fake is a registry that counts what it is asked and can answer otherwise.
type fake struct {
	*srfake.Registry
	asked  atomic.Int64
	status atomic.Int64 // 0: its own answer
}

func newFake(t *testing.T, opts ...srfake.Option) *fake {
	f := &fake{Registry: srfake.New(opts...)}
	t.Cleanup(f.Close)
	f.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		f.asked.Add(1)
		if status := f.status.Load(); status != 0 {
			w.WriteHeader(int(status))
			return true
		}
		return false
	})
	return f
}

func open(t *testing.T, o Options) *Source {
	t.Helper()
	if o.GiveUp == 0 {
		o.GiveUp = time.Minute
	}
	o.Fields = codecs.Fields{Symbol: "symbol", Timestamp: "ts"}
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func at(urls ...string) Options { return Options{Servers: Servers{URLs: urls}, timing: quick} }

func byID(id int32) codecs.SchemaRef { return codecs.SchemaRef{ID: id} }

func TestSchemaIsAskedForOnce(t *testing.T) {
	f := newFake(t)
	f.SeedSchema("t-value", 1, 7, sr.Schema{Schema: tickV1})
	o := at(f.URL())
	o.timing.recheck = time.Hour
	s := open(t, o)
	for range 3 {
		if got := s.Schema(byID(7)); got.Reason != engine.ReasonNone || got.Format != engine.FramedAvro || got.Plan == nil {
			t.Fatalf("%+v", got)
		}
	}
	if n := f.asked.Load(); n != 1 {
		t.Errorf("%d questions", n)
	}
}

// An id that is not there is told as that, asked for rarely, and found once it
// appears.
func TestUnknownSchemaAppears(t *testing.T) {
	f := newFake(t)
	o := at(f.URL())
	o.timing.unknownMin, o.timing.unknownMax = 50*time.Millisecond, 50*time.Millisecond
	s := open(t, o)
	for range 1000 {
		if got := s.Schema(byID(7)); got.Reason != engine.ReasonSchemaUnknown {
			t.Fatalf("%+v", got)
		}
	}
	if n := f.asked.Load(); n > 20 {
		t.Errorf("%d questions for 1000 records of an unknown schema", n)
	}
	f.SeedSchema("t-value", 1, 7, sr.Schema{Schema: tickV1})
	kafkatest.Eventually(t, "a schema that has appeared", func() bool { return s.Schema(byID(7)).Plan != nil })
}

// No answer is not "there is none", whatever says so: callers wait.
func TestAwayIsWaitedFor(t *testing.T) {
	for _, status := range []int{503, 500, 429, 404, 302, 400} { // 404 without the registry's own code
		f := newFake(t)
		f.SeedSchema("t-value", 1, 7, sr.Schema{Schema: tickV1})
		f.status.Store(int64(status))
		s := open(t, at(f.URL()))
		got := make(chan codecs.Schema, 1)
		go func() { got <- s.Schema(byID(7)) }()
		kafkatest.Eventually(t, "attempts", func() bool { return s.Away() != "" && f.asked.Load() >= 3 })
		select {
		case schema := <-got:
			t.Fatalf("%d: answered with %+v", status, schema)
		default:
		}
		f.status.Store(0)
		if schema := <-got; schema.Plan == nil || s.Away() != "" {
			t.Errorf("%d: after it was back: %+v, away %q", status, schema, s.Away())
		}
	}
}

func TestGivenUpWithTheCause(t *testing.T) {
	f := newFake(t)
	f.status.Store(503)
	o := at(f.URL())
	o.GiveUp = 20 * time.Millisecond
	s := open(t, o)
	if err := s.Await(context.Background(), byID(7)); err == nil || !strings.Contains(err.Error(), "no answer") || !strings.Contains(err.Error(), f.URL()) {
		t.Errorf("await: %v", err)
	}
	<-s.Ended()
	if got := s.Schema(byID(7)); got.Reason != engine.ReasonSchemaAway || s.Err() == nil {
		t.Errorf("%+v, %v", got, s.Err())
	}
}

func TestRefusalEndsAtOnce(t *testing.T) {
	f := newFake(t, srfake.WithAuth("Basic dXNlcjpwYXNz"))
	s := open(t, at(f.URL()))
	if err := s.Await(context.Background(), byID(7)); !errors.Is(err, errRefused) {
		t.Errorf("await: %v", err)
	}
	f.SeedSchema("t-value", 1, 7, sr.Schema{Schema: tickV1})
	o := at(f.URL())
	o.Servers.User, o.Servers.Password = "user", "pass"
	if got := open(t, o).Schema(byID(7)); got.Plan == nil {
		t.Errorf("with the password: %+v", got)
	}
}

func TestAnotherServerIsAsked(t *testing.T) {
	f, broken := newFake(t), newFake(t)
	broken.status.Store(503)
	f.SeedSchema("t-value", 1, 7, sr.Schema{Schema: tickV1})
	if got := open(t, at("http://127.0.0.1:1", broken.URL(), f.URL())).Schema(byID(7)); got.Plan == nil {
		t.Errorf("%+v", got)
	}
}

// An id that has come to mean another schema is not read by either.
func TestG68ChangedMeaningIsNotUsed(t *testing.T) {
	f := newFake(t)
	f.SeedSchema("t-value", 1, 7, sr.Schema{Schema: tickV1})
	s := open(t, at(f.URL()))
	if got := s.Schema(byID(7)); got.Plan == nil {
		t.Fatalf("%+v", got)
	}
	f.Reset()
	f.SeedSchema("other-value", 1, 7, sr.Schema{Schema: tickV3})
	kafkatest.Eventually(t, "the change", func() bool { return s.Epoch() != 0 })
	if got := s.Schema(byID(7)); got.Plan != nil || got.Reason != engine.ReasonSchemaChanged {
		t.Errorf("%+v", got)
	}
}

func TestReferencesAreFetched(t *testing.T) {
	f := newFake(t)
	f.SeedSchema("instrument", 1, 3, sr.Schema{Schema: `{"type":"record","name":"Instrument","namespace":"ref","fields":[{"name":"code","type":"string"}]}`})
	f.SeedSchema("t-value", 1, 7, sr.Schema{
		Schema:     `{"type":"record","name":"Tick","fields":[{"name":"symbol","type":"ref.Instrument"},{"name":"ts","type":"long"}]}`,
		References: []sr.SchemaReference{{Name: "ref.Instrument", Subject: "instrument", Version: 1}},
	})
	if got := open(t, at(f.URL())).Schema(byID(7)); got.Plan == nil {
		t.Errorf("%+v", got)
	}
}

func TestTheCacheIsBounded(t *testing.T) {
	f := newFake(t)
	for id := range int32(maxSchemas + 50) {
		f.SeedSchema("t-value", int(id)+1, int(id)+1, sr.Schema{Schema: tickV1})
	}
	o := at(f.URL())
	o.timing.recheck, o.timing.unknownMin = time.Hour, time.Hour
	s := open(t, o)
	for id := range int32(maxSchemas + 50) {
		if got := s.Schema(byID(id + 1)); got.Plan == nil {
			t.Fatalf("%d: %+v", id, got)
		}
		s.Schema(byID(1)) // in use throughout
		s.Schema(byID(1_000_000 + id))
	}
	if len(s.known) > maxSchemas || len(s.unknown) > maxUnknown || s.known[name(byID(1))] == nil {
		t.Errorf("%d schemas and %d unknown ids are kept, the one in use: %v", len(s.known), len(s.unknown), s.known[name(byID(1))] != nil)
	}
}

func TestUnusableSchemaIsNoFault(t *testing.T) {
	f := newFake(t)
	f.SeedSchema("t-value", 1, 7, sr.Schema{Schema: `{"type":"record","name":"T","fields":[{"name":"a","type":"Nowhere"}]}`})
	if got := open(t, at(f.URL())).Schema(byID(7)); got.Reason != engine.ReasonSchemaInvalid {
		t.Errorf("%+v", got)
	}
}

func TestCloseEndsWaiting(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"), goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"))
	o := at("http://127.0.0.1:1")
	o.GiveUp = time.Hour
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan engine.Reason)
	go func() { ended <- s.Schema(byID(7)).Reason }()
	kafkatest.Eventually(t, "an attempt", func() bool { return s.Away() != "" })
	s.Close()
	if got := <-ended; got != engine.ReasonSchemaAway {
		t.Errorf("ended with %s", got)
	}
}

// Bytes that only look like frames, each with an id of its own, are judged at
// once and are no flood of questions, nor of logs. What the registry has is
// decoded all the same, and so is what it gets.
func TestGarbageFloodsNoRegistry(t *testing.T) {
	f := newFake(t)
	f.SeedSchema("t-value", 1, 7, sr.Schema{Schema: tickV1})
	o := at(f.URL())
	o.timing = usual
	var logs lines
	o.Log = zerolog.New(&logs)
	s := open(t, o)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 20_000 {
		id := int32(plausible) + 1 + random.Int32N(math.MaxInt32-plausible-1)
		if got := s.Schema(byID(id)); got.Reason != engine.ReasonSchemaUnknown {
			t.Fatalf("id %d: %+v", id, got)
		}
		if got := s.Schema(byID(7)); i%1000 == 0 && got.Plan == nil {
			t.Fatalf("the known one: %+v", got)
		}
	}
	// A refill each 200 ms of what may be a slow machine's time.
	if asked := f.asked.Load(); asked > 100 {
		t.Errorf("%d questions", asked)
	}
	if n := logs.Load(); n > 10 {
		t.Errorf("%d lines of log", n)
	}
	f.SeedSchema("t-value", 2, 100_008, sr.Schema{Schema: tickV1})
	if got := s.Schema(byID(100_008)); got.Plan == nil {
		t.Errorf("a new id: %+v", got)
	}
	const far = 1 << 30
	f.SeedSchema("t-value", 3, far, sr.Schema{Schema: tickV1})
	kafkatest.Eventually(t, "an id far beyond the others that comes again", func() bool { return s.Schema(byID(far)).Plan != nil })
}

// Names that wait for a question get theirs, one at a time.
func TestUnknownIdsAreAskedForInTurn(t *testing.T) {
	f := newFake(t)
	o := at(f.URL())
	o.timing.burst, o.timing.unknownMin, o.timing.unknownMax = 1, time.Hour, time.Hour
	s := open(t, o)
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if got := s.Schema(byID(int32(i%10 + 1))); got.Reason != engine.ReasonSchemaUnknown {
				t.Errorf("id %d: %+v", i, got)
			}
		})
	}
	all.Wait()
	if n := f.asked.Load(); n != 10 {
		t.Errorf("%d questions about 10 ids", n)
	}
}

// lines counts what is written.
type lines struct{ atomic.Int64 }

func (l *lines) Write(b []byte) (int, error) {
	l.Add(1)
	return len(b), nil
}
