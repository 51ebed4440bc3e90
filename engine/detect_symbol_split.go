package engine

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// judgeSplits judges the symbols whose places have changed, and those that
// were held back when what explains them has changed.
func (t *Topic) judgeSplits() {
	l := &t.placing
	state := t.placingState()
	if state != l.state {
		l.state = state
		maps.Copy(l.touched, l.held)
		l.held = map[string]bool{}
	}
	if t.ending {
		maps.Copy(l.touched, t.counted.symbols)
		clear(t.counted.symbols)
	}
	for _, name := range slices.Sorted(maps.Keys(l.touched)) {
		if s := t.symbols[name]; s != nil && len(s.Places) > 1 {
			t.judgeSymbol(name, s)
		}
	}
	if len(l.touched) > 0 {
		l.touched = map[string]bool{} // one that is cleared stays as large as it was
	}
}

// placingState changes whenever a held symbol may be judged another way.
func (t *Topic) placingState() string {
	s := fmt.Sprint(t.placing.explained.verdict, len(t.state.Growths), t.settled())
	for _, m := range t.placing.explained.members {
		s += m.family.String()
	}
	return s
}

// judgeSymbol judges a symbol with more than one place. On two partitions at
// today's partition count it is split, unless the topic's growth moved it: the
// function that keys follow puts it on the one now, put it on the others when
// there were fewer partitions, and it has left them since. While history is
// still being read, a symbol that growth may explain is held back; so is one
// while the topic may have grown without the audit's knowledge.
func (t *Topic) judgeSymbol(name string, s *TopicSymbol) {
	subject := "split/" + name
	places := s.current()
	if t.find(subject) != nil {
		if len(places) > 1 { // fewer are known where a crash kept the finding's row and lost the symbol's
			t.split(name, places, false)
		}
		return
	}
	if len(places) < 2 {
		if len(places) == 1 && len(s.Places) > 1 {
			t.hasMoved(name, s, &places[0])
		}
		return
	}
	t.framedAnew(name, places)
	home := t.moved(places)
	switch {
	case home != nil:
		t.hasMoved(name, s, home)
	case !t.settled() && t.mayHaveMoved(places):
		t.placing.held[name] = true
	case !t.countHolds("split/" + name):
		t.counted.symbols[name] = true
	default:
		t.split(name, places, true)
	}
}

// moved is the place to which growth has moved a symbol, nil: growth does not
// explain its places.
func (t *Topic) moved(places []SymbolPlace) *SymbolPlace {
	if f, known := t.follows(); known {
		if home := t.movedAs(f, places); home != nil {
			return home
		}
		for _, m := range t.placing.explained.members {
			if home := t.movedAs(m.family, places); home != nil && len(m.rivals) == 0 {
				return home
			}
		}
		return nil
	}
	if t.placing.explained.verdict == Mixed {
		return nil
	}
	for i := range t.state.Growths {
		g := &t.state.Growths[i]
		for h := range places {
			home, all := &places[h], g.Seen
			for j := range places {
				p := &places[j]
				all = all && (j == h || p.Partition < g.From && t.intime(unset(p.Seen), g) && unset(home.Seen) >= unset(p.Seen))
			}
			if all {
				return home
			}
		}
	}
	return nil
}

// movedAs is the place to which growth has moved a symbol whose keys the
// function places: that of today's count, or else the last of the former ones.
// Two places of today are those of two keys, which no growth explains.
func (t *Topic) movedAs(f family, places []SymbolPlace) *SymbolPlace {
	home, now := -1, 0
	for i := range places {
		p := &places[i]
		key, _ := hidden(p.Key)
		today := p.Fits.has(f)
		if today {
			now++
		}
		switch {
		case now > 1:
			return nil
		case !today && !t.explainedByAny(f, key, p):
			return nil
		case home < 0 || today || !places[home].Fits.has(f) && p.Since > places[home].Since:
			home = i
		}
	}
	return &places[home]
}

func (t *Topic) explainedByAny(f family, key string, p *SymbolPlace) bool {
	for i := range t.state.Growths {
		if t.excused(f, key, p.Partition, unset(p.Seen), &t.state.Growths[i]) {
			return true
		}
	}
	return false
}

// mayHaveMoved reports whether growths that are not known yet could explain
// the places of a symbol: then its old places were left before the first
// record in the new partitions, which may not have been read yet.
func (t *Topic) mayHaveMoved(places []SymbolPlace) bool {
	all := Fits(1<<familyCount - 1)
	for j := range places {
		p := &places[j]
		then := p.Fits
		key, whole := hidden(p.Key)
		for n := t.state.Partitions - 1; whole && n > p.Partition; n-- {
			if first := t.leftBy(n); first == NoTime || unset(p.Seen) <= first {
				then |= fitsOf([]byte(key), p.Partition, n)
			}
		}
		all &= then
	}
	return all != 0
}

// spoken reports whether every partition from n on has been heard of, and has
// no record.
func (t *Topic) spoken(n int32) bool {
	for id := n; id < t.state.Partitions; id++ {
		if p := t.parts[id]; p == nil || !p.Settled {
			return false
		}
	}
	return true
}

// split opens or brings up to date the finding about a symbol on more than
// one partition.
func (t *Topic) split(name string, places []SymbolPlace, opened bool) {
	subject := "split/" + name
	f := t.find(subject)
	if opened {
		f = t.newFinding(SymbolSplit, subject, -1)
		f.Symbol, f.Threshold, f.Unit = name, 1, "partitions"
	}
	at := splitAt(places)
	f.FirstTime, f.FirstOffset, f.LastOffset, f.Partition = Time(at.Since), at.Offset, at.Offset, &at.Partition
	for _, p := range places {
		f.LastTime = max(f.LastTime, Time(p.Since), Time(unset(p.Seen)))
	}
	t.describeSplit(f, name, places)
	if opened {
		t.openFinding(subject, f)
	} else {
		t.update(subject)
	}
}

// splitAt is the place that made a symbol split, which is the finding's: the
// second on which it ticked, by record time. It follows from when the places
// began, so that it is the same whatever is heard of first, live and in replay,
// and does not move with their counts; those decide between equal times alone,
// where the place with fewer ticks is likely the wrong one.
func splitAt(places []SymbolPlace) SymbolPlace {
	byTime := slices.Clone(places)
	slices.SortFunc(byTime, func(a, b SymbolPlace) int {
		return cmp.Or(cmp.Compare(a.Since, b.Since), cmp.Compare(b.Count, a.Count), earlier(a, b))
	})
	return byTime[min(1, len(byTime)-1)]
}

// earlier orders places by when a symbol ticked there first.
func earlier(a, b SymbolPlace) int {
	return cmp.Or(cmp.Compare(a.Since, b.Since), cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.Offset, b.Offset))
}

// describeSplit names the places, with what is known of why there are several.
func (t *Topic) describeSplit(f *Finding, symbol string, places []SymbolPlace) {
	f.Observed = max(f.Observed, float64(len(places)))
	var sum, most int64
	for _, p := range places {
		sum += p.Count
		most = max(most, p.Count)
	}
	f.Count = max(f.Count, sum-most, int64(len(places)-1))
	on := ""
	for i, p := range places[:min(len(places), 8)] {
		if i > 0 {
			on += ", "
		}
		on += fmt.Sprintf("%d (from offset %d)", p.Partition, p.Offset)
	}
	why, action := t.whySplit(places)
	f.Cause = fmt.Sprintf("symbol %s of %s is written to %d partitions: %s; %s", symbol, t.name, len(places), on, why)
	f.Action = action
	listed := slices.Clone(places[:min(len(places), 64)])
	for i := range listed {
		listed[i].Venues = nil // they are for moves alone
	}
	f.Evidence["partitions"] = listed
	f.Evidence["partition_count"] = t.state.Partitions
	f.Evidence["hashes"] = fitting(places, t.state.Partitions)
}

// fitting names, for each place, the hashes that put its key there.
func fitting(places []SymbolPlace, n int32) map[string][]string {
	fits := map[string][]string{}
	for _, p := range places[:min(len(places), 8)] {
		key, whole := hidden(p.Key)
		if !whole || key == "" {
			continue
		}
		names := []string{}
		for _, h := range Hashes() {
			if h.Partition([]byte(key), n) == p.Partition {
				names = append(names, h.String())
			}
		}
		fits[strconv.Itoa(int(p.Partition))] = names
	}
	return fits
}
