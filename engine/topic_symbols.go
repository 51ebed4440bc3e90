package engine

// noteWide notes whether the symbol has been seen on more than one
// partition.
func (t *Topic) noteWide(name string, s *TopicSymbol) {
	if len(s.Places) > 1 {
		t.wide[name] = true
	} else {
		delete(t.wide, name)
	}
}

// distinctSymbols is the number of symbols seen, by their exact bytes: one that
// is split, that growth has moved, or whose ticks have no key, counts once. No
// partition has more, which is all that is known of state from before symbols
// without a key were told.
func (t *Topic) distinctSymbols() int64 {
	n := int64(len(t.symbols))
	for _, p := range t.parts {
		n = max(n, p.Stats.Symbols)
	}
	return n
}

// countedTwice is how much the symbols of a window's partitions, added up, may
// exceed the distinct ones: by every place beyond the first on which a symbol
// that lies on several had ticked by then, whether it is split or growth has
// moved it: what explains its places is known later, and a window must be judged
// the same however much has been read. It is a bound, as only counts are known
// of a window. A partition with as many symbols as the topic has partitions
// settles it.
func (t *Topic) countedTwice(w *TopicWindow) (n int64) {
	var sum, most int64
	for _, l := range w.Loads {
		sum += l.Symbols
		most = max(most, l.Symbols)
	}
	if enough := int64(t.state.Partitions); sum < enough || most >= enough {
		return 0
	}
	end := w.Start + int64(t.limits.ReportInterval)
	for name := range t.wide {
		places := int64(0)
		for _, p := range t.symbols[name].current() {
			if p.Since < end {
				places++
			}
		}
		n += max(0, places-1)
	}
	return min(n, sum-most)
}
