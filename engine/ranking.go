package engine

// ranking keeps the busiest symbols of a partition and those with most late
// ticks. Counts only grow, so whatever belongs into a list is in it already
// or has changed since it was made: bringing it up to date costs a constant
// time a tick, and it never depends on when that was done last.
type ranking struct {
	changed []int32 // symbols whose counts have changed
	most    []int32 // busiest symbols
	worst   []int32 // symbols with most late ticks
	busy    []SymbolLoad
	late    []SymbolLoad
}

// unrank notes that a symbol's counts have changed.
func (p *Partition) unrank(i int32) {
	if s := p.symbols[i]; !s.unranked {
		s.unranked = true
		p.ranked.changed = append(p.ranked.changed, i)
	}
}

// rank brings the lists up to date and returns the busiest symbols, most
// ticks first.
func (p *Partition) rank() []SymbolLoad {
	r := &p.ranked
	if len(r.changed) == 0 {
		return r.busy
	}
	r.most, r.busy = p.rankBy(r.most, func(s *symbol) int64 { return s.count })
	r.worst, r.late = p.rankBy(r.worst, func(s *symbol) int64 { return s.disorder })
	for _, i := range r.changed {
		p.symbols[i].unranked = false
	}
	r.changed = r.changed[:0]
	return r.busy
}

func (p *Partition) rankBy(old []int32, count func(*symbol) int64) ([]int32, []SymbolLoad) {
	var places []int32
	var loads []SymbolLoad
	limit := p.limits.SymbolsPerReport
	add := func(i int32) {
		s := p.symbols[i]
		at := place(loads, s.name, count(s), limit)
		if at < 0 {
			return
		}
		loads, places = insert(loads, at, SymbolLoad{s.name, count(s)}, limit), insert(places, at, i, limit)
	}
	for _, i := range old {
		if !p.symbols[i].unranked {
			add(i)
		}
	}
	for _, i := range p.ranked.changed {
		add(i)
	}
	for i := range loads {
		loads[i].Symbol = ShowBytes(loads[i].Symbol)
	}
	return places, loads
}

// rank inserts a name with a count into a descending list of at most limit.
func rank(l []SymbolLoad, name string, n int64, limit int) []SymbolLoad {
	if at := place(l, name, n, limit); at >= 0 {
		return insert(l, at, SymbolLoad{name, n}, limit)
	}
	return l
}

// place is the index at which a name with a count belongs into a descending
// list of at most limit, -1: nowhere.
func place(l []SymbolLoad, name string, n int64, limit int) int {
	if n == 0 || len(l) >= limit && (limit == 0 || !before(n, name, &l[len(l)-1])) {
		return -1
	}
	i := len(l)
	for i > 0 && before(n, name, &l[i-1]) {
		i--
	}
	return i
}

// insert puts v at index i of a list that holds at most limit.
func insert[T any](l []T, i int, v T, limit int) []T {
	if len(l) < limit {
		l = append(l, v)
	}
	copy(l[i+1:], l[i:])
	l[i] = v
	return l
}

func before(n int64, name string, b *SymbolLoad) bool {
	return n > b.Count || n == b.Count && name < b.Symbol
}
