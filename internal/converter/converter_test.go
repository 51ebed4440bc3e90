package converter

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"
	"github.com/twmb/avro"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/config"
)

const (
	older = `{"type":"record","name":"Tick","fields":[{"name":"symbol","type":"string"},{"name":"ts","type":"long"}]}`
	newer = `{"type":"record","name":"Tick","fields":[{"name":"ts","type":"long"},{"name":"venue","type":"string"},{"name":"symbol","type":"string"}]}`

	at = int64(1735831800123456789)
)

func file(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// read decodes a value as the configuration says.
func read(t *testing.T, value []byte, settings ...string) (out engine.Tick) {
	t.Helper()
	c, err := config.Load("", nil, append([]string{"topics=t", "field.timestamp=ts", "field.venue=venue"}, settings...))
	if err != nil {
		t.Fatal(err)
	}
	v, err := Open(c, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	d, err := v.Decoder()
	if err != nil {
		t.Fatal(err)
	}
	d.Decode(value, &out)
	return out
}

func encoded(t *testing.T, schema string, single bool) []byte {
	t.Helper()
	s, v := avro.MustParse(schema), map[string]any{"symbol": "QXA", "ts": at, "venue": "XNYS"}
	b, err := s.Encode(v)
	if single {
		b, err = s.AppendSingleObject(nil, v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestAvroByFiles(t *testing.T) {
	files := "value.converter.avro.schema.file=" + file(t, "older.avsc", []byte(older)) + "," + file(t, "newer.avsc", []byte(newer))
	for name, c := range map[string]struct {
		value  []byte
		format engine.Format
		reason engine.Reason
		venue  string
	}{
		"bare":                  {encoded(t, older, false), engine.BareAvro, 0, ""},
		"single object":         {encoded(t, older, true), engine.SingleObjectAvro, 0, ""},
		"of another schema":     {encoded(t, newer, true), engine.SingleObjectAvro, 0, "XNYS"},
		"of an unknown schema":  {encoded(t, strings.Replace(newer, "Tick", "Tock", 1), true), engine.SingleObjectAvro, engine.ReasonSchemaUnknown, ""},
		"plain JSON between":    {[]byte(`{"symbol":"QXA","ts":1735831800123456789}`), engine.PlainJSON, 0, ""},
		"a frame, no registry":  {append([]byte{0, 0, 0, 0, 7}, encoded(t, older, false)...), engine.FormatUnknown, engine.ReasonFramed, ""},
		"cut":                   {encoded(t, older, false)[:4], engine.BareAvro, engine.ReasonUnframed, ""},
		"nothing of all that":   {[]byte("\xffxyz"), engine.BareAvro, engine.ReasonUnframed, ""},
		"no bytes":              {[]byte{}, engine.FormatUnknown, engine.ReasonEmpty, ""},
		"a magic and no record": {[]byte{0xc3, 0x01}, engine.BareAvro, engine.ReasonUnframed, ""},
	} {
		got := read(t, c.value, "value.converter=avro", files)
		good := c.reason == engine.ReasonNone
		if got.Format != c.format || got.Reason != c.reason && !(c.reason == engine.ReasonUnframed && got.Kind == engine.Unreadable) ||
			good && (string(got.Symbol) != "QXA" || got.EventTime != at || string(got.Venue) != c.venue) {
			t.Errorf("%s: %s, %s, %q at %d of %q", name, got.Format, got.Reason, got.Symbol, got.EventTime, got.Venue)
		}
	}
	if got := read(t, nil, "value.converter=avro", files); got.Kind != engine.Tombstone {
		t.Errorf("no value: %d", got.Kind)
	}
}

func TestProtobufByDescriptor(t *testing.T) {
	text, number := descriptorpb.FieldDescriptorProto_TYPE_STRING, descriptorpb.FieldDescriptorProto_TYPE_INT64
	optional := descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL
	set, err := proto.Marshal(&descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{{
		Name: proto.String("tick.proto"), Package: proto.String("market"), Syntax: proto.String("proto3"),
		MessageType: []*descriptorpb.DescriptorProto{{Name: proto.String("Tick"), Field: []*descriptorpb.FieldDescriptorProto{
			{Name: proto.String("symbol"), Number: proto.Int32(1), Type: &text, Label: &optional},
			{Name: proto.String("ts"), Number: proto.Int32(2), Type: &number, Label: &optional},
		}}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	settings := []string{"value.converter=protobuf", "value.converter.protobuf.descriptor.file=" + file(t, "tick.desc", set), "value.converter.protobuf.message=market.Tick"}
	if got := read(t, []byte{0x0a, 3, 'Q', 'X', 'A', 0x10, 0xb8, 0x88, 0xdb, 0xbb, 0x06}, settings...); string(got.Symbol) != "QXA" || got.Kind != engine.Good || got.Format != engine.BareProtobuf {
		t.Errorf("%q at %d: %s, %s", got.Symbol, got.EventTime, got.Reason, got.Format)
	}
	if got := read(t, []byte{0x0a, 9, 'Q'}, settings...); got.Reason != engine.ReasonTruncated {
		t.Errorf("cut: %s", got.Reason)
	}
}
