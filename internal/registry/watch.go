package registry

import (
	"context"
	"errors"
	"time"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
)

// watch compares what is kept with what the registry has, at an interval and
// when it has come back, which is when it may be another one.
func (s *Source) watch() {
	defer close(s.done)
	ticker := time.NewTicker(s.o.timing.recheck)
	defer ticker.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-ticker.C:
		case <-s.back:
		}
		s.recheck(s.ctx)
	}
}

// recheck compares all that is kept by an id. A GUID is made of the schema's
// own text.
func (s *Source) recheck(ctx context.Context) {
	s.mu.Lock()
	var due []name
	for n := range s.known {
		if n.GUID == [16]byte{} {
			due = append(due, n)
		}
	}
	s.mu.Unlock()
	for _, n := range due {
		is, err := s.fetch(ctx, n)
		switch {
		case errors.Is(err, errUnknown):
			continue // what it was is known
		case err != nil:
			return // it is away again, or this ends; nobody waits for it
		}
		s.mu.Lock()
		if k := s.known[n]; k != nil && !k.text.same(&is) {
			s.o.Log.Error().Stringer("schema", n).Msg("the schema registry has given a known id to another schema: its records are not decoded")
			k.schema, k.text = codecs.Schema{Reason: engine.ReasonSchemaChanged}, is
			s.epoch.Add(1)
		}
		s.mu.Unlock()
	}
}
