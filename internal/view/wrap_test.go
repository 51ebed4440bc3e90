package view_test

import (
	"testing"

	"github.com/auditstream/auditstream/internal/view"
)

func TestWrapKeepsWithinTheWidth(t *testing.T) {
	for _, test := range []struct {
		text  string
		width int
		want  string
	}{
		{"one two three", 0, "  one two three"},
		{"one two three", 9, "  one two\n  three"},
		{"one two three", 8, "  one\n  two\n  three"},
		{"größe zwei", 12, "  größe zwei"},
		{"averylongword it", 8, "  averylongword\n  it"},
		{"", 8, "  "},
	} {
		if got := view.Wrap(test.text, "  ", test.width); got != test.want {
			t.Errorf("%q at %d: got %q, want %q", test.text, test.width, got, test.want)
		}
	}
}

func TestWrapStepsLeavesCommandsWhole(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"see the rights on the topic below", "  see the rights on the\n  topic below"},
		{"kafka-acls.sh --add --operation Read --topic ticks", "  kafka-acls.sh --add \\\n  --operation Read \\\n  --topic ticks"},
		{"kafka-topics.sh --alter a, or delete the topic", "  kafka-topics.sh \\\n  --alter a, or delete\n  the topic"},
		{"otherwise: kafka-topics.sh --alter", "  otherwise:\n  kafka-topics.sh \\\n  --alter"},
		{"kafka-acls.sh 'User:CN=a,O=B, Inc.' --add x", "  kafka-acls.sh \\\n  'User:CN=a,O=B, Inc.' \\\n  --add x"},
		{"it's the topic's own", "  it's the topic's own"},
	} {
		if got := view.WrapSteps(test.text, "  ", 24); got != test.want {
			t.Errorf("%q: got\n%s\nwant\n%s", test.text, got, test.want)
		}
	}
	if got := view.WrapSteps("a b", "  ", 0); got != "  a b" {
		t.Errorf("without a width: %q", got)
	}
}
