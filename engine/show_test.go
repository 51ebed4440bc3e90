package engine

import "testing"

// Nothing that is shown steers a terminal: neither C0 nor C1 control characters,
// whose CSI is one rune of UTF-8, nor bytes that are none.
func TestShowBytesEscapesEveryControlCharacter(t *testing.T) {
	for in, want := range map[string]string{
		"AAPL": "AAPL", "É€": "É€", "a\x1b[31m": `a\x1b[31m`, "\u009b31m": `\xc2\x9b31m`, "\x7f\xff\\": `\x7f\xff\x5c`, "\u00a0": "\u00a0",
		"a\u202eb": `a\xe2\x80\xaeb`, "\u2066": `\xe2\x81\xa6`, "\u200f": `\xe2\x80\x8f`, "שלום": "שלום",
	} {
		if got := ShowBytes(in); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
	}
}
