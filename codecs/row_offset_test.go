package codecs

import "testing"

func TestOffsetRows(t *testing.T) {
	want := OffsetRow{From: 3, Next: 1 << 60}
	b, err := EncodeOffsetRow(want)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := DecodeOffsetRow(b); err != nil || got != want {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, b := range []string{"", "\x02{}", "\x01", "\x01{\"from\":2,\"next\":1}", "\x01{\"from\":-1,\"next\":1}"} {
		if r, err := DecodeOffsetRow([]byte(b)); err == nil {
			t.Errorf("%q was read as %+v", b, r)
		}
	}
}
