package processors

import (
	"context"
	"fmt"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/internal/kafka"
)

// Schemas are what decoding may have to wait for.
type Schemas interface {
	// Await returns once it is known what the reference stands for, be it
	// nothing. Its error is the context's, or ends the run.
	Await(ctx context.Context, ref codecs.SchemaRef) error
	// Away is why the schemas cannot be asked for, "" while they can.
	Away() string
}

// awaitSchemas waits, before a frame is handed on, for the schemas of its
// records. Waiting here rather than in the decoder keeps the partition's lock
// free: what was judged stays durable, the clock is told, and a rebalance or a
// stop ends the wait. The frames behind wait in their queue and pause its
// fetching when it is full. It reports whether the frame can be decoded.
func (s *session) awaitSchemas(f *frame) bool {
	var (
		rec  codecs.Record
		last codecs.SchemaRef
	)
	for _, r := range f.records {
		kafka.ReadRecord(r, &rec)
		ref, _, _, ok := codecs.SchemaOf(rec.Value, rec.Headers)
		if !ok || ref == last {
			continue
		}
		if err := s.g.schemas.Await(s.ctx, ref); err != nil {
			if s.ctx.Err() == nil {
				s.fail(fatal{fmt.Errorf("schema of %s/%d at offset %d: %w", r.Topic, r.Partition, r.Offset, err)})
			}
			return false
		}
		last = ref
	}
	return true
}

// waitFor has readiness tell why schemas cannot be asked for.
func (s *Status) waitFor(schemas Schemas) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.schemas = schemas
}
