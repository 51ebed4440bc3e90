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
