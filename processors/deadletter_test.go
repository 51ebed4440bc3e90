package processors

import (
	"bytes"
	"testing"

	"github.com/IBM/sarama"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/auditstream/auditstream/engine"
)

// A record near the broker's limit is over it once it has the headers of a
// dead letter; its refusal would stop the audit at that record for ever.
func TestDeadLetterStaysBelowTheLimit(t *testing.T) {
	c := &Config{}
	for _, sizes := range [][2]int{{3, 10}, {3, 1_000_000}, {1_000_000, 1_000_000}, {600_000, 3}, {3, 20 << 20}} {
		r := &kgo.Record{Topic: "t", Key: bytes.Repeat([]byte("k"), sizes[0]), Value: bytes.Repeat([]byte("v"), sizes[1])}
		m := c.deadLetter(r, engine.ReasonSyntax)
		if n := m.ByteSize(2); n > 950_000 {
			t.Errorf("key %d, value %d: the letter has %d bytes", sizes[0], sizes[1], n)
		}
		cut := m.Value.Length() < sizes[1] || m.Key.Length() < sizes[0]
		if told := hasHeader(m, "x-truncated-from") || hasHeader(m, "x-key-truncated-from"); told != cut {
			t.Errorf("key %d, value %d: cut %v, told %v", sizes[0], sizes[1], cut, told)
		}
	}
}

func hasHeader(m *sarama.ProducerMessage, name string) bool {
	for _, h := range m.Headers {
		if string(h.Key) == name {
			return true
		}
	}
	return false
}
