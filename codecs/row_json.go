package codecs

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/auditstream/auditstream/engine"
)

// Rows that are few are JSON behind a version byte.
const jsonRowVersion = 1

func encodeRow(what string, r any) ([]byte, error) {
	b, err := encodeJSON(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return append([]byte{jsonRowVersion}, b...), nil
}

func decodeRow(what string, b []byte, r any) error {
	if len(b) == 0 {
		return fmt.Errorf("%s: no bytes", what)
	}
	if b[0] != jsonRowVersion {
		return fmt.Errorf("%s: version %d is not %d", what, b[0], jsonRowVersion)
	}
	if err := unmarshal(b[1:], r); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// encodeJSON is compact JSON in which <, > and & stay as they are.
func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// EncodePartitionRow is a partition's row in the group's table: a version
// byte, 1, and JSON.
func EncodePartitionRow(r *engine.PartitionRow) ([]byte, error) {
	return encodeRow("row of partition "+PlaceKey(r.Topic, r.Partition), r)
}

// DecodePartitionRow reads what EncodePartitionRow wrote.
func DecodePartitionRow(b []byte) (engine.PartitionRow, error) {
	var r engine.PartitionRow
	if err := decodeRow("row of a partition", b, &r); err != nil {
		return engine.PartitionRow{}, err
	}
	return r, nil
}

// EncodeTopicRow is a row in the table of topic states: nil when the row
// deletes its key, otherwise a version byte, 1, and JSON; of a symbol, binary.
func EncodeTopicRow(r *engine.TopicRow) ([]byte, error) { return AppendTopicRow(nil, r) }

// AppendTopicRow appends the bytes of [EncodeTopicRow] to dst: none when the
// row deletes its key.
func AppendTopicRow(dst []byte, r *engine.TopicRow) ([]byte, error) {
	if r.Deletes() {
		return dst, nil
	}
	if symbol, is := strings.CutPrefix(r.Key, topicSymbolKey); is && r.Symbol != nil {
		return appendTopicSymbol(dst, symbol, r.Symbol), nil
	}
	b, err := encodeRow(fmt.Sprintf("row %q of a topic", r.Key), r)
	return append(dst, b...), err
}

// DecodeTopicRow reads the row whose key in the engine is given. No bytes are
// a row that deletes its key.
func DecodeTopicRow(key string, b []byte) (engine.TopicRow, error) {
	r := engine.TopicRow{}
	if symbol, is := strings.CutPrefix(key, topicSymbolKey); is && len(b) > 0 && b[0] == symbolsVersion {
		var err error
		if r.Symbol, err = decodeTopicSymbol(symbol, b); err != nil {
			return engine.TopicRow{}, fmt.Errorf("row %q of a topic: %w", key, err)
		}
	} else if len(b) > 0 {
		if err := decodeRow(fmt.Sprintf("row %q of a topic", key), b, &r); err != nil {
			return engine.TopicRow{}, err
		}
	}
	r.Key = key
	return r, nil
}

const topicSymbolKey = "s/" // and the symbol's text

// PlaceKey names a partition: "topic/partition". It is the key of partition
// statistics and of reports of PARTITION scope.
func PlaceKey(topic string, partition int32) string {
	return topic + "/" + strconv.Itoa(int(partition))
}

// EncodeStats is a message of the distribution topic. Its key is [PlaceKey]. It
// is JSON; with sightings, a version byte, 2, the length of the JSON of all else
// as an unsigned varint, that JSON, and the sightings.
func EncodeStats(s *engine.PartitionStats) ([]byte, error) {
	rest := *s
	rest.Sightings = nil
	b, err := encodeJSON(&rest)
	if err != nil {
		return nil, fmt.Errorf("statistics of %s: %w", PlaceKey(s.Topic, s.Partition), err)
	}
	if len(s.Sightings) == 0 {
		return b, nil
	}
	out := make([]byte, 0, len(b)+64*len(s.Sightings))
	out = append(binary.AppendUvarint(append(out, symbolsVersion), uint64(len(b))), b...)
	for i := range s.Sightings {
		out = appendSighting(out, &s.Sightings[i])
	}
	return out, nil
}

// DecodeStats reads a message of the distribution topic.
func DecodeStats(b []byte) (*engine.PartitionStats, error) {
	in, text := rowReader{}, b
	if len(b) > 0 && b[0] == symbolsVersion {
		in = rowReader{row: b, at: 1}
		text = in.take("JSON", in.length("JSON"))
	}
	s := new(engine.PartitionStats)
	err := in.err
	if err == nil {
		err = unmarshal(text, s)
	}
	for err == nil && in.at < len(in.row) {
		s.Sightings = append(s.Sightings, in.sighting())
		err = in.err
	}
	if err != nil {
		return nil, fmt.Errorf("statistics of a partition: %w", err)
	}
	if s.Topic == "" || s.Partition < 0 {
		return nil, fmt.Errorf("statistics of a partition name no place: topic %q, partition %d", s.Topic, s.Partition)
	}
	return s, nil
}

// EncodeReport is the report as one line of JSON without its end.
func EncodeReport(r *engine.Report) ([]byte, error) {
	b, err := encodeJSON(r)
	if err != nil {
		return nil, fmt.Errorf("report %s of %s: %w", r.ID, r.Key(), err)
	}
	return b, nil
}

// DecodeReport reads what EncodeReport wrote.
func DecodeReport(b []byte) (*engine.Report, error) {
	r := new(engine.Report)
	if err := unmarshal(b, r); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return r, nil
}

// unmarshal reads one JSON value. Numbers of evidence, whose type nobody
// knows, stay the digits that they were: nanoseconds do not fit into a float.
func unmarshal(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("bytes after the JSON value")
	}
	return nil
}
