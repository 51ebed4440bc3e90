package engine

// detectKeyEmpty judges good ticks with a key of zero bytes.
func detectKeyEmpty(p *Partition, t *Tick) {
	if t.Kind == Good && t.Item == 0 && t.Key != nil && len(t.Key) == 0 {
		name := ShowBytes(string(t.Symbol))
		p.fault(KeyEmpty, t, "", string(t.Symbol), name, 0)
	}
}

func describeKeyEmpty(p *Partition, e *Episode, f *Finding) {
	p.describeKeyless(e, f, "a key of zero bytes")
}
