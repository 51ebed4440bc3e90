package engine

import "sort"

// Episode is an open finding about a partition, or about one symbol's
// silence: what the finding says is made from it.
type Episode struct {
	Code        Code             `json:"code"`
	Kind        string           `json:"kind,omitempty"`   // such as OLD_TICK, SILENT
	Symbol      string           `json:"symbol,omitempty"` // of a silence, exact; otherwise that of the worst fault, escaped
	FirstOffset int64            `json:"first_offset"`
	LastOffset  int64            `json:"last_offset"`
	FirstTime   int64            `json:"first_time"`
	LastTime    int64            `json:"last_time"`
	Count       int64            `json:"count"`
	Worst       int64            `json:"worst"` // nanoseconds or a count, as the code has it
	Least       int64            `json:"least"`
	WorstOffset int64            `json:"worst_offset"`
	Step        int64            `json:"step"` // record time of the partition at the last fault
	Told        int64            `json:"told"` // the same at the last event
	Tally       map[string]int64 `json:"tally,omitempty"`
	Beyond      int64            `json:"beyond,omitempty"` // faults of names that no longer fit into Tally
	Note        string           `json:"note,omitempty"`
	Also        map[string]int64 `json:"also,omitempty"` // a second tally: of producers
	Skew        *SkewSums        `json:"skew,omitempty"` // of CLOCK_SKEW
}

// maxTallied is how much of a name is kept: a tally is part of a row and of
// every report of its finding.
const maxTallied = 256

// tally counts a fault under a name, in at most limit names.
func (e *Episode) tally(name string, limit int) { e.tallyOf(name, limit, 1) }

func (e *Episode) tallyOf(name string, limit int, n int64) {
	if !tallyIn(&e.Tally, name, limit, n) {
		e.Beyond = plus(e.Beyond, n)
	}
}

// also counts under a name of the second tally; what does not fit is left out.
func (e *Episode) also(name string, limit int) { tallyIn(&e.Also, name, limit, 1) }

func tallyIn(m *map[string]int64, name string, limit int, n int64) bool {
	if len(name) > maxTallied {
		name = name[:maxTallied] + "..."
	}
	if *m == nil {
		*m = make(map[string]int64, 1)
	}
	if _, ok := (*m)[name]; !ok && len(*m) >= limit {
		return false
	}
	(*m)[name] = plus((*m)[name], n)
	return true
}

// counted is the tally as evidence: names with counts, most first.
func (e *Episode) counted() []SymbolLoad {
	out := make([]SymbolLoad, 0, len(e.Tally))
	for n, c := range e.Tally {
		out = append(out, SymbolLoad{n, c})
	}
	sortLoads(out)
	return out
}

// sortLoads orders by count, most first, then by name.
func sortLoads(l []SymbolLoad) {
	sort.Slice(l, func(i, j int) bool {
		if l[i].Count != l[j].Count {
			return l[i].Count > l[j].Count
		}
		return l[i].Symbol < l[j].Symbol
	})
}

// fault notes one more fault of the code in the partition's episode, opens
// the episode when there is none, and ends an older one whose time is over.
// A record at or below the partition's row has been counted already.
func (p *Partition) fault(code Code, t *Tick, kind, symbol, name string, size int64) {
	if e, opened := p.note(code, t, kind, symbol, name, size); e != nil {
		p.tellOf(e, opened)
	}
}

// note is fault without the telling; nil: the record has been counted already.
func (p *Partition) note(code Code, t *Tick, kind, symbol, name string, size int64) (e *Episode, opened bool) {
	if !p.fresh {
		return nil, false
	}
	e, symbol = p.episodes[code], ShowBytes(symbol)
	if e != nil && p.row.Watermark-e.Step > episodeQuiet {
		p.endEpisode(e)
		e = nil
	}
	at := p.recordTime(t)
	if opened = e == nil; opened {
		e = &Episode{
			Code: code, Kind: kind, Symbol: symbol, FirstOffset: t.Offset, FirstTime: at,
			Worst: size, Least: size, WorstOffset: t.Offset, Told: p.row.Watermark,
		}
		p.episodes[code] = e
		if code == UnreadableValue || code == TimestampUnusable || code == SchemaUnknown {
			e.Note = firstBytes(t.Value)
		}
	}
	e.Count++
	e.LastOffset, e.LastTime, e.Step = t.Offset, at, p.row.Watermark
	if size > e.Worst {
		e.Worst, e.WorstOffset, e.Symbol = size, t.Offset, symbol
	}
	e.Least = min(e.Least, size)
	e.tally(name, p.limits.SpellingsPerEvidence)
	return e, opened
}

// tellOf tells of a fault noted in an episode: at once, or once a minute.
func (p *Partition) tellOf(e *Episode, opened bool) {
	switch {
	case e.Code == ClockSkew:
		p.changed, p.urgent = true, p.urgent || opened
	case opened:
		p.tell(p.episodeFinding(e, Opened))
	case p.row.Watermark-e.Told >= updateEvery:
		e.Told = p.row.Watermark
		p.tell(p.episodeFinding(e, Updated))
	}
}

// endEpisode resolves a partition's episode.
func (p *Partition) endEpisode(e *Episode) {
	delete(p.episodes, e.Code)
	if e.Code == ClockSkew {
		p.skews, p.changed = append(p.skews, p.skewPart(e, true)), true
		return
	}
	p.tell(p.episodeFinding(e, Resolved))
}

// endEpisodes resolves every episode that was quiet up to record time at.
func (p *Partition) endEpisodes(at int64, quiet int64) {
	for _, d := range detectors {
		e := p.episodes[d.code]
		if e == nil || d.lasting != 0 {
			continue
		}
		if e.Step == NoTime {
			e.Step = at // its quiet time begins now
		}
		if at-e.Step > quiet {
			p.endEpisode(e)
		}
	}
	p.endQuietSymbols(at, quiet)
}

// episodeFinding is the episode as a report carries it.
func (p *Partition) episodeFinding(e *Episode, s State) Finding {
	id, symbol := p.id, e.Symbol
	if e.ofSymbol() {
		symbol = ShowBytes(symbol)
	}
	f := Finding{
		Code: e.Code, State: s, Severity: e.Code.Info().Severity, Topic: p.topic, Partition: &id,
		Symbol: symbol, FirstOffset: e.FirstOffset, LastOffset: e.LastOffset,
		FirstTime: Time(e.FirstTime), LastTime: Time(e.LastTime), Count: e.Count,
		Action: e.Code.Info().Action, Evidence: map[string]any{},
	}
	f.ID = findingID(p.topic, e.Code, p.subject(e), e.FirstOffset)
	if e.Kind != "" {
		f.Evidence["kind"] = e.Kind
	}
	for _, d := range detectors {
		if d.code == e.Code && d.describe != nil {
			d.describe(p, e, &f)
		}
	}
	return f
}

// subject is what the episode is about, for its id.
func (p *Partition) subject(e *Episode) string {
	if e.Kind == kindFrozen {
		return "frozen/" + p.idText + "/" + e.Symbol + p.life()
	}
	if e.ofSymbol() {
		return "symbol/" + p.idText + "/" + e.Symbol + p.life()
	}
	return "partition/" + p.idText + "/" + e.Kind + p.life()
}

// firstBytes shows the first bytes of a value, escaped.
func firstBytes(b []byte) string {
	const most = 64
	if len(b) > most {
		return ShowBytes(string(b[:most])) + "..."
	}
	return ShowBytes(string(b))
}
