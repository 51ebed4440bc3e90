package processors

import (
	"slices"
	"strings"
	"testing"

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
