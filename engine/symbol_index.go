package engine

import "hash/maphash"

// symbolIndex finds the number of a symbol by its name. It is a table of
// hashes with open addressing: a map's slot holds a name's address and length
// too, which is three times the memory, and with a million symbols most of what
// a tick costs is memory that is not in a cache.
type symbolIndex struct {
	seed  maphash.Seed
	slots []symbolSlot // a power of two; a quarter of them at least is empty
	used  int
}

type symbolSlot struct {
	hash uint32
	next int32 // number of the symbol, plus one; 0: the slot is empty
}

func newSymbolIndex() symbolIndex {
	return symbolIndex{seed: maphash.MakeSeed(), slots: make([]symbolSlot, 8)}
}

// find returns the number of the symbol of that name.
func (x *symbolIndex) find(name []byte, symbols []*symbol) (int32, bool) {
	hash := uint32(maphash.Bytes(x.seed, name))
	for at := hash; ; at++ {
		slot := x.slots[int(at)&(len(x.slots)-1)]
		if slot.next == 0 {
			return 0, false
		}
		if slot.hash == hash && symbols[slot.next-1].name == string(name) {
			return slot.next - 1, true
		}
	}
}

// add notes the number of a symbol that is not in the table.
func (x *symbolIndex) add(name string, number int32) {
	if x.used++; x.used > len(x.slots)/4*3 {
		old := x.slots
		x.slots = make([]symbolSlot, 2*len(old))
		for _, slot := range old {
			if slot.next != 0 {
				x.put(slot)
			}
		}
	}
	x.put(symbolSlot{uint32(maphash.String(x.seed, name)), number + 1})
}

func (x *symbolIndex) put(slot symbolSlot) {
	at := slot.hash
	for x.slots[int(at)&(len(x.slots)-1)].next != 0 {
		at++
	}
	x.slots[int(at)&(len(x.slots)-1)] = slot
}

// symbol finds or adds the symbol and notes it as the current one.
func (p *Partition) symbol(name []byte) *symbol {
	if i, ok := p.index.find(name, p.symbols); ok {
		p.current = i
		return p.symbols[i]
	}
	return p.addSymbol(string(name))
}

func (p *Partition) addSymbol(name string) *symbol {
	if len(p.slab) == cap(p.slab) {
		p.slab = make([]symbol, 0, min(64, 4+len(p.symbols)))
	}
	p.slab = append(p.slab, symbol{name: name, through: -1, first: -1, order: newOrder(), lastSeen: NoTime})
	s := &p.slab[len(p.slab)-1]
	p.current = int32(len(p.symbols))
	p.index.add(name, p.current)
	p.symbols = append(p.symbols, s)
	return s
}

// number is that of a symbol that is held.
func (p *Partition) number(name string) int32 {
	n, _ := p.index.find([]byte(name), p.symbols)
	return n
}
