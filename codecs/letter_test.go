package codecs

import (
	"reflect"
	"testing"

	"github.com/auditstream/auditstream/engine"
)

// text makes headers of names and values in turn.
func text(pairs ...string) (out []Header) {
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, Header{pairs[i], []byte(pairs[i+1])})
	}
	return out
}

func TestReadLetter(t *testing.T) {
	place := &engine.Place{Topic: "ticks", Partition: 2, Offset: 41}
	ours := (&DeadLetter{Place: *place, Connector: "audit", Stage: StageValue, Converter: "json", Reason: engine.ReasonTruncated}).Headers(nil)
	connect := text("__connect.errors.topic", "ticks", "__connect.errors.partition", "2", "__connect.errors.offset", "41",
		"__connect.errors.stage", "KEY_CONVERTER", "__connect.errors.exception.message", "boom")
	for name, c := range map[string]struct {
		headers []Header
		want    LetterInfo
	}{
		"ours":                {ours, LetterInfo{Place: place, Error: "truncated", Stage: StageValue}},
		"Connect's":           {connect, LetterInfo{Place: place, Error: "boom", Stage: StageKey}},
		"failed again, cut":   {append(ours, text("x-retries", "3", "x-truncated-from", "9")...), LetterInfo{Place: place, Error: "truncated", Stage: StageValue, Retries: 3, Cut: true}},
		"none":                {nil, LetterInfo{}},
		"half a place":        {text("x-original-topic", "ticks", "x-original-offset", "1"), LetterInfo{}},
		"numbers that are no": {text("x-retries", "-1", "x-original-topic", "t", "x-original-partition", "x", "x-original-offset", "1"), LetterInfo{}},
	} {
		if got := ReadLetter(c.headers); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// What goes back has the record's own headers, in their order and null where
// they were, and those by which it is known again; nothing else, however often.
func TestReplayHeaders(t *testing.T) {
	own := []Header{{"trace", nil}, {"trace", []byte("a")}, {"", []byte("x")}}
	d := DeadLetter{Place: engine.Place{Topic: "ticks", Partition: 2, Offset: 41}, Stage: StageValue, Converter: "json", Reason: engine.ReasonSyntax}
	back := ReplayHeaders(d.Headers(own))
	want := append(append([]Header(nil), own...), text("x-original-topic", "ticks", "x-original-partition", "2", "x-original-offset", "41", "x-retries", "0")...)
	if !reflect.DeepEqual(back, want) {
		t.Errorf("%q, want %q", back, want)
	}
	d.Place.Offset = 99
	if again := ReplayHeaders(d.Headers(back)); len(again) != len(want) || string(again[len(again)-1].Value) != "1" || string(again[5].Value) != "99" {
		t.Errorf("second round %q", again)
	}
	if got := ReplayHeaders(own); !reflect.DeepEqual(got, own) {
		t.Errorf("no letter: %q", got)
	}
}
