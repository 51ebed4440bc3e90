package engine

import (
	"slices"
	"time"
)

// Growing is a rise of the topic's partition count.
type Growing struct {
	From    int32  `json:"from"`
	To      int32  `json:"to"`
	Seen    bool   `json:"seen"`              // the count was seen to rise; otherwise it is inferred from where keys lie
	Time    int64  `json:"time"`              // greatest record time when it was found
	Lead    string `json:"lead,omitempty"`    // function that the keys followed
	Sure    bool   `json:"sure,omitempty"`    // the first record beyond From is known: all that was written by then has been read
	Told    bool   `json:"told,omitempty"`    // its finding has been opened
	Between bool   `json:"between,omitempty"` // seen, but for a count on the way that keys have shown
}

// growthSlack is how long after the first record in a new partition a producer
// may go on without knowing of it: twice the usual metadata.max.age.ms.
const growthSlack = int64(10 * time.Minute)

// grow notes that the partition count is seen to be n. What was known of
// where keys lie is about another count from here on.
func (t *Topic) grow(n int32) {
	from := t.state.Partitions
	t.state.Partitions = n
	t.changed["t"] = true
	if !t.heardOf() {
		t.placing = newPlacing()
		return // nothing was audited at the smaller count
	}
	t.makeIfNeeded(from)
	g := Growing{From: from, To: n, Seen: true, Time: t.latest()}
	lead, known := t.follows()
	if known {
		g.Lead = lead.String()
	}
	t.placing = newPlacing()
	t.forgetWaiting()
	t.endAtGrowth()
	for id, p := range t.parts {
		if p.Settled { // what was written at the new count is to be read to its end too
			p.Settled, t.changed[partKey(id)] = false, true
		}
	}
	t.sums = partSums{}
	t.state.Growths = append(t.state.Growths, g)
}

// keepState sees to it that the partition count has a row before anything else
// has, as a later run tells growth by it. State without that row goes by the
// statistics of its partitions.
func (t *Topic) keepState() {
	if t.kept {
		return
	}
	t.kept, t.changed["t"] = true, true
	known := int32(0)
	for _, p := range t.parts {
		known = max(known, p.Stats.Partitions)
	}
	if known > 0 {
		t.state.Partitions = known
	}
}

func (t *Topic) heardOf() bool {
	for _, p := range t.parts {
		if p.Stats.Through >= 0 {
			return true
		}
	}
	return false
}

// makeIfNeeded makes the placing at the partition count that held until now.
func (t *Topic) makeIfNeeded(n int32) {
	if now := t.state.Partitions; !t.placing.made {
		t.state.Partitions = n
		t.makePlacing()
		t.state.Partitions = now
	}
	if t.placing.changed {
		t.placing.changed = false
		t.placing.explained = explain(t.adjusted(), t.placing.kin)
		t.countMovedKeys()
	}
}

// follows is the function that most keys follow, when that is certain; before
// enough keys are known at today's partition count, the one from before.
func (t *Topic) follows() (f family, known bool) {
	e := &t.placing.explained
	if len(e.members) > 0 && len(e.members[0].rivals) == 0 {
		return e.members[0].family, true
	}
	if n := len(t.state.Growths); n > 0 && e.verdict == Undecided {
		for f := range familyCount {
			if f.String() == t.state.Growths[n-1].Lead && (e.keys == 0 || slices.Contains(e.candidates, f)) {
				return f, true
			}
		}
	}
	return noFamily, false
}

// latest is the greatest record time of all partitions.
func (t *Topic) latest() int64 {
	at := int64(NoTime)
	for _, p := range t.parts {
		at = max(at, p.Stats.Watermark)
	}
	return at
}

// firstIn is the first record time in the partitions from n on, NoTime: none
// has a record.
func (t *Topic) firstIn(n int32) int64 {
	at := int64(NoTime)
	for id, p := range t.parts {
		if f := p.Stats.FirstTime; id >= n && f != NoTime && (at == NoTime || f < at) {
			at = f
		}
	}
	return at
}

// settled reports whether every partition has been read to its end once, so
// that nothing of the past is still to come.
func (t *Topic) settled() bool {
	return t.ending || t.summed().unsettled == 0
}

// excused reports whether a key lay on the partition rightly before the topic
// grew: the function put it there then, and it ticked there last before
// producers must have known of the new partitions.
func (t *Topic) excused(f family, key string, partition int32, seen int64, g *Growing) bool {
	if key == "" || partition >= g.From || placesOf([]byte(key), g.From)[f] != partition {
		return false
	}
	return t.intime(seen, g)
}

func (t *Topic) intime(seen int64, g *Growing) bool {
	first := t.firstIn(g.From)
	if first == NoTime {
		first = g.Time
	}
	return first == NoTime || seen == NoTime || seen <= first+growthSlack
}

// adjusted are the classes in which keys from before a growth count as fitting
// the functions that put them there then.
func (t *Topic) adjusted() []fitClass {
	raw := t.classes()
	if len(t.state.Growths) == 0 {
		return raw
	}
	movers := explain(raw, t.placing.kin).members
	if f := t.grownBy(raw); f != noFamily {
		movers = append(movers, member{family: f})
	}
	out := t.adjustedBy(raw, movers)
	least := explain(out, t.placing.kin).leftKeys
	if least < straysMin {
		return out
	}
	// Another function may lie hidden, as the growth has moved its keys too.
	for f := range familyCount {
		if f.faulty() || explains(movers, 1<<f) {
			continue
		}
		with := t.adjustedBy(raw, append(slices.Clone(movers), member{family: f}))
		if e := explain(with, t.placing.kin); e.leftKeys < least && explains(e.members, 1<<f) {
			out, least = with, e.leftKeys
		}
	}
	return out
}

// adjustedBy are the classes in which keys that one of the functions put there
// before a growth count as fitting it.
func (t *Topic) adjustedBy(raw []fitClass, movers []member) []fitClass {
	out := make([]fitClass, 0, len(raw))
	for _, c := range raw {
		list := t.placing.witness[c.fits]
		if explains(movers, c.fits) || len(list) == 0 {
			out = append(out, c)
			continue
		}
		var shares [1 << familyCount]int
		for i := range list {
			then := Fits(0)
			for _, m := range movers {
				if t.before(m.family, &list[i]) {
					then |= 1 << m.family
				}
			}
			shares[c.fits|then]++
		}
		for fits, n := range shares {
			if n > 0 {
				share := float64(n) / float64(len(list))
				out = append(out, fitClass{Fits(fits), c.keys * share, c.main * share, c.ticks * share})
			}
		}
	}
	return out
}

// grownBy is the function by which keys have moved: the one that was found with
// the last growth, or else the one that explains most keys.
func (t *Topic) grownBy(raw []fitClass) family {
	for f := range familyCount {
		if f.String() == t.state.Growths[len(t.state.Growths)-1].Lead {
			return f
		}
	}
	return lead(raw, t.placing.kin).family
}

// countMovedKeys counts, for each function, the places beyond the first of the
// keys that it explains: those that growth has moved.
func (t *Topic) countMovedKeys() {
	members := t.placing.explained.members
	if len(t.state.Growths) == 0 {
		return
	}
	for name := range t.wide {
		var places [membersMax]int
		for i := range t.symbols[name].Places {
			p := &t.symbols[name].Places[i]
			if p.Old || !p.counted || !p.Spelled {
				continue
			}
			key, _ := hidden(p.Key)
			if by := slices.IndexFunc(members, func(m member) bool {
				return p.Fits.has(m.family) || t.explainedByAny(m.family, key, p)
			}); by >= 0 {
				places[by]++
			}
		}
		for i := range members {
			members[i].twice += float64(max(0, places[i]-1))
		}
	}
}

// before reports whether a growth explains the witness.
func (t *Topic) before(f family, w *witness) bool {
	for i := range t.state.Growths {
		if t.excused(f, w.key, w.partition, t.seen(w), &t.state.Growths[i]) {
			return true
		}
	}
	return false
}
