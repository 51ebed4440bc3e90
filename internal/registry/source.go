package registry

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/sr"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
)

const (
	maxSchemas = 1000 // kept, as Connect's converters do
	maxUnknown = 1000
)

// timing is how long the source waits between questions.
type timing struct {
	awayMin, awayMax       time.Duration // between attempts while the registry is away
	unknownMin, unknownMax time.Duration // before an unknown schema is asked for again
	recheck                time.Duration
	burst                  int           // questions about unknown schemas at once
	refill                 time.Duration // after which there is one more
	told                   time.Duration // between logs of unknown schemas
}

var usual = timing{
	awayMin: 100 * time.Millisecond, awayMax: 5 * time.Second, unknownMin: time.Second, unknownMax: time.Minute,
	recheck: time.Minute, burst: 20, refill: 200 * time.Millisecond, told: 10 * time.Second,
}

// Options say how a registry is asked.
type Options struct {
	Servers Servers
	Fields  codecs.Fields
	GiveUp  time.Duration // how long it may be away
	Log     zerolog.Logger
	timing  timing
}

// Source is a registry's schemas as [codecs.Schemas].
type Source struct {
	clients []*sr.Client
	o       Options
	epoch   atomic.Uint64
	ctx     context.Context
	cancel  context.CancelFunc
	back    chan struct{} // the registry answers again
	done    chan struct{}

	mu       sync.Mutex
	known    map[name]*known
	unknown  map[name]*unknown
	inflight map[name]chan struct{}
	budget   budget
	untold   int       // unknown names that no log has named
	toldAt   time.Time // of the last log of unknown names
	clock    uint64    // of uses
	away     error     // why it does not answer, nil: it does
	since    time.Time
	fatal    error
	ended    chan struct{} // closed when fatal is set
}

// name is a reference for logs.
type name codecs.SchemaRef

func (n name) String() string {
	if n.GUID != [16]byte{} {
		return "GUID " + guidText(n.GUID)
	}
	return fmt.Sprintf("id %d", n.ID)
}

type known struct {
	schema codecs.Schema
	text   definition
	used   uint64
}

type unknown struct {
	again time.Time
	pause time.Duration
}

// Open is a source that asks nothing before a schema is needed.
func Open(o Options) (*Source, error) {
	if o.timing == (timing{}) {
		o.timing = usual
	}
	clients, err := o.Servers.clients()
	if err != nil {
		return nil, err
	}
	s := &Source{
		clients: clients, o: o, back: make(chan struct{}, 1), done: make(chan struct{}), ended: make(chan struct{}),
		known: map[name]*known{}, unknown: map[name]*unknown{}, inflight: map[name]chan struct{}{},
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	go s.watch()
	return s, nil
}

// Close ends the source; whoever waits for an answer gets none.
func (s *Source) Close() {
	s.cancel()
	<-s.done
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.untold > 0 {
		s.o.Log.Warn().Int("others", s.untold).Msg("the schema registry does not know schemas")
	}
}

// GiveUpAfter sets how long the registry may be away, before it is asked.
func (s *Source) GiveUpAfter(d time.Duration) { s.o.GiveUp = d }

// Epoch implements [codecs.Schemas].
func (s *Source) Epoch() uint64 { return s.epoch.Load() }

// Schema implements [codecs.Schemas].
func (s *Source) Schema(ref codecs.SchemaRef) codecs.Schema {
	schema, err := s.await(s.ctx, name(ref))
	if err != nil {
		return codecs.Schema{Reason: engine.ReasonSchemaAway}
	}
	return schema
}

// Await returns once it is known what the reference stands for, be it nothing.
// The error is the context's, or that of a registry that was given up.
func (s *Source) Await(ctx context.Context, ref codecs.SchemaRef) error {
	_, err := s.await(ctx, name(ref))
	return err
}

// Away is why the registry does not answer, "" while it does.
func (s *Source) Away() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.away == nil {
		return ""
	}
	return fmt.Sprintf("the schema registry has not answered for %s: %s", time.Since(s.since).Round(time.Second), s.away)
}

// Ended is closed when the registry was given up; Err then says why.
func (s *Source) Ended() <-chan struct{} { return s.ended }

// Err is why the registry was given up.
func (s *Source) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fatal
}

// await waits until it is known what the name stands for. An error is the
// context's, or that of a registry that was given up.
func (s *Source) await(ctx context.Context, n name) (codecs.Schema, error) {
	for pause := s.o.timing.awayMin; ; {
		s.mu.Lock()
		if schema, ok := s.answered(n); ok || s.fatal != nil {
			defer s.mu.Unlock()
			if !ok {
				return schema, s.fatal
			}
			return schema, nil
		}
		flight := s.inflight[n]
		mine := flight == nil
		var wait time.Duration
		if mine {
			var mayAsk bool
			if mayAsk, wait = s.budget.spend(time.Now(), &s.o.timing); !mayAsk && (s.unknown[n] != nil || s.budget.unlikely(n, time.Now(), &s.o.timing)) {
				s.mu.Unlock()
				return codecs.Schema{Reason: engine.ReasonSchemaUnknown}, nil
			}
			if mayAsk {
				flight = make(chan struct{})
				s.inflight[n] = flight
			}
		}
		s.mu.Unlock()
		if flight == nil {
			if err := s.pause(ctx, wait); err != nil {
				return codecs.Schema{}, err
			}
			continue
		}
		if !mine {
			select {
			case <-flight:
				continue
			case <-ctx.Done():
				return codecs.Schema{}, ctx.Err()
			}
		}
		answered := s.ask(ctx, n)
		s.mu.Lock()
		delete(s.inflight, n)
		s.mu.Unlock()
		close(flight)
		if answered {
			continue
		}
		if err := s.pause(ctx, pause); err != nil {
			return codecs.Schema{}, err
		}
		pause = min(2*pause, s.o.timing.awayMax)
	}
}

// pause waits, shorter when the registry is given up. An error is the
// context's.
func (s *Source) pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
	case <-s.ended:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// answered is what is kept about a name. An unknown one whose time has come is
// asked for again. The caller holds the lock.
func (s *Source) answered(n name) (codecs.Schema, bool) {
	if k := s.known[n]; k != nil {
		s.clock++
		k.used = s.clock
		return k.schema, true
	}
	if u := s.unknown[n]; u != nil && time.Now().Before(u.again) {
		return codecs.Schema{Reason: engine.ReasonSchemaUnknown}, true
	}
	return codecs.Schema{}, false
}

// ask asks for a name once and keeps the answer; false: there was none.
func (s *Source) ask(ctx context.Context, n name) bool {
	text, err := s.fetch(ctx, n)
	if ctx.Err() != nil {
		return false
	}
	if !errors.Is(err, errUnknown) {
		defer s.giveBack()
	}
	if err != nil && !errors.Is(err, errUnknown) {
		s.missed(err)
		return false
	}
	var schema codecs.Schema
	if err == nil {
		schema = s.compile(n, text)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers()
	if err != nil {
		s.note(n, err)
		return true
	}
	delete(s.unknown, n)
	if len(s.known) >= maxSchemas {
		s.forget()
	}
	s.clock++
	s.known[n] = &known{schema, text, s.clock}
	s.budget.most = max(s.budget.most, n.ID)
	return true
}

// forget drops the schema that was used longest ago.
func (s *Source) forget() {
	var oldest name
	least := s.clock + 1
	for n, k := range s.known {
		if k.used < least {
			oldest, least = n, k.used
		}
	}
	delete(s.known, oldest)
}

// answers notes that the registry is there.
func (s *Source) answers() {
	if s.away == nil {
		return
	}
	s.o.Log.Info().Dur("after", time.Since(s.since)).Msg("the schema registry answers again")
	s.away = nil
	select {
	case s.back <- struct{}{}:
	default:
	}
}

// missed notes that the registry did not answer, and gives it up after a time.
func (s *Source) missed(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if s.away == nil {
		s.since = now
		s.o.Log.Warn().Err(err).Msg("the schema registry does not answer, records that need it wait")
	}
	s.away = err
	lasted := now.Sub(s.since)
	switch {
	case s.fatal != nil:
		return
	case errors.Is(err, errRefused):
		s.fatal = fmt.Errorf("value.converter.schema.registry.url: %w", err)
	case lasted >= s.o.GiveUp:
		s.fatal = fmt.Errorf("value.converter.schema.registry.url: no answer for %s: %w", lasted.Round(time.Second), err)
	default:
		return
	}
	close(s.ended)
}
