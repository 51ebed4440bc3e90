package codecs

import (
	"testing"
)

func TestProducerIsTheLastHeaderOfThatName(t *testing.T) {
	headers := func(yield func(string, []byte) bool) {
		for _, h := range []Header{{"Producer", []byte("other")}, {"producer", []byte("first")}, {"producer", []byte("last")}, {"producer", nil}, {"", []byte("none")}} {
			if !yield(h.Key, h.Value) {
				return
			}
		}
	}
	for name, want := range map[string]string{"producer": "last", "Producer": "other", "": "", "absent": ""} {
		if got := Producer(headers, name); string(got) != want || want == "" && got != nil {
			t.Errorf("header %q names %q, want %q", name, got, want)
		}
	}
}
