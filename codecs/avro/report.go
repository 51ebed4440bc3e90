package avro

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/twmb/avro"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
)

// Reports in Avro have the fields of reports in JSON, under the same names and
// in the same order. A time is a long of the logical type timestamp-nanos, or
// null; what JSON leaves out is null, or the zero of its type. Evidence differs
// by finding, so each of its values is a text that holds JSON. Every field but
// the counts and a finding's code has a default, so that a schema with more
// fields reads what was written with fewer.

var reportSchema = sync.OnceValue(func() *avro.Schema {
	text, err := json.Marshal(schemaOf(reflect.TypeFor[engine.Report](), "KafkaTickDistributionReport"))
	if err != nil {
		panic("BUG: schema of reports: " + err.Error())
	}
	return avro.MustParse(string(text))
})

// ReportSchema is the schema of reports.
func ReportSchema() string { return reportSchema().String() }

const reportNamespace = "auditstream"

// schemaOf is the schema of what a type is in JSON.
func schemaOf(t reflect.Type, name string) any {
	type object = map[string]any
	switch {
	case t == reflect.TypeFor[engine.Time]():
		return []any{"null", object{"type": "long", "logicalType": "timestamp-nanos"}}
	case t.Kind() == reflect.Pointer:
		return []any{"null", schemaOf(t.Elem(), name)}
	case t.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return "string"
	}
	switch t.Kind() {
	case reflect.String, reflect.Interface:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Int32:
		return "int"
	case reflect.Float64:
		return "double"
	case reflect.Slice:
		return object{"type": "array", "items": schemaOf(t.Elem(), name)}
	case reflect.Map:
		return object{"type": "map", "values": schemaOf(t.Elem(), name)}
	case reflect.Struct:
		fields := []any{}
		for f := range t.Fields() {
			tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			field := object{"name": tag, "type": schemaOf(f.Type, f.Type.Name())}
			if zero, ok := zeroOf(f.Type); ok {
				field["default"] = zero
			}
			if f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() == reflect.Struct {
				field["type"] = object{"type": "array", "items": schemaOf(f.Type.Elem(), f.Type.Elem().Name())}
			}
			fields = append(fields, field)
		}
		return object{"type": "record", "name": name, "namespace": reportNamespace, "fields": fields}
	}
	return "long"
}

// zeroOf is the default of a field, where it has one.
func zeroOf(t reflect.Type) (any, bool) {
	switch {
	case t == reflect.TypeFor[engine.Time](), t.Kind() == reflect.Pointer:
		return nil, true
	case t == reflect.TypeFor[engine.Code]():
		return nil, false // no finding is without one
	case t.Kind() == reflect.String:
		return "", true
	}
	if name, ok := reflect.Zero(t).Interface().(encoding.TextMarshaler); ok {
		text, err := name.MarshalText()
		return string(text), err == nil
	}
	switch t.Kind() {
	case reflect.Bool:
		return false, true
	case reflect.Slice:
		return []any{}, true
	case reflect.Map:
		return map[string]any{}, true
	case reflect.Struct:
		return nil, false
	}
	return 0, true
}

// AppendReport appends a report by [ReportSchema].
func AppendReport(b []byte, r *engine.Report) ([]byte, error) {
	text, err := codecs.EncodeReport(r)
	if err != nil {
		return nil, err
	}
	var v map[string]any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("report %s: %w", r.ID, err)
	}
	for _, f := range findingsOf(v) {
		evidence, _ := f["evidence"].(map[string]any)
		for key, value := range evidence {
			text, err := json.Marshal(value)
			if err != nil {
				return nil, fmt.Errorf("report %s: evidence %s: %w", r.ID, key, err)
			}
			evidence[key] = string(text)
		}
		if evidence == nil {
			delete(f, "evidence")
		}
	}
	if b, err = reportSchema().AppendEncode(b, v); err != nil {
		return nil, fmt.Errorf("report %s: %w", r.ID, err)
	}
	return b, nil
}

func findingsOf(report map[string]any) (out []map[string]any) {
	list, _ := report["findings"].([]any)
	for _, f := range list {
		if f, ok := f.(map[string]any); ok {
			out = append(out, f)
		}
	}
	return out
}

// ReportReader reads reports that were written with one schema.
type ReportReader struct{ schema *avro.Schema }

// NewReportReader is a reader of reports of the schema. It fails where that is
// none of reports.
func NewReportReader(written string) (*ReportReader, error) {
	writer, err := avro.Parse(written)
	if err != nil {
		return nil, fmt.Errorf("schema of a report: %w", err)
	}
	resolved, err := avro.Resolve(writer, reportSchema())
	if err != nil {
		return nil, fmt.Errorf("schema of a report: %w", err)
	}
	return &ReportReader{resolved}, nil
}

// Read reads one report.
func (r *ReportReader) Read(b []byte) (*engine.Report, error) {
	var v map[string]any
	rest, err := r.schema.Decode(b, &v)
	switch {
	case err != nil:
		return nil, fmt.Errorf("report: %w", err)
	case len(rest) > 0:
		return nil, fmt.Errorf("report: %d bytes behind its end", len(rest))
	}
	for _, f := range findingsOf(v) {
		evidence, _ := f["evidence"].(map[string]any)
		for key, value := range evidence {
			text, _ := value.(string)
			evidence[key] = json.RawMessage(text)
		}
	}
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return codecs.DecodeReport(text)
}
