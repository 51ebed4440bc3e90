package engine

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// Moving is a symbol that has gone to another partition because the topic has
// grown.
type Moving struct {
	Symbol string `json:"symbol"`
	From   int32  `json:"from"`
	To     int32  `json:"to"`
}

const movesListed = 20

func growthSubject(g *Growing) string { return fmt.Sprintf("partitions/%d-%d", g.From, g.To) }

// moves lists the symbols that the function puts elsewhere at a count of to
// partitions than at a count of from. Without a function none is known.
func (t *Topic) moves(f family, known bool, from, to int32) (moved []Moving) {
	if !known {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(t.symbols)) {
		for i := range t.symbols[name].Places {
			p := &t.symbols[name].Places[i]
			key, whole := hidden(p.Key)
			if !whole || key == "" || placesOf([]byte(key), from)[f] != p.Partition {
				continue
			}
			if at := placesOf([]byte(key), to)[f]; at != p.Partition {
				moved = append(moved, Moving{name, p.Partition, at})
			}
			break
		}
	}
	return moved
}

// partitionsChanged opens the finding about a growth.
func (t *Topic) partitionsChanged(g *Growing, moved []Moving) {
	subject := growthSubject(g)
	f := t.newFinding(PartitionsChanged, subject, -1)
	f.FirstTime, f.LastTime = Time(g.Time), Time(g.Time)
	f.Observed, f.Threshold, f.Unit = float64(g.To), float64(g.From), "partitions"
	g.Moves = int64(len(moved))
	f.Evidence["from"], f.Evidence["to"] = g.From, g.To
	f.Evidence["how_known"] = "the count was seen to rise"
	if !g.Seen {
		f.Evidence["how_known"] = "inferred from where keys lie: the topic grew before the audit began"
	}
	f.Evidence["function"] = g.Lead
	f.Evidence["moved"] = append([]Moving{}, moved[:min(len(moved), movesListed)]...)
	t.describeGrowth(f, g)
	t.openFinding(subject, f)
}

// describeGrowth brings the finding up to date with what is known now.
func (t *Topic) describeGrowth(f *Finding, g *Growing) {
	f.Count = max(f.Count, g.Moves, g.Moved)
	offsets := map[string]int64{}
	for id := g.From; id < g.To && len(offsets) < 64; id++ {
		if p := t.parts[id]; p != nil && p.Stats.From >= 0 {
			offsets[strconv.Itoa(int(id))] = p.Stats.From
		}
	}
	f.Evidence["first_offsets"] = offsets
	f.Evidence["moved_total"] = f.Count
	moves := plural(f.Count, "symbol") + " of those seen so far"
	if g.Lead == "" {
		moves += ", whose function is not known,"
	}
	f.Cause = fmt.Sprintf("topic %s grew from %d to %d partitions: %s have moved to another partition, and what they wrote before stays where it was",
		t.name, g.From, g.To, moves)
}

// hasMoved notes a symbol that goes on at home, and has left its other places.
func (t *Topic) hasMoved(name string, s *TopicSymbol, home *SymbolPlace) {
	t.across(name, s, home)
	if s.Moved || len(t.state.Growths) == 0 {
		return
	}
	s.Moved = true
	t.changed["s/"+name] = true
	old := &s.Places[0]
	if old.Partition == home.Partition {
		old = &s.Places[1]
	}
	g := t.movedBy(old)
	g.Moved++
	f := t.find(growthSubject(g))
	if f == nil {
		return
	}
	t.changed["t"], t.changed["f/"+growthSubject(g)] = true, true
	if moved, ok := f.Evidence["moved"].([]Moving); ok && g.Moves == 0 && len(moved) < movesListed {
		f.Evidence["moved"] = append(slices.Clone(moved), Moving{name, old.Partition, home.Partition})
	}
}

// movedBy is the growth that took a symbol away from a place.
func (t *Topic) movedBy(old *SymbolPlace) *Growing {
	key, _ := hidden(old.Key)
	for i := range t.state.Growths {
		g := &t.state.Growths[i]
		for f := range familyCount {
			if f.String() == g.Lead && !old.Old && t.excused(f, key, old.Partition, unset(old.Seen), g) {
				return g
			}
		}
	}
	return &t.state.Growths[len(t.state.Growths)-1]
}

// followGrowths counts moves, and ends the finding about a growth when every
// producer must have known of the new partitions for long.
func (t *Topic) followGrowths() {
	for i := range t.state.Growths {
		g := &t.state.Growths[i]
		subject := growthSubject(g)
		f := t.find(subject)
		if f == nil {
			continue
		}
		was := f.Count
		t.describeGrowth(f, g)
		if f.Count > was {
			t.changed["t"], t.changed["f/"+subject] = true, true
		}
		first := t.firstIn(g.From)
		if first == NoTime {
			first = g.Time
		}
		if latest := t.latest(); first != NoTime && latest > first+growthSlack && t.settled() {
			f.LastTime = max(f.LastTime, Time(first))
			t.close(subject)
		}
	}
}

// endAtGrowth ends what is known of where keys lie at the smaller count.
func (t *Topic) endAtGrowth() {
	for _, subject := range slices.Sorted(maps.Keys(t.open)) {
		switch t.open[subject].Finding.Code {
		case SymbolSplit, PartitionerMixed, PartitionerMismatch:
			t.close(subject)
		}
	}
}

// across judges whether a symbol that has moved went back in time by it: the
// first tick on its new partition against the last on the old ones, by venue
// where order goes by that.
func (t *Topic) across(name string, s *TopicSymbol, home *SymbolPlace) {
	for i := range s.Places {
		p := &s.Places[i]
		if p.Since > home.Since || len(t.state.Growths) > 1 && p.Partition != home.Partition && unset(p.Seen) > home.Since {
			return // it has come back, and the first tick since then is not known
		}
	}
	steps := t.stepsBack(s, home)
	if len(steps) == 0 {
		return
	}
	subject := "moved/" + strconv.Itoa(int(home.Partition)) + "/" + name
	f := t.find(subject)
	opened := f == nil
	if opened {
		if t.state.Past[subject] > 0 {
			return // told, and over
		}
		if !t.countHolds(subject) {
			t.counted.symbols[name] = true // it may have gone on to a partition by a count that is not known yet
			return
		}
		id := home.Partition
		f = t.newFinding(UpstreamDisorder, subject, home.Offset)
		f.Partition, f.Symbol, f.Unit = &id, name, "ms"
	}
	was, count := f.Observed, f.Count
	t.describeAcross(f, name, steps)
	if opened {
		t.openFinding(subject, f)
	} else if f.Observed > was || f.Count > count {
		t.update(subject)
	}
}

func (t *Topic) describeAcross(f *Finding, name string, steps []stepBack) {
	first, latest := &steps[0], &steps[len(steps)-1]
	worst := slices.MaxFunc(steps, func(a, b stepBack) int { return cmp.Compare(a.last-a.first, b.last-b.first) })
	f.Count = max(f.Count, int64(len(steps)))
	f.FirstOffset, f.FirstTime, f.LastOffset, f.LastTime = first.offset, Time(first.at), latest.offset, Time(latest.at)
	back := worst.last - worst.first
	f.Observed = max(f.Observed, millis(back))
	f.Evidence = map[string]any{
		"worst_step_ns": back, "worst_offset": worst.offset, "judged_by": "symbol, across the growth of the topic",
		"moved_from": worst.from, "last_event_there": Time(worst.last), "first_event_here": Time(worst.first),
	}
	of := name
	if t.limits.OrderByVenue {
		venues := map[string]int64{}
		for i := range steps {
			venues[steps[i].venue] = 1
		}
		f.Evidence["judged_by"], f.Evidence["venues"] = "symbol and venue, across the growth of the topic", venues
		of += fmt.Sprintf(" from venue %q", worst.venue)
	}
	f.Cause = fmt.Sprintf("event time of %s went back by %s when it moved from %s/%d to partition %d, as the topic has grown: readers of both partitions cannot put its ticks in order",
		of, showDuration(back), t.name, worst.from, *f.Partition)
}

// endAcross ends such findings after the quiet time of disorder.
func (t *Topic) endAcross() {
	var over []string // few of what may be many open findings
	for subject, e := range t.open {
		f := &e.Finding
		if f.Code != UpstreamDisorder {
			continue
		}
		if p := t.parts[*f.Partition]; p != nil && p.Stats.Watermark != NoTime && p.Stats.Watermark-int64(f.FirstTime) > episodeQuiet {
			over = append(over, subject)
		}
	}
	if len(over) == 0 || !t.settled() {
		return
	}
	slices.Sort(over)
	for _, subject := range over {
		t.close(subject)
	}
}
