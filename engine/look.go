package engine

// SymbolView is a symbol on one partition, for somebody who looks.
type SymbolView struct {
	Symbol    string // bytes that are no text are escaped as \xNN
	Ticks     int64
	Disorder  int64 // of them older than the last accepted one
	Through   int64 // offset of its last tick
	LastEvent int64 // greatest accepted event time, NoTime before the first
	LastSeen  int64 // when its last tick was seen, by record time or the clock
	Silent    bool
	Late      bool // an episode of disorder is open
}

// Look gives the symbols whose names match, at most so many; it reports
// whether there were more. It changes nothing.
func (p *Partition) Look(match func(name string) bool, most int, give func(SymbolView)) (more bool) {
	for i, s := range p.symbols {
		if !match(s.name) {
			continue
		}
		if most == 0 {
			return true
		}
		most--
		give(SymbolView{
			Symbol: ShowBytes(s.name), Ticks: s.count, Disorder: s.disorder, Through: s.through, LastEvent: s.lastEvent,
			LastSeen: s.lastSeen, Silent: p.silences[int32(i)] != nil, Late: p.disorders[int32(i)] != nil,
		})
	}
	return false
}

// Busiest gives at most so many of the symbols with most ticks, most first.
func (p *Partition) Busiest(most int) []SymbolLoad {
	busy := p.rank()
	return append([]SymbolLoad(nil), busy[:min(most, len(busy))]...)
}
