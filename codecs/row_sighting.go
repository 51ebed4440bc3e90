package codecs

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/auditstream/auditstream/engine"
)

// What is told and kept of each symbol is as many as there are symbols, and is
// binary: with a million of them JSON was half of what an audit did. A string is
// its length, an unsigned varint, and its bytes. Differences wrap, so every
// value of 64 bits comes back.
//
// A sighting, behind the JSON of its partition's statistics:
//
//	byte of flags, see below
//	string: symbol; with flagKey: string: key; otherwise the key is the symbol's text
//	8 bytes big endian: time
//	signed varints: offset, count, first event - time, last event - time, seen - time
//	byte: functions that fit
//	with flagVenues: venues
//
// Venues: unsigned varint: how many; of each, string: venue;
// signed varints: time, offset, first event - time, last event - time of the symbol there.
//
// A topic's row of a symbol, whose key names it:
//
//	version, 2; byte: 1 growth has moved it
//	unsigned varints: partition count, how many places; of each
//	    byte of flags; unsigned varint: partition; signed varints: offset, count
//	    with flagKey: string: key; otherwise it is the symbol's text
//	    8 bytes big endian: since
//	    signed varints: first event - since, last event - since, seen - since
//	    byte: functions that fit
//	    with flagVenues: venues
const symbolsVersion = 2

// Flags of a sighting and of a place.
const (
	flagSpelled = 1 << iota
	flagBefore  // of a place: from before the partition count grew
	flagClosing
	flagKeyless
	flagVenues
	flagKey
)

func flagIf(is bool, flag byte) byte {
	if is {
		return flag
	}
	return 0
}

func appendText(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

func (in *rowReader) text(field string) string { return string(in.take(field, in.length(field))) }

func appendSighting(dst []byte, g *engine.Sighting) []byte {
	dst = append(dst, flagIf(g.Spelled, flagSpelled)|flagIf(g.Before, flagBefore)|flagIf(g.Closing, flagClosing)|
		flagIf(g.Keyless, flagKeyless)|flagIf(len(g.Venues) > 0, flagVenues)|flagIf(g.Key != g.Symbol, flagKey))
	dst = appendText(dst, g.Symbol)
	if g.Key != g.Symbol {
		dst = appendText(dst, g.Key)
	}
	dst = binary.BigEndian.AppendUint64(dst, uint64(g.Time))
	dst = appendVarints(dst, g.Offset, g.Count, g.FirstEvent-g.Time, g.LastEvent-g.Time, g.Seen-g.Time)
	return appendVenues(append(dst, byte(g.Fits)), g.Venues)
}

func (in *rowReader) sighting() (g engine.Sighting) {
	flags := in.byte("flags")
	g.Spelled, g.Before, g.Closing, g.Keyless = flags&flagSpelled != 0, flags&flagBefore != 0, flags&flagClosing != 0, flags&flagKeyless != 0
	g.Symbol = in.text("symbol")
	if g.Key = g.Symbol; flags&flagKey != 0 {
		g.Key = in.text("key")
	}
	g.Time = in.fixed("time")
	g.Offset, g.Count = in.varint("offset"), in.varint("count")
	g.FirstEvent, g.LastEvent, g.Seen = g.Time+in.varint("first event"), g.Time+in.varint("last event"), g.Time+in.varint("seen")
	g.Fits = engine.Fits(in.byte("functions"))
	g.Venues = in.venues(flags)
	return g
}

func (in *rowReader) byte(field string) byte {
	if b := in.take(field, 1); b != nil {
		return b[0]
	}
	return 0
}

// count32 reads a number of 0 to 2^31-1.
func (in *rowReader) count32(field string) int32 {
	n := in.uvarint(field)
	if in.err == nil && n > math.MaxInt32 {
		in.err = fmt.Errorf("%s: %d is none", field, n)
	}
	return int32(n & math.MaxInt32)
}

// appendVenues appends those that there are.
func appendVenues(dst []byte, venues []engine.VenueTimes) []byte {
	if len(venues) == 0 {
		return dst
	}
	dst = binary.AppendUvarint(dst, uint64(len(venues)))
	for i := range venues {
		v := &venues[i]
		dst = appendText(dst, v.Venue)
		dst = appendVarints(dst, v.Time, v.Offset, v.FirstEvent-v.Time, v.LastEvent-v.Time)
	}
	return dst
}

func (in *rowReader) venues(flags byte) (venues []engine.VenueTimes) {
	if flags&flagVenues == 0 {
		return nil
	}
	for n := in.length("venues"); n > 0 && in.err == nil; n-- {
		v := engine.VenueTimes{Venue: in.text("venue")}
		v.Time, v.Offset = in.varint("venue: time"), in.varint("venue: offset")
		v.FirstEvent, v.LastEvent = v.Time+in.varint("venue: first event"), v.Time+in.varint("venue: last event")
		venues = append(venues, v)
	}
	return venues
}

// appendTopicSymbol appends the row of a symbol whose text is given.
func appendTopicSymbol(dst []byte, symbol string, s *engine.TopicSymbol) []byte {
	dst = append(dst, symbolsVersion, flagIf(s.Moved, 1))
	dst = binary.AppendUvarint(dst, uint64(s.Partitions))
	dst = binary.AppendUvarint(dst, uint64(len(s.Places)))
	for i := range s.Places {
		p := &s.Places[i]
		dst = append(dst, flagIf(p.Spelled, flagSpelled)|flagIf(p.Old, flagBefore)|flagIf(len(p.Venues) > 0, flagVenues)|flagIf(p.Key != symbol, flagKey))
		dst = appendVarints(binary.AppendUvarint(dst, uint64(p.Partition)), p.Offset, p.Count)
		if p.Key != symbol {
			dst = appendText(dst, p.Key)
		}
		dst = binary.BigEndian.AppendUint64(dst, uint64(p.Since))
		dst = appendVarints(dst, p.FirstEvent-p.Since, p.LastEvent-p.Since, p.Seen-p.Since)
		dst = appendVenues(append(dst, byte(p.Fits)), p.Venues)
	}
	return dst
}

func decodeTopicSymbol(symbol string, b []byte) (*engine.TopicSymbol, error) {
	in := rowReader{row: b, at: 1} // behind the version
	s := &engine.TopicSymbol{Moved: in.byte("flags")&1 != 0, Partitions: in.count32("partition count")}
	for n := in.length("places"); n > 0 && in.err == nil; n-- {
		flags := in.byte("flags")
		p := engine.SymbolPlace{Spelled: flags&flagSpelled != 0, Old: flags&flagBefore != 0, Key: symbol}
		p.Partition, p.Offset, p.Count = in.count32("partition"), in.varint("offset"), in.varint("count")
		if flags&flagKey != 0 {
			p.Key = in.text("key")
		}
		p.Since = in.fixed("since")
		p.FirstEvent, p.LastEvent, p.Seen = p.Since+in.varint("first event"), p.Since+in.varint("last event"), p.Since+in.varint("seen")
		p.Fits = engine.Fits(in.byte("functions"))
		p.Venues = in.venues(flags)
		s.Places = append(s.Places, p)
	}
	if in.end(); in.err != nil {
		return nil, in.err
	}
	return s, nil
}

// end notes bytes that are left over.
func (in *rowReader) end() {
	if in.err == nil && in.at < len(in.row) {
		in.err = fmt.Errorf("%d bytes left over at byte %d", len(in.row)-in.at, in.at)
	}
}
