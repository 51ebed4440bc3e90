package codecs

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
)

// contentOf hashes the element without the fields that change while nothing
// is said: its symbol, times and sequence numbers. It is the same in every
// run, since states keep it. An element that has nothing else says nothing that
// could stand still: 0.
func (d *JSON) contentOf(m *jsonMap) uint64 {
	item := d.item
	if len(d.chain) == 0 {
		item = span{0, len(d.message)}
	}
	var kept [maxSlots]span
	apart := kept[:0]
	for _, slot := range m.apart {
		if s := d.found[slot%maxSlots]; slot != 0 && s.start >= item.start && s.end <= item.end && s.end > s.start {
			apart = append(apart, s)
		}
	}
	slices.SortFunc(apart, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	h, at, others := hashStart, item.start, -len(apart)
	take := func(b []byte) {
		h = hashBytes(h, b)
		others += members(b)
	}
	for _, s := range apart {
		if s.start > at {
			take(d.message[at:s.start])
		}
		at = max(at, s.end)
	}
	if take(d.message[at:item.end]); others <= 0 {
		return 0
	}
	return hashEnd(h)
}

// members is how many members with a value of their own begin in b; text that
// has colons may make it too great.
func members(b []byte) int { return bytes.Count(b, colon) - bytes.Count(b, colonObject) }

var colon, colonObject = []byte(":"), []byte(":{")

const hashStart = uint64(0xcbf29ce484222325)

// hashBytes takes b into a hash, eight bytes at a time.
func hashBytes(h uint64, b []byte) uint64 {
	const prime = 0x9e3779b97f4a7c15
	for len(b) >= 8 {
		h = bits.RotateLeft64((h^binary.LittleEndian.Uint64(b))*prime, 29)
		b = b[8:]
	}
	tail := uint64(len(b))
	for _, c := range b {
		tail = tail<<8 | uint64(c)
	}
	return bits.RotateLeft64((h^tail)*prime, 29)
}

// hashEnd mixes a hash and keeps it from being 0, which stands for none.
func hashEnd(h uint64) uint64 {
	h = (h ^ h>>32) * 0xd6e8feb86659fd93
	return max(h^h>>32, 1)
}
