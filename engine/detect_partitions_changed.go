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

// growthSubject names a growth by the count from which the topic grew: to which
// one it grew at first may be known only later.
func growthSubject(g *Growing) string { return "partitions/" + strconv.Itoa(int(g.From)) }

// followGrowths opens the findings about growths, brings them up to date, with
// the symbols that have changed, and ends each when every producer must have
// known of the new partitions for long. Growths that follow one another fast
// are told when the brokers have been asked once more, so that they are seen
// apart from each other, and with the counts at which keys were put meanwhile.
func (t *Topic) followGrowths(changed []string) {
	var follow []int
	for i := range t.state.Growths {
		g := &t.state.Growths[i]
		if open := t.find(growthSubject(g)) != nil; open || !g.Told && t.countHolds(growthSubject(g)) {
			follow = append(follow, i)
		}
	}
	t.moving.count(t, follow, changed)
	for k, i := range follow {
		t.followGrowth(&t.state.Growths[i], &t.moving.of[k])
	}
}

func (t *Topic) followGrowth(g *Growing, m *growthMoves) {
	subject := growthSubject(g)
	if f := t.find(subject); f == nil {
		f = t.newFinding(PartitionsChanged, subject, -1)
		f.FirstTime, f.Unit = Time(g.Time), "partitions"
		t.describeGrowth(f, g, m)
		g.Told, t.changed["t"] = true, true
		t.openFinding(subject, f)
	} else if f.Observed != float64(g.To) { // a count between has shown itself
		t.describeGrowth(f, g, m)
		f.LastTime = max(f.LastTime, Time(t.latest()))
		t.open[subject].Told = NoTime
		t.update(subject)
	} else if told := m.told; t.describeGrowth(f, g, m) != told {
		t.changed["t"], t.changed["f/"+subject] = true, true
	}
	first := t.firstIn(g.From)
	if first == NoTime {
		first = g.Time
	}
	if latest := t.latest(); first != NoTime && latest > first+growthSlack && t.settled() {
		f := t.find(subject)
		f.LastTime = max(f.LastTime, Time(first))
		t.close(subject)
	}
}

// describeGrowth brings the finding up to date with what is known now, and says
// in short what that is.
func (t *Topic) describeGrowth(f *Finding, g *Growing, m *growthMoves) string {
	f.Count = max(f.Count, m.total)
	f.Observed, f.Threshold = float64(g.To), float64(g.From)
	if first := t.firstIn(g.From); first != NoTime {
		f.FirstTime = Time(first)
	}
	f.LastTime = max(f.LastTime, f.FirstTime)
	offsets := map[string]int64{}
	for id := g.From; id < g.To && len(offsets) < 64; id++ {
		if p := t.parts[id]; p != nil && p.Stats.From >= 0 {
			offsets[strconv.Itoa(int(id))] = p.Stats.From
		}
	}
	lead := t.movedBy(g)
	f.Evidence["from"], f.Evidence["to"] = g.From, g.To
	f.Evidence["how_known"], f.Evidence["function"] = g.howKnown(), lead
	f.Evidence["moved"], f.Evidence["moved_total"] = append([]Moving{}, m.listed...), m.total
	f.Evidence["first_offsets"] = offsets
	moves := plural(m.total, "symbol") + " of those seen so far"
	if m.total == 1 {
		moves += " moves"
	} else {
		moves += " move"
	}
	if lead == "" {
		moves = "by a function that is not known " + moves
	}
	f.Cause = fmt.Sprintf("topic %s grew from %d to %d partitions: %s to another partition, and what they wrote before stays where it was",
		t.name, g.From, g.To, moves)
	m.told = fmt.Sprint(f.Count, m.total, f.FirstTime, lead, m.listed, len(offsets))
	return m.told
}

// movedBy names the function by which symbols move, or those of a mixture.
func (t *Topic) movedBy(g *Growing) string {
	lead := familyNamed(g.Lead)
	if slices.ContainsFunc(t.placing.explained.members, func(m member) bool { return m.family == lead }) {
		return t.partitionerSeen()
	}
	if now, known := t.follows(); lead == noFamily && known {
		return now.String()
	}
	return g.Lead
}

func (g *Growing) howKnown() string {
	switch {
	case !g.Seen:
		return "inferred from where keys lie: the topic grew before the audit began"
	case g.Between:
		return "the count was seen to rise, and where keys lie shows that it did so in steps"
	}
	return "the count was seen to rise"
}

// hasMoved notes a symbol that goes on at home, and has left its other places.
func (t *Topic) hasMoved(name string, s *TopicSymbol, home *SymbolPlace) {
	t.across(name, s, home)
	if !s.Moved && len(t.state.Growths) > 0 {
		s.Moved = true
		t.changed["s/"+name] = true
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
