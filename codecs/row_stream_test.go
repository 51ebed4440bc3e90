package codecs

import (
	"encoding/hex"
	"testing"
)

// A row of a version that did not know where a count began is read as one
// that began at its last number.
func TestRowWithoutFirstNumber(t *testing.T) {
	b, err := hex.DecodeString("0180" + "0000000000000029" + "1816e9d344d3b000" + "1816e9d34604dd00" + "0e02160400" + "2e" + "010102" + "0229" + "02" +
		"0158" + "020006" + "00" + "03545246" + "000000" + "03" + "1816e9dbe232e200" + "d8010006020400" + "0000000000000009" + "01" + "0804")
	if err != nil {
		t.Fatal(err)
	}
	r, err := DecodeSymbolRow("QXA", b)
	if err != nil {
		t.Fatal(err)
	}
	if n := r.Streams[1].Numbers; n.Last != 108 || n.First != 108 || n.Anew || len(n.Missing) != 1 {
		t.Errorf("%+v", n)
	}
}
