package engine

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// Placement is where one key goes.
type Placement struct {
	Key       []byte
	Partition int32  // -1 when the key does not decide
	Reason    string // why it does not; empty otherwise
}

// PlanPartition places every key, in the given order, in a topic of n
// partitions. Keys are taken byte for byte; none of them is a null key. An
// error says that n is not positive.
func PlanPartition(p Partitioner, keys [][]byte, n int32) ([]Placement, error) {
	if err := positivePartitions(n); err != nil {
		return nil, err
	}
	placements := make([]Placement, 0, len(keys))
	for _, key := range keys {
		partition, reason, _ := p.Place(key, false, n)
		placements = append(placements, Placement{Key: key, Partition: partition, Reason: reason})
	}
	return placements, nil
}

func positivePartitions(n int32) error {
	if n <= 0 {
		return fmt.Errorf("%d partitions: a topic has at least 1", n)
	}
	return nil
}

// NormalizeKey strips white space from both ends of a symbol and spells it in
// upper case: the rule by which spellings of one symbol are folded. Bytes that
// are not valid UTF-8 have only their ASCII letters and blanks treated.
func NormalizeKey(key []byte) []byte {
	if utf8.Valid(key) {
		return bytes.ToUpper(bytes.TrimSpace(key))
	}
	upper := bytes.Clone(bytes.Trim(key, " \t\n\v\f\r"))
	for i, b := range upper {
		if 'a' <= b && b <= 'z' {
			upper[i] = b - 'a' + 'A'
		}
	}
	return upper
}

// distinct returns the keys without repeats, in the order of first sight.
func distinct(keys [][]byte) [][]byte {
	seen := make(map[string]bool, len(keys))
	var out [][]byte
	for _, key := range keys {
		if !seen[string(key)] {
			seen[string(key)] = true
			out = append(out, key)
		}
	}
	return out
}
