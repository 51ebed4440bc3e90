package protobuf

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"strings"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/auditstream/auditstream/codecs"
)

// Plan reads records of one schema. It is immutable, so any number of
// goroutines may share it.
type Plan struct {
	messages []*message // of the file, by their index
	bare     *message   // nil: a record begins with message indexes
	records  []*message // all that a record may be
	lists    []*field   // that hold ticks, or the lists that do
	content  bool       // hashes of contents are asked for
}

// Compile makes a plan of a schema in Protobuf's language, whose records begin
// with the path of indexes that leads to their message in the file, as schema
// registries' serializers write it. imports are the texts of other files by
// the names under which they are imported; google/protobuf is known.
//
// A step of a path is a field's name, or its name in JSON, and [] goes into a
// repeated one. A google.protobuf.Timestamp is a time, and the wrappers of google.protobuf are
// their values. A path that a message does not have is no error: ticks then
// miss the field.
func Compile(schema string, imports map[string]string, f codecs.Fields) (*Plan, error) {
	files := maps.Clone(known)
	maps.Copy(files, imports)
	files[mainFile] = schema
	c := protocompile.Compiler{
		Resolver:       protocompile.WithStandardImports(resolver(files)),
		MaxParallelism: 1,
	}
	compiled, err := c.Compile(context.Background(), mainFile)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	paths, err := f.ScalarPaths()
	if err != nil {
		return nil, err
	}
	p := &Plan{content: f.Content}
	types := compiler{plan: p, paths: paths, content: f.Content}
	for i := range compiled[0].Messages().Len() {
		m, err := types.declared(compiled[0].Messages().Get(i))
		if err != nil {
			return nil, err
		}
		p.messages = append(p.messages, m)
	}
	return p, nil
}

// resolver finds files by the names under which they are imported. A text that
// is the base64 of a FileDescriptorProto is one: so some clients register what
// they have no source of.
type resolver map[string]string

func (r resolver) FindFileByPath(path string) (found protocompile.SearchResult, err error) {
	text, ok := r[path]
	if !ok {
		return found, protoregistry.NotFound
	}
	if b, err := base64.StdEncoding.DecodeString(text); err == nil && len(b) > 0 {
		file := new(descriptorpb.FileDescriptorProto)
		if proto.Unmarshal(b, file) == nil {
			file.Name = &path
			for _, m := range file.MessageType {
				nameInJSON(m)
			}
			found.Proto = file
			return found, nil
		}
	}
	found.Source = strings.NewReader(text)
	return found, nil
}

// nameInJSON gives fields the names in JSON that a compiler gives them, which a
// descriptor made by hand leaves out.
func nameInJSON(m *descriptorpb.DescriptorProto) {
	for _, f := range m.Field {
		if f.JsonName == nil {
			var name []byte
			for i, word := range strings.Split(f.GetName(), "_") {
				if i > 0 && word != "" {
					word = strings.ToUpper(word[:1]) + word[1:]
				}
				name = append(name, word...)
			}
			f.JsonName = proto.String(string(name))
		}
	}
	for _, inner := range m.NestedType {
		nameInJSON(inner)
	}
}

// mainFile is the name under which the schema itself is compiled.
const mainFile = "auditstream-main.proto"

// CompileDescriptor makes a plan of a message of a FileDescriptorSet, which
// protoc writes with --include_imports and --descriptor_set_out. Its records
// are the message alone.
func CompileDescriptor(set []byte, name string, f codecs.Fields) (*Plan, error) {
	var all descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(set, &all); err != nil {
		return nil, fmt.Errorf("no descriptor set: %w", err)
	}
	files, err := protodesc.NewFiles(&all)
	if err != nil {
		return nil, fmt.Errorf("descriptor set (was it written with --include_imports?): %w", err)
	}
	found, err := files.FindDescriptorByName(protoreflect.FullName(name))
	if err != nil {
		return nil, fmt.Errorf("descriptor set: message %q: %w", name, err)
	}
	m, ok := found.(protoreflect.MessageDescriptor)
	if !ok {
		return nil, fmt.Errorf("descriptor set: %q is no message", name)
	}
	paths, err := f.ScalarPaths()
	if err != nil {
		return nil, err
	}
	p := &Plan{content: f.Content}
	types := compiler{plan: p, paths: paths, content: f.Content}
	p.bare, err = types.record(m)
	return p, err
}

// known are files that serializers leave out of a schema's references since
// every registry has them. They are the interface of Confluent's registry.
var known = map[string]string{
	"confluent/meta.proto": `syntax = "proto3";
package confluent;
import "google/protobuf/descriptor.proto";
message Meta { string doc = 1; map<string, string> params = 2; repeated string tags = 3; }
extend google.protobuf.FileOptions { Meta file_meta = 1088; }
extend google.protobuf.MessageOptions { Meta message_meta = 1088; }
extend google.protobuf.FieldOptions { Meta field_meta = 1088; }
extend google.protobuf.EnumOptions { Meta enum_meta = 1088; }
extend google.protobuf.EnumValueOptions { Meta enum_value_meta = 1088; }`,
	"confluent/type/decimal.proto": `syntax = "proto3";
package confluent.type;
message Decimal { bytes value = 1; uint32 precision = 2; int32 scale = 3; }`,
}
