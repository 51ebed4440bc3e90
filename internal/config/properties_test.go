package config

import (
	"fmt"
	"strings"
	"testing"
)

// The cases are those of java.util.Properties.load's own documentation, and
// what its implementation does at the edges.
func TestPropertiesAsJavaReadsThem(t *testing.T) {
	for _, test := range []struct{ content, want string }{
		{"Truth = Beauty\n", "1 Truth=Beauty"},
		{" Truth:Beauty", "1 Truth=Beauty"},
		{"Truth                    :Beauty", "1 Truth=Beauty"},
		{"fruits                           apple, banana, pear, \\\n                                 cantaloupe, watermelon, \\\n                                 kiwi, mango",
			"1 fruits=apple, banana, pear, cantaloupe, watermelon, kiwi, mango"},
		{"cheeses", "1 cheeses="},
		{"a\\:b\\=c\\ d = e", "1 a:b=c d=e"},
		{"k=v \\\\\nx=y", "1 k=v \\;2 x=y"},
		{"k=caf\\u00e9 \\t\\z", "1 k=café \tz"},
		{"# c \\\nk=v", "2 k=v"},
		{"k=a\\\n\n\nl=b", "1 k=a;4 l=b"},
		{"k=a\\\n#b", "1 k=a#b"},
		{"k==v", "1 k==v"},
		{"k = = v", "1 k== v"},
		{"k=v  ", "1 k=v  "},
		{"k=v\r\nl=w\rm=x", "1 k=v;2 l=w;3 m=x"},
		{"k=v\\", "1 k=v"},
		{"=v", "1 =v"},
		{"", ""},
	} {
		entries, err := parseProperties(test.content)
		if err != nil {
			t.Errorf("%q: %v", test.content, err)
		}
		var got []string
		for _, e := range entries {
			got = append(got, fmt.Sprintf("%d %s=%s", e.line, e.key, e.value))
		}
		if strings.Join(got, ";") != test.want {
			t.Errorf("%q: got %q, want %q", test.content, got, test.want)
		}
	}
}

// Whatever the bytes, the readers end without a panic.
func FuzzForms(f *testing.F) {
	f.Add("a=b\\\n c\\u00e9")
	f.Add(`{"a":["b",1,null],"config":{"c":true}}`)
	f.Add("a: [b, &x c]\nd: *x\n")
	f.Fuzz(func(_ *testing.T, content string) {
		_, _ = parseProperties(content)
		_, _ = parseJSON([]byte(content))
		_, _ = parseYAML([]byte(content))
		form("", content)
	})
}
