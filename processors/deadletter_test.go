package processors

import (
	"bytes"
	"testing"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/engine"
	"github.com/auditstream/auditstream/topology"
)

// A record near the broker's limit is over it once it has the headers of a
// dead letter; its refusal would stop the audit at that record for ever.
func TestDeadLetterStaysBelowTheLimit(t *testing.T) {
	for _, most := range []int{MinMessageBytes, 1_000_000} {
		c := &Config{Topology: topology.New(topology.Options{Name: "n", Topics: []string{"t"}, DeadLetterTopic: "dead"}), most: most}
		for _, sizes := range [][3]int{
			{3, 10, 0}, {3, most, 0}, {most, most, 0}, {most * 6 / 10, 3, 0}, {3, 20 << 20, 0}, {3, 3, most}, {most, most, most}, {3, most - 900, 100},
		} {
			r := &kgo.Record{Topic: "t", Key: bytes.Repeat([]byte("k"), sizes[0]), Value: bytes.Repeat([]byte("v"), sizes[1])}
			for i := 0; i < sizes[2]; i += 1000 {
				r.Headers = append(r.Headers, kgo.RecordHeader{Key: "h", Value: bytes.Repeat([]byte("x"), min(1000, sizes[2]))})
			}
			m := c.deadLetter(r, engine.ReasonSyntax)
			if n := m.ByteSize(2); n > most {
				t.Errorf("%v: the letter has %d bytes, %d fit", sizes, n, most)
			}
			for header, cut := range map[string]bool{
				"x-truncated-from":         m.Value.Length() < sizes[1],
				"x-key-truncated-from":     m.Key.Length() < sizes[0],
				"x-headers-truncated-from": count(m, "h") < len(r.Headers),
			} {
				if told := count(m, header) == 1; told != cut {
					t.Errorf("%v: cut %v, %s %v", sizes, cut, header, told)
				}
			}
			if m.Value.Length() == 0 {
				t.Errorf("%v: nothing is left of the value", sizes)
			}
		}
	}
}

// A letter that comes back and fails again does not grow, however often.
func TestDeadLettersDoNotGrow(t *testing.T) {
	c := &Config{Topology: topology.New(topology.Options{Name: "n", Topics: []string{"t"}, DeadLetterTopic: "dead"}), most: MinMessageBytes}
	r := &kgo.Record{Topic: "t", Key: []byte("k"), Value: bytes.Repeat([]byte("v"), MinMessageBytes), Headers: []kgo.RecordHeader{{Key: "h", Value: nil}}}
	size, headers := 0, 0
	for round := range 12 {
		m := c.deadLetter(r, engine.ReasonSyntax)
		if round > 0 && (len(m.Headers) != headers || m.ByteSize(2) > size+3) {
			t.Fatalf("round %d: %d headers and %d bytes, before %d and %d", round, len(m.Headers), m.ByteSize(2), headers, size)
		}
		size, headers = m.ByteSize(2), len(m.Headers)
		r = &kgo.Record{Topic: "t", Key: []byte("k"), Offset: int64(round)}
		r.Value, _ = m.Value.Encode()
		for _, h := range m.Headers {
			r.Headers = append(r.Headers, kgo.RecordHeader{Key: string(h.Key), Value: h.Value})
		}
	}
	if header(r, "x-retries") != "11" || header(r, "x-original-offset") != "10" || header(r, "x-truncated-from") != "32768" {
		t.Errorf("headers %v", r.Headers)
	}
}

func header(r *kgo.Record, name string) string {
	for _, h := range r.Headers {
		if h.Key == name {
			return string(h.Value)
		}
	}
	return ""
}

func count(m *sarama.ProducerMessage, name string) (n int) {
	for _, h := range m.Headers {
		if string(h.Key) == name {
			n++
		}
	}
	return n
}
