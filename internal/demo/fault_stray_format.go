package demo

// strayFormat adds a producer of one symbol that writes another format than
// the topic's, as one does that was set up for another topic.
func strayFormat(f *Format) *Fault {
	const each = 4
	return &Fault{
		Name:    "stray format",
		Does:    "another producer writes " + symbolStray + " in a format that is not the topic's",
		Expect:  []Expectation{f.strays(symbolStray)},
		touches: only(symbolStray),
		alter: func(m Message, n int) []Message {
			if n%each > 0 {
				return []Message{m}
			}
			stray := m
			stray.Stray = true
			return []Message{m, stray}
		},
	}
}
