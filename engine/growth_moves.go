package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// moving is what is known of the symbols that the topic's growths move. It
// follows from their places, so no row keeps it. A symbol moves at a growth
// when its function puts it elsewhere at the larger count than at the smaller
// one, and it was there before: it is counted whether it has gone on since or
// not, so that the count is the same while the topic grows and long after.
type moving struct {
	state   string // what the symbols were judged by
	today   int32  // partition count
	settled bool   // all has been read that was written
	movers  []family
	growths []growthTime  // all of them
	of      []growthMoves // those that are followed
}

// growthTime is a growth with the time of the first record in a partition from
// From on, NoTime: none has a record.
type growthTime struct {
	*Growing
	seen  int64 // as known so far: an earlier one may not have been read yet
	first int64 // when it is certain
}

// growthMoves are the symbols that a growth moves, the first by name listed.
type growthMoves struct {
	growth int // its place in growths
	total  int64
	listed []Moving
	told   string
}

// followedMax bounds the growths that are followed at once.
const followedMax = 64

// touched are the symbols whose places have changed, where growths are
// followed.
func (t *Topic) touched() []string {
	if len(t.state.Growths) == 0 {
		return nil
	}
	return slices.Collect(maps.Keys(t.placing.touched))
}

// count counts the symbols that each of the growths moves: all of them when
// what they are judged by is another, and otherwise those that have changed.
func (m *moving) count(t *Topic, follow []int, changed []string) {
	if len(follow) == 0 {
		*m = moving{}
		return
	}
	whole := m.prepare(t, follow[:min(len(follow), followedMax)])
	if !whole {
		for _, name := range changed {
			if s := t.symbols[name]; s != nil {
				whole = !m.recount(name, s) || whole
			}
		}
	}
	if !whole {
		return
	}
	for k := range m.of {
		m.of[k].total, m.of[k].listed = 0, nil
	}
	for name, s := range t.symbols {
		s.moves = 0
		m.recount(name, s)
	}
}

// prepare takes what symbols are judged by, and reports whether it is another
// than before.
func (m *moving) prepare(t *Topic, follow []int) (another bool) {
	m.today, m.settled, m.movers, m.growths = t.state.Partitions, t.settled(), t.movers(), m.growths[:0]
	state := fmt.Sprint(m.today, m.settled, m.movers, follow)
	for i := range t.state.Growths {
		g := growthTime{&t.state.Growths[i], t.firstIn(t.state.Growths[i].From), NoTime}
		if m.settled && g.seen != NoTime && !g.Sure {
			g.Sure, t.changed["t"] = true, true
		}
		if g.Sure {
			g.first = g.seen
		}
		m.growths = append(m.growths, g)
		state += fmt.Sprint(" ", g.From, g.To, g.Seen, g.seen, g.first)
	}
	if state == m.state {
		return false
	}
	m.state, m.of = state, make([]growthMoves, len(follow))
	for k, i := range follow {
		m.of[k].growth = i
	}
	return true
}

// movers are the functions by which keys lie where they do; none is known where
// none is certain. Those that cannot be told from each other are all among them,
// unless one of them has moved keys before.
func (t *Topic) movers() (fs []family) {
	add := func(f family) {
		if f != noFamily && !slices.Contains(fs, f) {
			fs = append(fs, f)
		}
	}
	for i := range t.state.Growths {
		add(familyNamed(t.state.Growths[i].Lead))
	}
	leads := slices.Clone(fs)
	for i := range t.placing.explained.members {
		alike := append([]family{t.placing.explained.members[i].family}, t.placing.explained.members[i].rivals...)
		if slices.ContainsFunc(alike, func(f family) bool { return slices.Contains(leads, f) }) {
			continue
		}
		for _, f := range alike {
			add(f)
		}
	}
	return fs
}

func familyNamed(name string) family {
	for f := range familyCount {
		if f.String() == name {
			return f
		}
	}
	return noFamily
}

// recount counts a symbol as it stands now. It reports false where that cannot
// be done: a symbol that was listed is counted no longer.
func (m *moving) recount(name string, s *TopicSymbol) bool {
	was := s.moves
	s.moves = 0
	if len(s.Places) == 0 {
		return was == 0
	}
	j := m.judge(s)
	for k := range m.of {
		bit := uint64(1) << k
		from, to, moves := j.at(m.of[k].growth)
		switch {
		case moves && was&bit == 0:
			m.of[k].total++
			m.of[k].list(Moving{name, from, to})
		case !moves && was&bit != 0:
			return false
		}
		if moves {
			s.moves |= bit
		}
	}
	return true
}

func (g *growthMoves) list(mv Moving) {
	i, _ := slices.BinarySearchFunc(g.listed, mv, func(a, b Moving) int { return strings.Compare(a.Symbol, b.Symbol) })
	if i < movesListed {
		g.listed = slices.Insert(g.listed, i, mv)
		g.listed = g.listed[:min(len(g.listed), movesListed)]
	}
}

// moveJudge is a symbol about to be judged.
type moveJudge struct {
	*moving
	s     *TopicSymbol
	key   string
	by    []family             // functions that explain its places best
	after [][familyCount]int32 // where they put it after each growth
	then  [][familyCount]int32 // and before
	now   [familyCount]int32
}

func (m *moving) judge(s *TopicSymbol) *moveJudge {
	j := &moveJudge{moving: m, s: s}
	for i := range s.Places {
		if key, whole := hidden(s.Places[i].Key); whole && key != "" {
			j.key = key
			break
		}
	}
	if j.key == "" || len(m.movers) == 0 {
		return j
	}
	for i := range m.growths {
		j.then = append(j.then, placesOf([]byte(j.key), m.growths[i].From))
		j.after = append(j.after, placesOf([]byte(j.key), m.growths[i].To))
	}
	j.now = placesOf([]byte(j.key), m.today)
	best := 0
	for _, f := range m.movers {
		if slices.ContainsFunc(s.Places, func(p SymbolPlace) bool { return !j.explains(f, &p) }) {
			continue
		}
		n := j.punctual(f)
		if n > best {
			best, j.by = n, j.by[:0]
		}
		if n == best {
			j.by = append(j.by, f)
		}
	}
	return j
}

// punctual is the number of places at which the function put the symbol at the
// count that the topic had when it ticked there first. Of functions that explain
// all places the right one does so at that count, but for keys of producers that
// did not know of it yet.
func (j *moveJudge) punctual(f family) (n int) {
	for i := range j.s.Places {
		p, at := &j.s.Places[i], &j.now
		for k := range j.growths {
			if first := j.growths[k].seen; first == NoTime || p.Since < first {
				at = &j.then[k]
				break
			}
		}
		if at[f] == p.Partition {
			n++
		}
	}
	return n
}

// explains reports whether the function put the symbol on the place at today's
// partition count or at a former one.
func (j *moveJudge) explains(f family, p *SymbolPlace) bool {
	key, whole := hidden(p.Key)
	if !whole || key == "" {
		key = j.key
	}
	if now := j.now[f]; now == p.Partition || key != j.key && placesOf([]byte(key), j.today)[f] == p.Partition {
		return true
	}
	for i := range j.growths {
		g := &j.growths[i]
		at := j.then[i]
		if key != j.key {
			at = placesOf([]byte(key), g.From)
		}
		if p.Partition < g.From && at[f] == p.Partition && (g.first == NoTime || p.Since <= g.first+growthSlack) {
			return true
		}
	}
	return false
}

// at tells whether a growth moves the symbol, and between which partitions: as
// all functions say that may be the symbol's, or as it was seen to go where none
// explains its places, nor a growth that is not known yet.
func (j *moveJudge) at(growth int) (from, to int32, moves bool) {
	if len(j.by) == 0 {
		if len(j.movers) > 0 && !j.settled {
			return 0, 0, false
		}
		return j.seen(growth)
	}
	for _, f := range j.by {
		if j.then[growth][f] == j.after[growth][f] || !j.lay(f, growth) {
			return 0, 0, false
		}
	}
	return j.then[growth][j.by[0]], j.after[growth][j.by[0]], true
}

// lay reports whether the symbol was there before the growth: it lies where the
// function put it at a former count, and either ticked there before any record
// in partitions beyond that count, or lies where it does at no later count, by a
// producer that did not know of the growth yet.
func (j *moveJudge) lay(f family, growth int) bool {
	for i := range j.s.Places {
		p := &j.s.Places[i]
		for k := range growth + 1 {
			g := &j.growths[k]
			if j.then[k][f] != p.Partition {
				continue
			}
			if g.first != NoTime && p.Since < g.first {
				return true
			}
			late := j.settled && k == growth && p.Since <= g.first+growthSlack
			if (g.first == NoTime || late) && !j.laterAt(f, k, p.Partition) {
				return true
			}
		}
	}
	return false
}

// laterAt reports whether the function puts the symbol on the partition at a
// count that the topic has had since the growth.
func (j *moveJudge) laterAt(f family, growth int, partition int32) bool {
	for i := growth; i < len(j.growths); i++ {
		if j.after[i][f] == partition {
			return true
		}
	}
	return false
}

// seen tells whether the symbol was seen to go on elsewhere by a growth that was
// seen: the last one of which there was a record when it first ticked there. Back
// on a partition where it was before, it has come by the last growth.
func (j *moveJudge) seen(growth int) (from, to int32, moves bool) {
	places := slices.Clone(j.s.Places)
	slices.SortFunc(places, earlier)
	for i := 1; i < len(places); i++ {
		if p := &places[i]; (p.Old || j.s.Moved) && j.tookTo(p) == growth {
			return places[i-1].Partition, p.Partition, true
		}
	}
	last, now := &places[len(places)-1], j.s.current()
	if j.s.Moved && last.Old && len(now) == 1 && j.tookTo(nil) == growth {
		return last.Partition, now[0].Partition, true
	}
	return 0, 0, false
}

// tookTo is the growth that took a symbol to a place, nil: the last one; -1: none
// was seen.
func (j *moveJudge) tookTo(p *SymbolPlace) int {
	last := -1
	for i := range j.growths {
		g := &j.growths[i]
		began := g.seen
		if began == NoTime {
			began = g.Time
		}
		if g.Seen && (last < 0 || p == nil || p.Partition >= g.From || began != NoTime && began <= p.Since) {
			last = i
		}
	}
	return last
}
