package codecs

import (
	"encoding/binary"

	"github.com/auditstream/auditstream/engine"
)

// The section of a symbol's row about its staleness:
//
//	byte    0     marks, see below
//	bytes 1-8     hash of the last tick's content, big endian
//	signed varints: ticks of that content, through - offset of the first, time when it was seen - last seen,
//	    its event time - last event time
//	with pulseTimes: signed varints: last seen - second of the last tick in the rate, the same of changes
//	twice, of gaps between ticks and between changes: number of bins, that many counts, as signed varints
const (
	pulseHalted = 1 << iota
	pulseEnded
	pulseFrozen
	pulseTimes
)

func appendPulse(dst []byte, r *engine.SymbolRow) []byte {
	u := r.Pulse
	var marks byte
	for i, set := range []bool{u.Halted, u.Ended, u.Frozen, u.Ticked != engine.NoTime} {
		if set {
			marks |= 1 << i
		}
	}
	dst = binary.BigEndian.AppendUint64(append(dst, marks), u.Content)
	dst = appendVarints(dst, u.Same, r.Through-u.From, u.Since-r.LastSeen, u.Event-r.LastEvent)
	if marks&pulseTimes != 0 {
		dst = appendVarints(dst, r.LastSeen-u.Ticked, r.LastSeen-u.Changed)
	}
	for _, bins := range [][]uint16{u.Gaps, u.Changes} {
		dst = appendVarints(dst, int64(len(bins)))
		for _, n := range bins {
			dst = appendVarints(dst, int64(n))
		}
	}
	return dst
}

func (in *rowReader) pulse(r *engine.SymbolRow) *engine.PulseRow {
	var marks byte
	if b := in.take("staleness: marks", 1); b != nil {
		marks = b[0]
	}
	u := &engine.PulseRow{
		Halted: marks&pulseHalted != 0, Ended: marks&pulseEnded != 0, Frozen: marks&pulseFrozen != 0,
		Content: uint64(in.fixed("staleness: content")), Same: in.varint("staleness: ticks of the content"),
		Ticked: engine.NoTime, Changed: engine.NoTime,
	}
	u.From = r.Through - in.varint("staleness: first of the content")
	u.Since, u.Event = r.LastSeen+in.varint("staleness: since"), r.LastEvent+in.varint("staleness: event time")
	if marks&pulseTimes != 0 {
		u.Ticked, u.Changed = r.LastSeen-in.varint("staleness: last tick"), r.LastSeen-in.varint("staleness: last change")
	}
	u.Gaps, u.Changes = in.bins("staleness: gaps"), in.bins("staleness: changes")
	return u
}

func (in *rowReader) bins(field string) []uint16 {
	n := in.varint(field)
	if in.err != nil || n <= 0 || n > engine.PaceBins {
		return nil
	}
	bins := make([]uint16, n)
	for i := range bins {
		bins[i] = uint16(in.varint(field))
	}
	return bins
}
