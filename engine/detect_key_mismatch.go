package engine

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
)

// detectKeyMismatch judges ticks whose key does not spell their symbol.
func detectKeyMismatch(p *Partition, s *symbol, t *Tick) {
	if len(t.Key) == 0 || bytes.Equal(t.Key, t.Symbol) {
		return
	}
	if _, rest, framed := unframe(t.Key); framed && spells(rest, t.Symbol) {
		return
	}
	if p.limits.NormalizeUpper && bytes.Equal(bytes.ToUpper(bytes.TrimSpace(t.Key)), t.Symbol) {
		return
	}
	if p.fresh {
		p.both(func(c *Counts) { c.KeyDiffers++ })
	}
	name := "key " + firstBytes(t.Key) + ", symbol " + firstBytes(t.Symbol)
	p.fault(KeyMismatch, t, "", s.name, name, 0)
}

func describeKeyMismatch(p *Partition, e *Episode, f *Finding) {
	f.Observed, f.Threshold, f.Unit = float64(e.Count), 0, "records"
	f.Cause = fmt.Sprintf("%s on %s/%d with a key that does not spell the symbol, the first at offset %d: %s",
		plural(e.Count, "tick"), p.topic, p.id, e.FirstOffset, e.counted()[0].Symbol)
	f.Evidence["spellings"] = maps.Clone(e.Tally)
	f.Evidence["other_spellings"] = e.Beyond
}

// unframe takes a schema registry's frame off a key: a zero byte and the
// schema's id, four bytes big endian.
func unframe(key []byte) (id uint32, rest []byte, ok bool) {
	if len(key) < 6 || key[0] != 0 {
		return 0, nil, false
	}
	return binary.BigEndian.Uint32(key[1:]), key[5:], true
}

// spells reports whether a framed key is the symbol, as Avro writes a string
// or as it is.
func spells(rest, symbol []byte) bool {
	if bytes.Equal(rest, symbol) {
		return true
	}
	n, width := binary.Varint(rest)
	return width > 0 && n == int64(len(symbol)) && bytes.Equal(rest[width:], symbol)
}

// framedAnew judges whether a symbol lies on several partitions because the
// schema of its key was registered again: only the id in the key's bytes has
// changed, and with it the partition.
func (t *Topic) framedAnew(name string, places []SymbolPlace) {
	subject := "frame/" + name
	if t.find(subject) != nil {
		return
	}
	for i := range places {
		for j := range places {
			from, to := &places[i], &places[j]
			if from.Since > to.Since || from.Since == to.Since && from.Partition >= to.Partition {
				continue
			}
			before, _ := hidden(from.Key)
			after, _ := hidden(to.Key)
			was, a, framed := unframe([]byte(before))
			is, b, framedToo := unframe([]byte(after))
			if !framed || !framedToo || was == is || !bytes.Equal(a, b) {
				continue
			}
			id := to.Partition
			f := t.newFinding(KeyMismatch, subject, -1)
			f.Symbol, f.Partition, f.FirstOffset, f.LastOffset = name, &id, to.Offset, to.Offset
			f.FirstTime, f.LastTime, f.Count = Time(to.Since), Time(to.Since), 1
			f.Observed, f.Threshold, f.Unit = float64(is), float64(was), "schema id"
			f.Evidence["kind"] = "SCHEMA_ID"
			f.Evidence["schema_ids"], f.Evidence["partitions"] = []uint32{was, is}, []int32{from.Partition, to.Partition}
			f.Cause = fmt.Sprintf("key schema id %d -> %d moved %s of %s from partition %d to %d: the id is a part of the bytes that are hashed",
				was, is, name, t.name, from.Partition, to.Partition)
			f.Action = "Keep the key's schema registered under one id, or use a plain string as the key."
			t.openFinding(subject, f)
			return
		}
	}
}
