package check

import (
	"strings"
	"testing"

	"github.com/auditstream/auditstream/engine"
)

// One function that fits is not spoken of as several.
func TestUndecidedSpeaksOfAsManyAsThereAre(t *testing.T) {
	for _, c := range []struct {
		candidates []string
		keys       int64
		want       string
	}{
		{[]string{"crc32"}, 2, "undecided: of the known functions crc32 alone fits, by 2 keys"},
		{[]string{"crc32", "murmur2"}, 2, "2 keys agree under each"},
		{[]string{"crc32", "murmur2"}, 1, "one key lies where each puts it"},
		{nil, 2, "no known function fits all"},
	} {
		var got Check
		undecided(&got, &engine.Inference{Candidates: c.candidates, Keys: c.keys, Places: c.keys})
		if !strings.Contains(got.Observed, c.want) {
			t.Errorf("%v, %d keys: %s", c.candidates, c.keys, got.Observed)
		}
	}
}
