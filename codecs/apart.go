package codecs

// Apart notes where in a record, or in an element of one, the fields stand
// that change while nothing is said: symbol, times and sequence numbers.
type Apart struct {
	spans [maxApart][2]int32
	n     int // maxApart + 1: more than can be noted
}

const maxApart = 32

// Reset forgets what was noted.
func (a *Apart) Reset() { a.n = 0 }

// Note takes the bytes from start up to end. Spans are noted in their order.
func (a *Apart) Note(start, end int) {
	if a.n < maxApart {
		a.spans[a.n] = [2]int32{int32(start), int32(end)}
	}
	a.n = min(a.n+1, maxApart+1)
}

// Hash is that of b without what was noted, never 0; 0 when that was too much.
// It is the same in every run, since states keep it.
func (a *Apart) Hash(b []byte) uint64 {
	if a.n > maxApart {
		return 0
	}
	h, at := hashStart, 0
	for _, s := range a.spans[:a.n] {
		if start := int(s[0]); start > at {
			h = hashBytes(h, b[at:start])
		}
		at = max(at, int(s[1]))
	}
	return hashEnd(hashBytes(h, b[at:]))
}

// Cursors say where the elements of each level stand that are read next, by
// their level less one. Plans set them.
type Cursors [MaxElements]Cursor

// Close forgets the arrays of the levels from one up to another.
func (c *Cursors) Close(from, to int) {
	for ; from < to; from++ {
		c[from] = Cursor{}
	}
}

// Cursor is one of them.
type Cursor struct {
	Rest []byte // a view on the record, from the next element on
	Left int64  // elements of a block that are left
	Node int    // of the plan
}
