package codecs

import (
	"encoding/binary"
	"fmt"

	"github.com/auditstream/auditstream/engine"
)

// The streams of a symbol's row. An unsigned varint tells how many there are;
// of each:
//
//	unsigned varint and bytes: venue
//	signed varints: row's through - through, row's last event - last event, lead
//	one byte of flags: 1 last event of ticks far ahead, 2 numbers are known,
//	    4 first number is known, 8 the count began anew
//	with 1: 8 bytes big endian: last event of ticks far ahead
//	with 2: signed varints: last number, row's last event - its event time, lost, filled, repeats, resets;
//	    8 bytes: content; unsigned varint: how many ranges are missing; of each
//	    signed varints: last number - from, to - from
//	with 4: signed varint: last number - first number
//
// Differences wrap, so every value of 64 bits comes back.
const (
	streamAhead = 1 << iota
	streamNumbers
	streamFirst
	streamAnew
)

func appendStreams(dst []byte, r *engine.SymbolRow) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(r.Streams)))
	for i := range r.Streams {
		s := &r.Streams[i]
		dst = appendText(dst, s.Venue)
		dst = appendVarints(dst, r.Through-s.Through, r.LastEvent-s.LastEvent, s.Lead)
		var flags byte
		if s.LastAhead != engine.NoTime {
			flags |= streamAhead
		}
		if s.Numbers.Known {
			flags |= streamNumbers | streamFirst
		}
		if s.Numbers.Anew {
			flags |= streamAnew
		}
		dst = append(dst, flags)
		if flags&streamAhead != 0 {
			dst = binary.BigEndian.AppendUint64(dst, uint64(s.LastAhead))
		}
		if flags&streamNumbers != 0 {
			dst = appendNumbers(dst, &s.Numbers, r.LastEvent)
			dst = appendVarints(dst, s.Numbers.Last-s.Numbers.First)
		}
	}
	return dst
}

func appendNumbers(dst []byte, n *engine.NumberRow, last int64) []byte {
	dst = appendVarints(dst, n.Last, last-n.Event, n.Lost, n.Filled, n.Repeats, n.Resets)
	dst = binary.BigEndian.AppendUint64(dst, n.Content)
	dst = binary.AppendUvarint(dst, uint64(len(n.Missing)))
	for _, m := range n.Missing {
		dst = appendVarints(dst, n.Last-m.From, m.To-m.From)
	}
	return dst
}

func readStreams(r *engine.SymbolRow, payload []byte) error {
	in := rowReader{row: payload}
	for n := in.length("streams"); n > 0 && in.err == nil; n-- {
		s := engine.StreamRow{LastAhead: engine.NoTime}
		s.Venue = in.text("venue")
		s.Through = r.Through - in.varint("stream: through")
		s.LastEvent = r.LastEvent - in.varint("stream: last event")
		s.Lead = in.varint("stream: lead")
		flags := in.byte("stream: flags")
		if flags&streamAhead != 0 {
			s.LastAhead = in.fixed("stream: last ahead")
		}
		if flags&streamNumbers != 0 {
			in.numbers(&s.Numbers, r.LastEvent)
		}
		s.Numbers.First = s.Numbers.Last // of rows that do not say it
		if flags&streamFirst != 0 {
			s.Numbers.First = s.Numbers.Last - in.varint("number: first")
		}
		s.Numbers.Anew = flags&streamAnew != 0
		r.Streams = append(r.Streams, s)
	}
	in.end()
	return in.err
}

func (in *rowReader) numbers(n *engine.NumberRow, last int64) {
	n.Known = true
	n.Last, n.Event = in.varint("number: last"), last-in.varint("number: event time")
	n.Lost, n.Filled = in.varint("number: lost"), in.varint("number: filled")
	n.Repeats, n.Resets = in.varint("number: repeats"), in.varint("number: resets")
	n.Content = uint64(in.fixed("number: content"))
	for left := in.length("number: ranges"); left > 0 && in.err == nil; left-- {
		m := engine.Span{From: n.Last - in.varint("number: range")}
		m.To = m.From + in.varint("number: range")
		n.Missing = append(n.Missing, m)
	}
}

// length reads how many bytes or elements follow, at most as many as there are
// bytes left.
func (in *rowReader) length(field string) int {
	n := in.uvarint(field)
	if in.err == nil && n > uint64(len(in.row)-in.at) {
		in.err = fmt.Errorf("%s: %d of them do not fit into the row", field, n)
	}
	if in.err != nil {
		return 0
	}
	return int(n)
}
