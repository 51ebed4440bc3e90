package engine

import (
	"slices"
	"strconv"
	"strings"
)

// placing is what a topic knows of where keys lie. All of it follows from the
// places of its symbols and the statistics of its partitions, so no row keeps
// it: it is made anew when it is needed first. Beside the places themselves it
// is of a size that does not depend on the number of symbols.
type placing struct {
	made    bool
	kin     *kinship
	keys    [1 << familyCount]int64     // distinct keys by the functions that they fit
	main    [1 << familyCount]int64     // of them, those of the partition on which their symbol ticks most
	witness [1 << familyCount][]witness // some of them, the first by name
	named   map[string]string           // keys that do not spell their symbol, by partition, with the symbol that each is counted of
	several int64                       // places beyond the first of a key, among those that are counted

	touched   map[string]bool // symbols whose places have changed since they were judged last
	held      map[string]bool // symbols on several partitions that growth may explain, once more is known
	changed   bool            // what explains the keys must be found anew
	settled   bool            // the past had been read when that was done last
	explained explanation
	state     string // what the held symbols were judged by last
}

// witness is a key on a partition.
type witness struct {
	symbol    string
	key       string // its bytes, "" where they are not known in full
	partition int32
}

const (
	witnessesPerClass = 32
	namedKeys         = 8192 // twice as many as keys on one partition each: a key is named by itself too
)

func newPlacing() placing {
	return placing{named: map[string]string{}, touched: map[string]bool{}, held: map[string]bool{}}
}

// place is the symbol's place on the partition, nil: none.
func (s *TopicSymbol) place(partition int32) *SymbolPlace {
	for i := range s.Places {
		if s.Places[i].Partition == partition {
			return &s.Places[i]
		}
	}
	return nil
}

// current are the symbol's places at today's partition count.
func (s *TopicSymbol) current() []SymbolPlace {
	out := make([]SymbolPlace, 0, len(s.Places))
	for _, p := range s.Places {
		if !p.Old {
			out = append(out, p)
		}
	}
	return out
}

// main is the current place on which the symbol has ticked most, if its key is
// counted, nil: none.
func (s *TopicSymbol) main() *SymbolPlace {
	var most *SymbolPlace
	for i := range s.Places {
		if p := &s.Places[i]; !p.Old && (most == nil || p.Count > most.Count) {
			most = p
		}
	}
	if most == nil || !most.counted {
		return nil
	}
	return most
}

// sight notes that a symbol with a key is on a partition. partitions is the
// count that the partition's audit knew: what is from before the topic grew
// says where a symbol was, not where it is.
func (t *Topic) sight(partition, partitions int32, g *Sighting) {
	s := t.symbols[g.Symbol]
	if g.Closing && !t.concerned(s, partition, g) {
		return
	}
	if g.Keyless && s != nil {
		return
	}
	if s == nil {
		s = newTopicSymbol(t.state.Partitions)
		t.symbols[g.Symbol] = s
		t.changed["s/"+g.Symbol] = true
	}
	if g.Keyless {
		return // it counts as a symbol, and has no place
	}
	if s.Partitions != t.state.Partitions {
		s.Partitions, s.Moved = t.state.Partitions, false
		for i := range s.Places {
			s.Places[i].Old = true
		}
	}
	t.changed["s/"+g.Symbol] = true
	t.placing.touched[g.Symbol] = true
	before := g.Before || partitions != 0 && partitions < t.state.Partitions
	places := len(s.Places)
	t.weigh(s, func() { t.sightPlace(s, partition, g, before) })
	t.noteWide(g.Symbol, s)
	if len(s.Places) > places {
		t.spell(g.Symbol)
	}
}

// weigh changes a symbol's places, and notes which of them is its main one by
// then.
func (t *Topic) weigh(s *TopicSymbol, change func()) {
	var was SymbolPlace // a copy: places are put in order
	if m := s.main(); m != nil {
		was = *m
		t.placing.main[m.Fits]--
	}
	change()
	if m := s.main(); m != nil {
		t.placing.main[m.Fits]++
		t.placing.changed = t.placing.changed || !was.counted || was.Partition != m.Partition
	}
}

// concerned notes a symbol's last count and reports whether more is to be
// judged by it: of one that lies on one partition and has one spelling, which
// most have, nothing need be written anew.
func (t *Topic) concerned(s *TopicSymbol, partition int32, g *Sighting) bool {
	if s == nil || s.place(partition) == nil {
		return false
	}
	t.weigh(s, func() {
		p := s.place(partition)
		p.Count = max(p.Count, g.Count)
	})
	if len(t.alike(t.addSpelling(g.Symbol))) > 0 {
		t.spell(g.Symbol)
		return true
	}
	return len(s.Places) > 1
}

func (t *Topic) sightPlace(s *TopicSymbol, partition int32, g *Sighting, before bool) {
	p := s.place(partition)
	if p == nil {
		s.Places = append(s.Places, SymbolPlace{
			Partition: partition, Offset: g.Offset, Since: g.Time, Old: true, FirstEvent: NoTime, LastEvent: NoTime, Seen: NoTime,
		})
		slices.SortFunc(s.Places, func(a, b SymbolPlace) int { return int(a.Partition - b.Partition) })
		p = s.place(partition)
	}
	if g.Count >= p.Count {
		p.Count = g.Count
		p.LastEvent, p.Seen = max(p.LastEvent, unset(g.LastEvent)), max(p.Seen, unset(g.Seen))
	}
	p.hearVenues(g.Venues)
	if p.Old && !before && g.Key != "" {
		p.Old, p.Key, p.Fits, p.Spelled, p.counted = false, g.Key, g.Fits, g.Spelled, false
		if p.FirstEvent == NoTime {
			p.FirstEvent = unset(g.FirstEvent)
		}
		if t.placing.made {
			t.tally(g.Symbol, p)
		}
	}
}

// unset makes NoTime of the 0 in what an earlier version has written.
func unset(at int64) int64 {
	if at == 0 {
		return NoTime
	}
	return at
}

// make counts every place anew: after a restart, and when the topic has grown.
func (t *Topic) makePlacing() {
	t.placing.made, t.placing.changed = true, true
	t.placing.kin = newKinship(max(t.state.Partitions, 1))
	for name, s := range t.symbols {
		if s.Partitions != t.state.Partitions {
			continue
		}
		for i := range s.Places {
			if p := &s.Places[i]; !p.Old {
				p.counted = false
				t.tally(name, p)
			}
		}
		if m := s.main(); m != nil {
			t.placing.main[m.Fits]++
		}
		if len(s.Places) > 1 {
			t.placing.touched[name] = true
		}
	}
}

// tally counts a key on a partition. A key that does not spell its symbol may
// be that of many symbols, and is counted once: of the first by name, so that
// the order in which symbols are heard of changes nothing.
func (t *Topic) tally(symbol string, p *SymbolPlace) {
	l := &t.placing
	key, whole := hidden(p.Key)
	if p.Fits == 0 && whole {
		p.Fits = fitsOf([]byte(key), p.Partition, l.kin.n)
	}
	if !p.Spelled {
		name := strconv.Itoa(int(p.Partition)) + "/" + p.Key
		holder, named := l.named[name]
		if named && holder <= symbol || !named && len(l.named) >= namedKeys {
			return
		}
		l.named[name] = symbol
		if _, known := l.named["/"+p.Key]; named {
			t.untally(holder, p.Partition)
		} else if known {
			l.several++
		} else {
			l.named["/"+p.Key] = ""
		}
	} else if s := t.symbols[symbol]; s != nil && slices.ContainsFunc(s.Places, func(q SymbolPlace) bool { return q.counted && !q.Old && q.Spelled }) {
		l.several++
	}
	l.keys[p.Fits]++
	l.changed, p.counted = true, true
	if !whole {
		key = ""
	}
	w := witness{symbol: symbol, key: key, partition: p.Partition}
	list := l.witness[p.Fits]
	i, _ := slices.BinarySearchFunc(list, w, func(a, b witness) int {
		if a.symbol != b.symbol {
			return strings.Compare(a.symbol, b.symbol)
		}
		return int(a.partition - b.partition)
	})
	if i < witnessesPerClass {
		list = slices.Insert(list, i, w)
		l.witness[p.Fits] = list[:min(len(list), witnessesPerClass)]
	}
}

// untally takes back that a key is counted of a symbol.
func (t *Topic) untally(symbol string, partition int32) {
	s, l := t.symbols[symbol], &t.placing
	p := s.place(partition)
	if s.main() == p {
		l.main[p.Fits]--
	}
	l.keys[p.Fits]--
	p.counted = false
	l.witness[p.Fits] = slices.DeleteFunc(l.witness[p.Fits], func(w witness) bool { return w.symbol == symbol && w.partition == partition })
}

// hidden gives back the bytes of what firstBytes has shown; ok is false when
// it was cut.
func hidden(shown string) (b string, ok bool) {
	if len(shown) > 64 && strings.HasSuffix(shown, "...") {
		return "", false
	}
	if !strings.ContainsRune(shown, '\\') {
		return shown, true
	}
	out := make([]byte, 0, len(shown))
	for i := 0; i < len(shown); i++ {
		if shown[i] != '\\' || i+3 >= len(shown) {
			out = append(out, shown[i])
			continue
		}
		n, err := strconv.ParseUint(shown[i+2:i+4], 16, 8)
		if err != nil {
			return "", false
		}
		out = append(out, byte(n))
		i += 3
	}
	return string(out), true
}

// classes is what is known of keys, by the functions that they fit.
func (t *Topic) classes() []fitClass {
	ticks := &t.summed().ticks
	var out []fitClass
	for fits := range t.placing.keys {
		if t.placing.keys[fits] > 0 {
			out = append(out, fitClass{Fits(fits), float64(t.placing.keys[fits]), float64(t.placing.main[fits]), float64(ticks[fits])})
		}
	}
	return out
}

// distinct is how many keys were counted, however many partitions each lies
// on.
func (t *Topic) distinct() int64 {
	n := -t.placing.several
	for _, k := range t.placing.keys {
		n += k
	}
	return n
}

// seen is when the witness's symbol ticked last on its partition.
func (t *Topic) seen(w *witness) int64 {
	if s := t.symbols[w.symbol]; s != nil {
		if p := s.place(w.partition); p != nil {
			return p.Seen
		}
	}
	return NoTime
}
