package processors

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/IBM/sarama"

	"github.com/auditstream/auditstream/engine"
)

// Every row that a topic gives is written, whatever its kind: one that is left
// out is known until the next restart only. Those that others rest on come
// first.
func TestEveryRowOfATopicIsWritten(t *testing.T) {
	t.Parallel()
	keys := []string{"f/x", "g/0/group", "h/id", "p/0", "r/0", "s/AAPL", "t", "w/10", "z/to come"}
	s := &engine.TopicSnapshot{Topic: "ticks"}
	for _, key := range keys {
		s.Rows = append(s.Rows, engine.TopicRow{Key: key})
	}
	b := new(batch)
	u := &distribution{cfg: new(Config), table: "table"}
	if err := u.encode(b, s); err != nil {
		t.Fatal(err)
	}
	var written []string
	for _, r := range b.rows {
		key, err := r.Key.Encode()
		if err != nil {
			t.Fatal(err)
		}
		_, own, _ := strings.Cut(string(key), "\x00")
		written = append(written, own)
	}
	if last := written[max(0, len(written)-3):]; !slices.Equal(last, []string{"t", "w/10", "p/0"}) {
		t.Errorf("the last are %q", last)
	}
	if slices.Sort(written); !slices.Equal(written, keys) {
		t.Errorf("written are %q, want %q", written, keys)
	}
}

// Rows that share memory keep their bytes, whatever comes after them: rows that
// outgrow it, rows that delete, rows that fail.
func TestRowsThatShareMemoryKeepTheirBytes(t *testing.T) {
	t.Parallel()
	slab := rowSlab{table: "table", partition: 3, left: 500}
	want, got := map[string]string{}, map[string]*sarama.ProducerMessage{}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 700 { // more than were told
		key := fmt.Sprint("key", i)
		value := bytes.Repeat([]byte{byte(i)}, []int{0, 40, 90, 400, 40 << 10}[random.IntN(5)])
		appendKey := func(dst []byte) []byte { return append(dst, key...) }
		switch random.IntN(6) {
		case 0:
			if _, err := slab.row(appendKey, func(dst []byte) ([]byte, error) { return append(dst, value...), errGivenUp }); !errors.Is(err, errGivenUp) {
				t.Fatal(err)
			}
			continue
		case 1:
			m, err := slab.row(appendKey, nil)
			if err != nil || m.Value != nil {
				t.Fatal(m, err)
			}
			want[key], got[key] = "", m
		default:
			m, err := slab.row(appendKey, func(dst []byte) ([]byte, error) { return append(dst, value...), nil })
			if err != nil {
				t.Fatal(err)
			}
			want[key], got[key] = string(value), m
		}
	}
	for key, m := range got {
		k, err := m.Key.Encode()
		if err != nil || string(k) != key || m.Topic != "table" || m.Partition != 3 {
			t.Fatalf("%s: %q of %s/%d, %v", key, k, m.Topic, m.Partition, err)
		}
		if m.Value == nil {
			continue
		}
		if v, err := m.Value.Encode(); err != nil || string(v) != want[key] {
			t.Fatalf("%s: %d bytes, want %d, %v", key, len(v), len(want[key]), err)
		}
	}
}
