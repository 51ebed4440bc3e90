package codecs

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/auditstream/auditstream/engine"
)

// A symbol's row in the group's table. The symbol and its topic are the key.
//
//	byte   0      version, 1
//	byte   1      flags, see below
//	bytes  2-9    through, big endian
//	bytes 10-17   last event time, big endian
//	bytes 18-25   last seen, big endian
//	signed varints: count, disorder, through - first, ticks in the window, lead
//	with flagAhead:   8 bytes big endian: last event time of ticks far ahead
//	with flagSilent:  signed varint: through - offset of the last tick before the silence
//	with flagEpisode: signed varints:
//	    first offset - first, last offset - first offset, worst offset - first offset,
//	    count, worst step in ns, first time - last seen, last time - first time,
//	    step - first time, told - first time
//	with flagCut:     signed varint: truncations of the log before the row
//	with flagPlaced:  signed varints: partition count at which the row was written, negative when
//	    the key was not hashed at it; otherwise followed by the functions that fit, hash of the key
//	with flagPulse:   what staleness rests on, see row_pulse.go
//	with flagSections: unsigned varint: bytes that follow; sections, see row_section.go
//
// Differences wrap, so every value of 64 bits comes back. With an open
// episode of a day, offsets to 10^12 and 10^11 ticks of the symbol it is
// no longer than [MaxSymbolRowBytes] where neither silence nor venues and
// sequence numbers are judged; silence adds [MaxPulseRowBytes] at most.
const symbolRowVersion = 1

// What a symbol's row takes at most within the limits stated above.
const (
	MaxSymbolRowBytes = 145
	MaxPulseRowBytes  = 160 // more where silence is judged, rates of its gaps and its content included
)

const (
	flagEpisode = 1 << iota
	flagSighted
	flagAhead
	flagSilent
	flagCut
	flagPlaced
	flagPulse
	flagSections
)

// AppendSymbolRow appends the row's bytes to dst.
func AppendSymbolRow(dst []byte, r *engine.SymbolRow) []byte {
	var flags byte
	if r.Episode != nil {
		flags |= flagEpisode
	}
	if r.Sighted {
		flags |= flagSighted
	}
	if r.LastAhead != engine.NoTime {
		flags |= flagAhead
	}
	if r.SilentFrom != -1 {
		flags |= flagSilent
	}
	if r.Cuts != 0 {
		flags |= flagCut
	}
	if r.Partitions != 0 {
		flags |= flagPlaced
	}
	if r.Pulse != nil {
		flags |= flagPulse
	}
	start := len(dst)
	dst = append(dst, symbolRowVersion, flags)
	dst = binary.BigEndian.AppendUint64(dst, uint64(r.Through))
	dst = binary.BigEndian.AppendUint64(dst, uint64(r.LastEvent))
	dst = binary.BigEndian.AppendUint64(dst, uint64(r.LastSeen))
	dst = appendVarints(dst, r.Count, r.Disorder, r.Through-r.First, r.WindowN, r.Lead)
	if flags&flagAhead != 0 {
		dst = binary.BigEndian.AppendUint64(dst, uint64(r.LastAhead))
	}
	if flags&flagSilent != 0 {
		dst = appendVarints(dst, r.Through-r.SilentFrom)
	}
	if e := r.Episode; e != nil {
		dst = appendVarints(dst, e.FirstOffset-r.First, e.LastOffset-e.FirstOffset, e.WorstOffset-e.FirstOffset,
			e.Count, e.Worst, e.FirstTime-r.LastSeen, e.LastTime-e.FirstTime, e.Step-e.FirstTime, e.Told-e.FirstTime)
	}
	if r.Cuts != 0 {
		dst = appendVarints(dst, r.Cuts)
	}
	switch {
	case flags&flagPlaced == 0:
	case r.Placed:
		dst = appendVarints(dst, int64(r.Partitions), int64(r.Fits), int64(r.KeySum))
	default:
		dst = appendVarints(dst, -int64(r.Partitions))
	}
	if r.Pulse != nil {
		dst = appendPulse(dst, r)
	}
	var scratch [32]byte // most rows have a short one
	if sections := appendSections(scratch[:0], r); len(sections) > 0 {
		dst[start+1] |= flagSections
		dst = binary.AppendUvarint(dst, uint64(len(sections)))
		dst = append(dst, sections...)
	}
	return dst
}

func appendVarints(dst []byte, values ...int64) []byte {
	for _, v := range values {
		dst = binary.AppendVarint(dst, v)
	}
	return dst
}

// DecodeSymbolRow reads the row of a symbol. The error names the symbol, the
// field and the byte at which the row is damaged.
func DecodeSymbolRow(symbol string, b []byte) (engine.SymbolRow, error) {
	r := engine.SymbolRow{Symbol: symbol, LastAhead: engine.NoTime, SilentFrom: -1}
	in := rowReader{row: b}
	version := in.take("version", 1)
	if in.err == nil && version[0] != symbolRowVersion {
		in.err = fmt.Errorf("version %d at byte 0 is not %d", version[0], symbolRowVersion)
	}
	flags := in.byte("flags")
	r.Sighted = flags&flagSighted != 0
	r.Through, r.LastEvent, r.LastSeen = in.fixed("through"), in.fixed("last event"), in.fixed("last seen")
	r.Count, r.Disorder = in.varint("count"), in.varint("disorder")
	r.First = r.Through - in.varint("first")
	r.WindowN = in.varint("ticks in the window")
	r.Lead = in.varint("lead")
	if flags&flagAhead != 0 {
		r.LastAhead = in.fixed("last ahead")
	}
	if flags&flagSilent != 0 {
		r.SilentFrom = r.Through - in.varint("silent from")
	}
	if flags&flagEpisode != 0 {
		r.Episode = in.episode(r.First, r.LastSeen)
	}
	if flags&flagCut != 0 {
		r.Cuts = in.varint("truncations")
	}
	if flags&flagPlaced != 0 {
		in.placed(&r)
	}
	if flags&flagPulse != 0 {
		r.Pulse = in.pulse(&r)
	}
	if flags&flagSections != 0 {
		in.sections(&r)
	}
	if in.end(); in.err != nil {
		return engine.SymbolRow{}, fmt.Errorf("row of symbol %q: %w", engine.ShowBytes(symbol), in.err)
	}
	return r, nil
}

// rowReader reads fields until the first that is damaged.
type rowReader struct {
	row []byte
	at  int
	err error
}

// take reads n bytes; it returns nil after a fault.
func (in *rowReader) take(field string, n int) []byte {
	if in.err == nil && len(in.row)-in.at < n {
		in.err = fmt.Errorf("%s: the row ends at byte %d", field, len(in.row))
	}
	if in.err != nil {
		return nil
	}
	in.at += n
	return in.row[in.at-n : in.at]
}

func (in *rowReader) fixed(field string) int64 {
	b := in.take(field, 8)
	if b == nil {
		return 0
	}
	return int64(binary.BigEndian.Uint64(b))
}

func (in *rowReader) varint(field string) int64 {
	if in.err != nil {
		return 0
	}
	v, n := binary.Varint(in.row[in.at:])
	switch {
	case n == 0:
		in.err = fmt.Errorf("%s: the row ends at byte %d", field, len(in.row))
	case n < 0:
		in.err = fmt.Errorf("%s: the number at byte %d has more than 64 bits", field, in.at)
	default:
		in.at += n
		return v
	}
	return 0
}

func (in *rowReader) placed(r *engine.SymbolRow) {
	n := in.varint("partition count")
	if in.err == nil && (n > math.MaxInt32 || n < -math.MaxInt32) {
		in.err = fmt.Errorf("partition count: %d is none", n)
	}
	if n < 0 {
		r.Partitions = int32(-n)
		return
	}
	r.Partitions, r.Placed = int32(n), true
	r.Fits, r.KeySum = engine.Fits(in.varint("functions")), uint32(in.varint("hash of the key"))
}

func (in *rowReader) episode(first, seen int64) *engine.DisorderRow {
	e := &engine.DisorderRow{FirstOffset: first + in.varint("episode: first offset")}
	e.LastOffset = e.FirstOffset + in.varint("episode: last offset")
	e.WorstOffset = e.FirstOffset + in.varint("episode: worst offset")
	e.Count, e.Worst = in.varint("episode: count"), in.varint("episode: worst step")
	e.FirstTime = seen + in.varint("episode: first time")
	e.LastTime = e.FirstTime + in.varint("episode: last time")
	e.Step = e.FirstTime + in.varint("episode: step")
	e.Told = e.FirstTime + in.varint("episode: told")
	return e
}
