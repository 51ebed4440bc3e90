package registry

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/sr"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/codecs/avro"
	"github.com/auditstream/auditstream/engine"
)

// Reports writes and reads reports in Avro behind a registry's frame.
type Reports struct {
	source  *Source
	frame   []byte // of what is written; empty: Register was not called
	mu      sync.Mutex
	readers map[int32]*avro.ReportReader
}

// NewReports has the registry of a source.
func NewReports(s *Source) *Reports {
	return &Reports{source: s, readers: map[int32]*avro.ReportReader{}}
}

// Register registers the schema of reports for the values of a topic, whose
// compatibility it sets to BACKWARD where it is another. It waits for a
// registry that does not answer as long as the source does.
func (r *Reports) Register(ctx context.Context, topic string, log zerolog.Logger) error {
	subject := topic + "-value"
	began := time.Now()
	for pause := usual.awayMin; ; pause = min(2*pause, usual.awayMax) {
		var id int
		err := r.source.each(func(c *sr.Client) (err error) {
			id, err = register(ctx, c, subject)
			return err
		})
		switch {
		case err == nil:
			r.frame = frameOf(id)
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, errRefused), errors.Is(err, errUnfit), time.Since(began) >= r.source.o.GiveUp:
			return fmt.Errorf("audit.value.converter=avro: register the schema of reports as %s: %w", subject, err)
		}
		log.Warn().Err(err).Str("subject", subject).Msg("the schema of reports is not registered yet, trying again")
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// errUnfit is a schema that the registry will never take.
var errUnfit = errors.New("the registry does not take it")

func register(ctx context.Context, c *sr.Client, subject string) (id int, err error) {
	now := c.Compatibility(sr.WithParams(ctx, sr.DefaultToGlobal), subject)[0]
	if now.Err != nil || now.Level != sr.CompatBackward {
		if set := c.SetCompatibility(ctx, sr.SetCompatibility{Level: sr.CompatBackward}, subject)[0]; set.Err != nil {
			return 0, set.Err
		}
	}
	made, err := c.CreateSchema(ctx, subject, sr.Schema{Schema: avro.ReportSchema(), Type: sr.TypeAvro})
	if answer, ok := errors.AsType[*sr.ResponseError](err); ok {
		if answer.StatusCode == http.StatusConflict || answer.StatusCode == http.StatusUnprocessableEntity {
			return 0, fmt.Errorf("%w: %w", errUnfit, err)
		}
	}
	return made.ID, err
}

func frameOf(id int) []byte {
	return []byte{0, byte(id >> 24), byte(id >> 16), byte(id >> 8), byte(id)}
}

// Encode is a report with its frame.
func (r *Reports) Encode(report *engine.Report) ([]byte, error) {
	return avro.AppendReport(append([]byte(nil), r.frame...), report)
}

// Decode reads a report in either form. It waits for the registry as a source
// does.
func (r *Reports) Decode(value []byte) (*engine.Report, error) {
	id, payload, framed := codecs.Frame(value)
	if !framed {
		return codecs.DecodeReport(value)
	}
	if r == nil {
		return nil, errors.New("the report is in Avro: set value.converter.schema.registry.url to read it")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	reader := r.readers[id]
	if reader == nil {
		schema, err := r.source.text(r.source.ctx, name{ID: id})
		if err != nil {
			return nil, err
		}
		if reader, err = avro.NewReportReader(schema); err != nil {
			return nil, fmt.Errorf("schema id %d: %w", id, err)
		}
		if len(r.readers) < maxSchemas {
			r.readers[id] = reader
		}
	}
	return reader.Read(payload)
}

// text is a schema as it is registered.
func (s *Source) text(ctx context.Context, n name) (string, error) {
	schema, err := s.await(ctx, n)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if k := s.known[n]; k != nil && k.schema.Reason != engine.ReasonSchemaChanged {
		return k.text.Schema.Schema, nil
	}
	return "", fmt.Errorf("schema id %d: %s", n.ID, schema.Reason)
}
