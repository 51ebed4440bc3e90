package codecs

import (
	"bytes"
	"fmt"
)

// The keys of the group's table. A topic's name holds no zero byte, so the
// first one ends it; a symbol may hold any bytes.
//
//	topic 0x00 'p'          the partition's row
//	topic 0x00 's' symbol   a symbol's row
//
// A row lies on the partition of its ticks, which the key does not name.
const (
	kindPartition = 'p'
	kindSymbol    = 's'
)

// SymbolKey is the table's key of a symbol's row.
func SymbolKey(topic, symbol string) []byte {
	return AppendSymbolKey(make([]byte, 0, len(topic)+len(symbol)+2), topic, symbol)
}

// AppendSymbolKey appends the bytes of [SymbolKey] to dst.
func AppendSymbolKey(dst []byte, topic, symbol string) []byte {
	return append(append(append(dst, topic...), 0, kindSymbol), symbol...)
}

// PartitionKey is the table's key of a partition's row.
func PartitionKey(topic string) []byte {
	return append([]byte(topic), 0, kindPartition)
}

// ParseKey takes a key of the group's table apart. The symbol is "" in the
// key of a partition's row.
func ParseKey(key []byte) (topic, symbol string, partition bool, err error) {
	at := bytes.IndexByte(key, 0)
	if at < 1 || at+1 >= len(key) {
		return "", "", false, fmt.Errorf("table key %q has no topic or no kind", key)
	}
	topic = string(key[:at])
	rest := key[at+2:]
	switch kind := key[at+1]; kind {
	case kindPartition:
		if len(rest) > 0 {
			return "", "", false, fmt.Errorf("table key %q: bytes behind the kind of a partition's row", key)
		}
		return topic, "", true, nil
	case kindSymbol:
		return topic, string(rest), false, nil
	default:
		return "", "", false, fmt.Errorf("table key %q: kind %q is neither p nor s", key, kind)
	}
}

// TopicRowKey is the key of a row in the table of topic states: the topic, a
// zero byte, and the key that the engine gave the row.
func TopicRowKey(topic, key string) []byte { return AppendTopicRowKey(nil, topic, key) }

// AppendTopicRowKey appends the bytes of [TopicRowKey] to dst.
func AppendTopicRowKey(dst []byte, topic, key string) []byte {
	return append(append(append(dst, topic...), 0), key...)
}

// OffsetKey is the key, in the same table, of the row of what all others rest
// on. topic is the one that was read, not the one that is judged.
func OffsetKey(topic string) []byte { return TopicRowKey(topic, "o") }

// ParseTopicRowKey takes such a key apart.
func ParseTopicRowKey(key []byte) (topic, row string, err error) {
	at := bytes.IndexByte(key, 0)
	if at < 1 || at+1 >= len(key) {
		return "", "", fmt.Errorf("table key %q has no topic or no row", key)
	}
	return string(key[:at]), string(key[at+1:]), nil
}
