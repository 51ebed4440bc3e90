package codecs

import "fmt"

// OffsetRow tells which records of an input partition the rows beside it rest
// on: those from From up to the one before Next.
type OffsetRow struct {
	From int64 `json:"from"`
	Next int64 `json:"next"`
}

// EncodeOffsetRow is such a row: a version byte, 1, and JSON.
func EncodeOffsetRow(r OffsetRow) ([]byte, error) { return encodeRow("row of an offset", &r) }

// DecodeOffsetRow reads what EncodeOffsetRow wrote.
func DecodeOffsetRow(b []byte) (OffsetRow, error) {
	var r OffsetRow
	if err := decodeRow("row of an offset", b, &r); err != nil {
		return OffsetRow{}, err
	}
	if r.From < 0 || r.Next < r.From {
		return OffsetRow{}, fmt.Errorf("row of an offset: from %d to %d is no range", r.From, r.Next)
	}
	return r, nil
}
