package codecs

import (
	"encoding/binary"
	"encoding/json"
	"fmt"

	"github.com/auditstream/auditstream/engine"
)

// Sections stand behind the fields of a symbol's row, in the order of their
// numbers, and are there when they have anything to say: a number, the length
// of what follows, both unsigned varints, and that many bytes.
//
//	section 1  unit: one byte
//	section 2  streams: see row_stream.go
//	section 3  run of old ticks, JSON
//	section 4  open episode of BACKFILL, JSON
//	section 5  open episode of SEQUENCE_GAP, JSON
//	section 6  what the open episode of UPSTREAM_DISORDER has of venues and sequence numbers, JSON
//	section 7  ticks without a key or put back by hand: unsigned varint
//	section 8  hash of the id of the topic that the row is about: 4 bytes big endian
//	section 9  leads of the ticks far ahead, signed varints: of the symbol, then of each stream
const (
	sectionUnit = 1 + iota
	sectionStreams
	sectionRun
	sectionBackfill
	sectionGap
	sectionDisorder
	sectionAside
	sectionLog
	sectionAhead
)

// disorderSection is what section 6 holds.
type disorderSection struct {
	Venues   map[string]int64 `json:"venues,omitempty"`
	Numbered int64            `json:"numbered,omitempty"`
}

// appendSections appends all that have anything to say.
func appendSections(dst []byte, r *engine.SymbolRow) []byte {
	if r.Unit != engine.UnitAuto {
		dst = appendSection(dst, sectionUnit, []byte{byte(r.Unit)})
	}
	if len(r.Streams) > 0 {
		dst = appendSection(dst, sectionStreams, appendStreams(nil, r))
	}
	if r.Run != nil {
		dst = appendJSONSection(dst, sectionRun, r.Run)
	}
	if r.Backfill != nil {
		dst = appendJSONSection(dst, sectionBackfill, r.Backfill)
	}
	if r.Gap != nil {
		dst = appendJSONSection(dst, sectionGap, r.Gap)
	}
	if e := r.Episode; e != nil && (len(e.Venues) > 0 || e.Numbered > 0) {
		dst = appendJSONSection(dst, sectionDisorder, disorderSection{e.Venues, e.Numbered})
	}
	if r.Aside != 0 {
		dst = appendSection(dst, sectionAside, binary.AppendUvarint(nil, uint64(r.Aside)))
	}
	if r.Log != 0 {
		dst = binary.BigEndian.AppendUint32(append(dst, sectionLog, 4), r.Log)
	}
	leads, known := []int64{r.AheadLead}, r.AheadLead != 0
	for i := range r.Streams {
		leads, known = append(leads, r.Streams[i].AheadLead), known || r.Streams[i].AheadLead != 0
	}
	if known {
		dst = appendSection(dst, sectionAhead, appendVarints(nil, leads...))
	}
	return dst
}

func appendSection(dst []byte, number uint64, payload []byte) []byte {
	dst = binary.AppendUvarint(dst, number)
	dst = binary.AppendUvarint(dst, uint64(len(payload)))
	return append(dst, payload...)
}

// appendJSONSection is for what is seldom there. Its values always have a JSON
// form.
func appendJSONSection(dst []byte, number uint64, v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return dst
	}
	return appendSection(dst, number, b)
}

// sections reads sections to the end of the row.
func (in *rowReader) sections(r *engine.SymbolRow) {
	if n := in.uvarint("length of the sections"); in.err == nil && n != uint64(len(in.row)-in.at) {
		in.err = fmt.Errorf("sections of %d bytes at byte %d do not end with the row", n, in.at)
	}
	last := uint64(0)
	for in.err == nil && in.at < len(in.row) {
		at := in.at
		number, length := in.uvarint("section"), in.uvarint("length of a section")
		if in.err == nil && (number <= last || length > uint64(len(in.row)-in.at)) {
			in.err = fmt.Errorf("section %d at byte %d is out of order or longer than the row", number, at)
		}
		if in.err != nil {
			return
		}
		last = number
		if err := readSection(r, number, in.take("section", int(length))); err != nil {
			in.err = fmt.Errorf("section %d at byte %d: %w", number, at, err)
		}
	}
}

func readSection(r *engine.SymbolRow, number uint64, payload []byte) error {
	switch number {
	case sectionUnit:
		if len(payload) != 1 {
			return fmt.Errorf("%d bytes of a unit", len(payload))
		}
		r.Unit = engine.Unit(payload[0])
		return nil
	case sectionStreams:
		return readStreams(r, payload)
	case sectionRun:
		r.Run = new(engine.RunRow)
		return unmarshal(payload, r.Run)
	case sectionBackfill:
		r.Backfill = new(engine.Episode)
		return readEpisode(r.Backfill, engine.Backfill, r.Symbol, payload)
	case sectionGap:
		r.Gap = new(engine.Episode)
		return readEpisode(r.Gap, engine.SequenceGap, r.Symbol, payload)
	case sectionAside:
		n, size := binary.Uvarint(payload)
		if size <= 0 || size != len(payload) {
			return fmt.Errorf("no number of ticks")
		}
		r.Aside = int64(n)
		return nil
	case sectionLog:
		if len(payload) != 4 {
			return fmt.Errorf("%d bytes of a hash", len(payload))
		}
		r.Log = binary.BigEndian.Uint32(payload)
		return nil
	case sectionAhead:
		in := rowReader{row: payload}
		r.AheadLead = in.varint("lead of those ahead")
		for i := range r.Streams {
			r.Streams[i].AheadLead = in.varint("lead of those ahead")
		}
		if in.err == nil && in.at < len(payload) {
			in.err = fmt.Errorf("%d bytes left over", len(payload)-in.at)
		}
		return in.err
	case sectionDisorder:
		var d disorderSection
		err := unmarshal(payload, &d)
		if err == nil && r.Episode == nil {
			err = fmt.Errorf("the row has no such episode")
		}
		if err == nil {
			r.Episode.Venues, r.Episode.Numbered = d.Venues, d.Numbered
		}
		return err
	}
	return fmt.Errorf("not known")
}

// readEpisode reads an episode of a symbol. Code and symbol are those of the
// section and the row: JSON does not hold every name.
func readEpisode(e *engine.Episode, code engine.Code, symbol string, payload []byte) error {
	err := unmarshal(payload, e)
	e.Code, e.Symbol = code, symbol
	return err
}

func (in *rowReader) uvarint(field string) uint64 {
	if in.err != nil {
		return 0
	}
	v, n := binary.Uvarint(in.row[in.at:])
	if n <= 0 {
		in.err = fmt.Errorf("%s: no number at byte %d", field, in.at)
		return 0
	}
	in.at += n
	return v
}
