package registry

import (
	"errors"

	"github.com/twmb/franz-go/pkg/sr"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/codecs/avro"
	"github.com/auditstream/auditstream/codecs/protobuf"
	"github.com/auditstream/auditstream/engine"
)

// compile makes a plan of a schema. One that cannot be used is told once, and
// its records are unreadable.
func (s *Source) compile(n name, d definition) codecs.Schema {
	var (
		out codecs.Schema
		err error
	)
	f := s.o.Fields
	switch d.Schema.Type {
	case sr.TypeAvro:
		out.Format = engine.FramedAvro
		var texts []string
		for _, r := range d.References {
			texts = append(texts, r.Text)
		}
		out.Plan, err = avro.Compile(d.Schema.Schema, texts, f)
	case sr.TypeProtobuf:
		out.Format = engine.FramedProtobuf
		imports := map[string]string{}
		for _, r := range d.References {
			imports[r.Name] = r.Text
		}
		out.Plan, err = protobuf.Compile(d.Schema.Schema, imports, f)
	case sr.TypeJSON:
		out.Format = engine.FramedJSON
	default:
		err = errors.New("its type is neither Avro nor Protobuf nor JSON")
	}
	if err != nil {
		s.o.Log.Error().Err(err).Stringer("schema", n).Stringer("type", d.Schema.Type).Msg("a schema cannot be used")
		return codecs.Schema{Format: out.Format, Reason: engine.ReasonSchemaInvalid}
	}
	return out
}
