package engine

// ranking keeps the busiest symbols of a partition and those with most late
// ticks. It is made anew only when as many ticks have come as there are
// symbols, so that it costs a constant time a tick.
type ranking struct {
	at   int64 // ticks when it was made
	busy []SymbolLoad
	late []SymbolLoad
}

// top is the partition's busiest symbols, most ticks first.
func (p *Partition) top() []SymbolLoad {
	r := &p.ranked
	if n := p.row.Counts.Ticks; r.busy == nil || n-r.at >= int64(len(p.symbols)) {
		r.at = n
		r.busy, r.late = r.busy[:0:0], r.late[:0:0]
		limit := p.limits.SymbolsPerReport
		for _, s := range p.symbols {
			r.busy = rank(r.busy, s.name, s.count, limit)
			r.late = rank(r.late, s.name, s.disorder, limit)
		}
		showLoads(r.busy)
		showLoads(r.late)
	}
	return r.busy
}

// rank inserts a name with a count into a descending list of at most limit.
func rank(l []SymbolLoad, name string, n int64, limit int) []SymbolLoad {
	if n == 0 || len(l) >= limit && !before(n, name, &l[len(l)-1]) {
		return l
	}
	i := len(l)
	for i > 0 && before(n, name, &l[i-1]) {
		i--
	}
	if len(l) < limit {
		l = append(l, SymbolLoad{})
	}
	copy(l[i+1:], l[i:])
	l[i] = SymbolLoad{name, n}
	return l
}

func before(n int64, name string, b *SymbolLoad) bool {
	return n > b.Count || n == b.Count && name < b.Symbol
}

func showLoads(l []SymbolLoad) {
	for i := range l {
		l[i].Symbol = ShowBytes(l[i].Symbol)
	}
}
