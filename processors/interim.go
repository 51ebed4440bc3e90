package processors

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/engine"
)

func symbolRowKey(topic, symbol string) []byte { return []byte(topic + "\x00s" + symbol) }
func partitionRowKey(topic string) []byte      { return []byte(topic + "\x00p") }
func parseKey(key []byte) (topic, symbol string, isPartition bool, err error) {
	t, rest, ok := bytes.Cut(key, []byte{0})
	if !ok || len(rest) == 0 {
		return "", "", false, errors.New("not a row's key")
	}
	return string(t), string(rest[1:]), rest[0] == 'p', nil
}
func encodePartitionRow(r *engine.PartitionRow) ([]byte, error) { return json.Marshal(r) }
func encodeSymbolRow(r *engine.SymbolRow) ([]byte, error)       { return json.Marshal(r) }
func decodePartitionRow(b []byte) (r engine.PartitionRow, err error) {
	err = json.Unmarshal(b, &r)
	return r, err
}
func decodeSymbolRow(_, b []byte) (r engine.SymbolRow, err error) {
	err = json.Unmarshal(b, &r)
	return r, err
}
func topicRowKey(topic, key string) []byte { return []byte(topic + "\x00" + key) }
func parseTopicRowKey(key []byte) (topic, rest string, err error) {
	t, r, ok := bytes.Cut(key, []byte{0})
	if !ok {
		return "", "", errors.New("not a row's key")
	}
	return string(t), string(r), nil
}
func encodeTopicRow(r *engine.TopicRow) ([]byte, error) { return json.Marshal(r) }
func decodeTopicRow(b []byte) (r engine.TopicRow, err error) {
	err = json.Unmarshal(b, &r)
	return r, err
}
func encodeReport(r *engine.Report) ([]byte, []sarama.RecordHeader, error) {
	b, err := json.Marshal(r)
	var h []sarama.RecordHeader
	for _, kv := range [][2]string{{"ce_specversion", "1.0"}, {"ce_id", r.ID}, {"ce_source", "/auditstream/" + r.Topic},
		{"ce_type", "io.auditstream.KafkaTickDistributionReport"}, {"ce_time", time.Unix(0, int64(r.WindowEnd)).UTC().Format(time.RFC3339Nano)},
		{"content-type", "application/json"}, {"schema.version", "1"}} {
		h = append(h, sarama.RecordHeader{Key: []byte(kv[0]), Value: []byte(kv[1])})
	}
	return b, h, err
}
func origin(headers []kgo.RecordHeader) *engine.Place {
	var p engine.Place
	found := 0
	for _, h := range headers {
		switch h.Key {
		case "x-original-topic":
			p.Topic = string(h.Value)
			found |= 1
		case "x-original-partition":
			if n, err := strconv.ParseInt(string(h.Value), 10, 32); err == nil {
				p.Partition = int32(n)
				found |= 2
			}
		case "x-original-offset":
			if n, err := strconv.ParseInt(string(h.Value), 10, 64); err == nil {
				p.Offset = n
				found |= 4
			}
		}
	}
	if found != 7 {
		return nil
	}
	return &p
}
