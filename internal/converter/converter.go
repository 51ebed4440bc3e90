// Package converter makes the decoders that a configuration asks for: the one
// place where the values of value.converter meet the code that reads them.
//
// Formats of the standard library alone are known to package codecs by name;
// those that need a library or a registry are made here.
package converter

import (
	"fmt"
	"os"

	"github.com/rs/zerolog"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/codecs/avro"
	"github.com/auditstream/auditstream/codecs/protobuf"
	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/config"
	"github.com/auditstream/auditstream/internal/registry"
)

// Values makes decoders of values. Its decoders share the schemas of a
// registry, which is asked until Close.
type Values struct {
	converter string
	fields    codecs.Fields
	schemas   *registry.Source // nil: no registry
	bare      codecs.BareSchemas
}

// Open prepares what the configuration's decoders need. It reads schema files,
// and asks no registry yet.
func Open(c *config.Config, log zerolog.Logger) (*Values, error) {
	fields, err := c.Fields()
	if err != nil {
		return nil, err
	}
	v := &Values{converter: c.ValueConverter, fields: fields}
	if v.bare, err = bareSchemas(c, fields); err != nil {
		return nil, err
	}
	v.schemas, err = registry.OpenFor(c, log)
	return v, err
}

// Close ends the questions to the registry. Decoders that wait get no answer.
func (v *Values) Close() {
	if v.schemas != nil {
		v.schemas.Close()
	}
}

// Schemas is the registry, nil when there is none.
func (v *Values) Schemas() *registry.Source { return v.schemas }

// Explain is the error with which a run ended, or what made the registry end
// it.
func (v *Values) Explain(err error) error {
	if err != nil && v.schemas != nil && v.schemas.Err() != nil {
		return v.schemas.Err()
	}
	return err
}

// Decoder is a new decoder; it serves one goroutine.
func (v *Values) Decoder() (codecs.TickDecoder, error) {
	own, err := v.own()
	if err != nil || v.schemas == nil {
		return own, err
	}
	return codecs.NewRegistered(v.schemas, v.fields, own)
}

// Exact is a decoder that leaves symbols as they are spelled.
func (v *Values) Exact() (codecs.TickDecoder, error) {
	exact := *v
	exact.fields.Normalize = codecs.NormalizeNone
	return exact.Decoder()
}

// own is a decoder of values that name no schema, nil when there is none.
func (v *Values) own() (codecs.TickDecoder, error) {
	switch v.converter {
	case "avro", "protobuf":
		return codecs.NewBare(v.bare, v.fields)
	}
	return codecs.NewDecoder(v.converter, v.fields)
}

// bareSchemas reads the files of schemas.
func bareSchemas(c *config.Config, f codecs.Fields) (s codecs.BareSchemas, err error) {
	switch c.ValueConverter {
	case "avro":
		s.Format, s.Single = engine.BareAvro, map[[8]byte]codecs.Plan{}
		for i, path := range c.AvroSchemaFiles {
			text, err := os.ReadFile(path)
			if err != nil {
				return s, fmt.Errorf("value.converter.avro.schema.file: %w", err)
			}
			plan, err := avro.Compile(string(text), nil, f)
			if err != nil {
				return s, fmt.Errorf("value.converter.avro.schema.file: %s: %w", path, err)
			}
			if s.Single[plan.Fingerprint()] = plan; i == 0 {
				s.Plan = plan
			}
		}
	case "protobuf":
		s.Format = engine.BareProtobuf
		if c.ProtobufDescriptorFile == "" {
			return s, nil
		}
		set, err := os.ReadFile(c.ProtobufDescriptorFile)
		if err != nil {
			return s, fmt.Errorf("value.converter.protobuf.descriptor.file: %w", err)
		}
		if s.Plan, err = protobuf.CompileDescriptor(set, c.ProtobufMessage, f); err != nil {
			return s, fmt.Errorf("value.converter.protobuf.descriptor.file: %s: %w", c.ProtobufDescriptorFile, err)
		}
	}
	return s, nil
}
