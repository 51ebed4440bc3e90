package view_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/auditstream/auditstream/internal/view"
)

func table(t *testing.T, width int, rows ...[]string) string {
	t.Helper()
	out := new(strings.Builder)
	made := view.Table{Width: width}
	for _, row := range rows {
		made.Row(row...)
	}
	if err := made.Write(out); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
			t.Errorf("%d columns: %q", n, line)
		}
	}
	return out.String()
}

func TestATableFitsItsWidth(t *testing.T) {
	for _, test := range []struct {
		width int
		rows  [][]string
		want  string
	}{
		{20, [][]string{{"KEY", "PARTITION"}, {"AAPL", "3"}}, "KEY   PARTITION\nAAPL  3\n"},
		{20, [][]string{{"KEY", "PARTITION"}, {strings.Repeat("x", 30), "3"}}, "KEY        PARTITION\nxxxxxxx..  3\n"},
		{20, [][]string{{"A", "TEXT"}, {"b", "one two three four five"}}, "A  TEXT\nb  one two three\n   four five\n"},
		{21, [][]string{{"größe größe größe", "1"}, {"ä", "22"}}, "größe größe größe  1\nä                  22\n"},
		{14, [][]string{{strings.Repeat("a", 20), strings.Repeat("b", 20)}}, "aaaa..  bbbb..\n"},
		{12, nil, ""},
		{12, [][]string{{"a heading of two lines"}, {"x", "y"}}, "a heading of\ntwo lines\nx  y\n"},
	} {
		if got := table(t, test.width, test.rows...); got != test.want {
			t.Errorf("%q: got\n%s\nwant\n%s", test.rows, got, test.want)
		}
	}
}
