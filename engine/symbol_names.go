package engine

// SymbolNames are the exact bytes of the symbols held, in the order in which
// they came. A state that is thrown away must delete their rows.
func (p *Partition) SymbolNames() []string {
	names := make([]string, len(p.symbols))
	for i, s := range p.symbols {
		names[i] = s.name
	}
	return names
}
