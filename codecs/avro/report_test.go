package avro

import (
	"reflect"
	"strings"
	"testing"

	"github.com/auditstream/auditstream/codecs"
	"github.com/auditstream/auditstream/engine"
)

func aReport() *engine.Report {
	partition, offset, age := int32(3), int64(41), 1.5
	return &engine.Report{
		ID: "r", SchemaVersion: 1, Topic: "ticks", Mode: "LIVE", WindowStart: engine.Time(at), WindowEnd: engine.NoTime,
		TotalTicks: 1 << 60, Partitions: 4, Assigned: 3, SymbolsMap: map[string]int32{"QXA": 3}, Symbols: 1, Throughput: 0.25,
		PartitionTicks: map[string]int64{"3": 9}, MaxTickAgeMs: &age, OutOfOrder: []string{"QXA"}, Warnings: []string{"w"}, Notes: "n",
		Partition: &partition, ThroughOffset: &offset, Counts: engine.Counts{Records: 9, Ticks: 8, Unreadable: 1},
		Findings: []engine.Finding{{
			ID: "f", Code: engine.UpstreamDisorder, State: engine.Updated, Severity: engine.Critical, Topic: "ticks", Partition: &partition, FirstOffset: 7, FirstTime: engine.Time(at), LastTime: engine.NoTime, Count: 2, Observed: 1.25,
			Evidence: map[string]any{"kind": "K", "spellings": map[string]any{"a": "b"}, "offset": int64(1735831800123456789)},
		}},
		FindingsTotal: 1,
	}
}

// A report says the same in Avro and in JSON.
func TestReportInAvro(t *testing.T) {
	report := aReport()
	b, err := AppendReport(nil, report)
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewReportReader(ReportSchema())
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Read(b)
	if err != nil {
		t.Fatal(err)
	}
	want, err := codecs.EncodeReport(report)
	if err != nil {
		t.Fatal(err)
	}
	text, err := codecs.EncodeReport(got)
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != string(want) {
		t.Errorf("read\n%s\nwritten\n%s", text, want)
	}
	if len(b) >= len(want) {
		t.Errorf("%d bytes, %d in JSON: what fits as JSON must fit", len(b), len(want))
	}
	if _, err := r.Read(append(b, 0)); err == nil {
		t.Error("a byte behind the end is no fault")
	}
}

// Every field of the report is one of the schema, with a default: a version
// with more of them reads what one with fewer has written.
func TestReportSchemaGrows(t *testing.T) {
	schema := ReportSchema()
	for f := range reflect.TypeFor[engine.Report]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !strings.Contains(schema, `"name":"`+name+`"`) {
			t.Errorf("%s is not in the schema", name)
		}
	}
	older := `{"type":"record","name":"KafkaTickDistributionReport","namespace":"auditstream","fields":[{"name":"report_id","type":"string"},
		{"name":"gone","type":"long"},{"name":"counts","type":{"type":"record","name":"Counts","fields":[{"name":"records","type":"long"}]}}]}`
	r, err := NewReportReader(older)
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Read([]byte{2, 'r', 4, 18})
	if err != nil {
		t.Fatal(err)
	}
	if got.ID != "r" || got.Counts.Records != 9 || got.WindowStart != engine.NoTime || got.Partition != nil {
		t.Errorf("%+v", got)
	}
}
