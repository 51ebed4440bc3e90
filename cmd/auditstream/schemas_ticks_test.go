package main

import (
	"testing"

	"github.com/twmb/avro"
	"github.com/twmb/franz-go/pkg/sr"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/internal/kafkatest"
)

// A record of a schema holds several ticks, says by its kind that it is none,
// and its content may stand still, live and in replay alike.
func TestBatchesKindsAndContentOfAvro(t *testing.T) {
	const schema = `{"type":"record","name":"Batch","fields":[{"name":"kind","type":{"type":"enum","name":"K","symbols":["TRADES","HEARTBEAT"]}},
	 {"name":"list","type":{"type":"array","items":{"type":"record","name":"Trade","fields":[{"name":"symbol","type":"string"},{"name":"ts","type":"long"},{"name":"px","type":"double"}]}}}]}`
	c := kafkatest.Fake(t)
	topic := c.Topic(t, 1)
	r, _ := schemaServer(t)
	r.SeedSchema("batch-value", 1, 70, sr.Schema{Schema: schema})
	var values [][]byte
	for i := range 30 {
		kind, at := "TRADES", tickTime+int64(i)*1e9
		list := []map[string]any{{"symbol": "QXA", "ts": at, "px": 1.5}, {"symbol": "QXA", "ts": at + 1, "px": 1.5}, {"symbol": "QXB", "ts": at, "px": float64(i)}}
		if i%10 == 9 {
			kind, list = "HEARTBEAT", nil
		}
		b, err := avro.MustParse(schema).Encode(map[string]any{"kind": kind, "list": list})
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, inFrame(70, b))
	}
	onOnePartition(t, c, topic, values...)
	path := schemaConfig(t, c, topic, r.URL(), "field.timestamp=list[].ts", "field.symbol=list[].symbol", "field.kind=kind", "field.kind.ticks=TRADES", "max.symbol.silence.ms=10000")
	for mode, final := range liveAndReplayed(t, c, topic, path) {
		n := final.Counts
		if n.Records != 30 || n.Ticks != 81 || n.Batched != 54 || n.Ignored != 3 || n.Disorder != 0 {
			t.Errorf("%s: %+v", mode, n)
		}
		frozen := 0
		for _, f := range final.Findings {
			if f.Code == engine.StaleTick && f.Symbol == "QXA" && f.Evidence["kind"] == "FROZEN" {
				frozen++
			} else if f.Code == engine.StaleTick {
				t.Errorf("%s: %s", mode, f.Cause)
			}
		}
		if frozen != 1 {
			t.Errorf("%s: %d findings of content that stands still", mode, frozen)
		}
	}
}
