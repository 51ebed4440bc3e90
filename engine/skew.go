package engine

import (
	"maps"
	"math"
	"slices"
)

// SkewPart is what one partition knows of ticks ahead of the clock, from the
// first to 10 s after the last of them. The topic makes one finding of the
// parts of all partitions.
type SkewPart struct {
	Episode
	SkewSums
	Over   bool `json:"over,omitempty"`
	Placed bool `json:"placed,omitempty"` // the topic's finding that is open speaks of it
}

// SkewSums are sums over the ticks of a [SkewPart].
type SkewSums struct {
	Before    int64            `json:"before"`              // ticks of the partition with a time of their own before the first
	Ticks     int64            `json:"ticks"`               // ticks with a time of their own up to the last, ahead or not
	Leads     map[int32]int64  `json:"leads,omitempty"`     // ticks by how far they are ahead, see leadBin
	Producers map[string]int64 `json:"producers,omitempty"` // where a header names them
	Venues    map[string]int64 `json:"venues,omitempty"`    // where the value does
	Judged    map[string]int64 `json:"judged,omitempty"`    // ticks by the clock that judged them
	OnTime    map[string]int64 `json:"on_time,omitempty"`   // ticks between the first and the last that were not ahead, see byWhom
	Since     map[string]int64 `json:"since,omitempty"`     // the same since the last
	Own       int64            `json:"own,omitempty"`       // ticks whose record time is ahead of the wall clock by half as much as their event time, or more
	Trend     Trend            `json:"trend"`
}

// Trend is the straight line through offsets over time.
type Trend struct {
	N  float64 `json:"n"`
	T  float64 `json:"t"` // sums of seconds since the first tick, and of milliseconds ahead
	O  float64 `json:"o"`
	TT float64 `json:"tt"`
	TO float64 `json:"to"`
	OO float64 `json:"oo"`
}

func (c *Trend) add(t, o float64) {
	c.N++
	c.T, c.O, c.TT, c.TO, c.OO = c.T+t, c.O+o, c.TT+t*t, c.TO+t*o, c.OO+o*o
}

// slope is the line's in milliseconds a second, and the share of the offsets'
// variance that it explains.
func (c *Trend) slope() (slope, explained float64) {
	tt, oo, to := c.TT-c.T*c.T/c.N, c.OO-c.O*c.O/c.N, c.TO-c.T*c.O/c.N
	if c.N < 3 || tt <= 0 || oo <= 0 {
		return 0, 0
	}
	return to / tt, to * to / (tt * oo)
}

// Offsets are counted in bins 1/64 of an octave wide, so a median is known to
// about one per cent; there are so many at most.
const (
	leadSteps = 64
	leadBins  = 256
)

func leadBin(ns int64) int32 {
	return int32(math.Floor(math.Log2(float64(max(ns, 1))) * leadSteps))
}

func leadOf(bin int32) int64 { return int64(math.Exp2((float64(bin) + 0.5) / leadSteps)) }

// quantile is the offset that a share of the ticks does not exceed.
func (s *SkewSums) quantile(share float64) int64 {
	var n, upTo int64
	for _, k := range s.Leads {
		n += k
	}
	for _, bin := range slices.Sorted(maps.Keys(s.Leads)) {
		if upTo += s.Leads[bin]; float64(upTo) >= share*float64(n) {
			return leadOf(bin)
		}
	}
	return 0
}

// nameOf is a producer or venue as a tally has it.
func nameOf(b []byte) string { return ShowBytes(string(b[:min(len(b), maxTallied)])) }

// tallyName counts under a name, in at most limit names.
func tallyName(m *map[string]int64, name string, limit int) { tallyMore(m, name, 1, limit) }

func tallyMore(m *map[string]int64, name string, n int64, limit int) {
	if *m == nil {
		*m = map[string]int64{}
	}
	if _, ok := (*m)[name]; !ok && len(*m) >= limit {
		name = "others"
	}
	(*m)[name] += n
}

// byWhom names a producer or venue in [SkewSums.OnTime].
func byWhom(what, name string) string { return what + " " + name }

// onTime counts a tick that is not off while others are: a producer or venue
// of which most ticks are on time is not what explains those that are off.
func (p *Partition) onTime(code Code, t *Tick) {
	if len(t.Producer)+len(t.Venue) == 0 || !p.fresh {
		return
	}
	e := p.episodes[code]
	if e == nil || e.Skew == nil {
		return
	}
	limit := 4 * p.limits.SpellingsPerEvidence
	if len(t.Producer) > 0 {
		tallyName(&e.Skew.Since, byWhom("producer", nameOf(t.Producer)), limit)
	}
	if len(t.Venue) > 0 {
		tallyName(&e.Skew.Since, byWhom("venue", nameOf(t.Venue)), limit)
	}
}

// explains says whether the clock of a producer or venue can be what is wrong:
// nearly all of its ticks are ahead, of which there are n.
func (s *SkewSums) explains(who string, n int64) bool {
	return float64(n) >= 0.9*float64(n+s.OnTime[who])
}

// single is the one producer or venue that explains the ticks that are off, ""
// where there is none.
func (s *SkewPart) single() string {
	for _, of := range []struct {
		what string
		off  map[string]int64
	}{{"producer", s.Producers}, {"venue", s.Venues}} {
		for name, n := range of.off {
			if who := byWhom(of.what, name); len(of.off) == 1 && s.explains(who, n) {
				return who
			}
		}
	}
	return ""
}

// skewed adds a tick that is ahead of the clock to the partition's part.
func (p *Partition) skewed(t *Tick, ahead int64) {
	e := p.episodes[ClockSkew]
	if e == nil || !p.offBy(e, t, ahead, p.judgedBy()) {
		return
	}
	if s := e.Skew; p.judgedBy() == "wall_clock" && t.RecordTime != NoTime && t.RecordTime-p.late > ahead/2 {
		s.Own++
	}
}

// offBy adds a tick that is off by ns from the clock that by names to an episode's sums. It is
// false where the tick was counted before.
func (p *Partition) offBy(e *Episode, t *Tick, ns int64, by string) bool {
	if !p.fresh {
		return false
	}
	if e.Skew == nil {
		e.Skew = &SkewSums{Before: p.row.Counts.timed() - 1, Leads: map[int32]int64{}}
	}
	s := e.Skew
	s.Ticks = p.row.Counts.timed() - s.Before
	for who, n := range s.Since {
		tallyMore(&s.OnTime, who, n, 4*p.limits.SpellingsPerEvidence)
	}
	s.Since = nil
	bin := leadBin(ns)
	if _, ok := s.Leads[bin]; ok || len(s.Leads) < leadBins {
		s.Leads[bin]++
	}
	limit := p.limits.SpellingsPerEvidence
	if len(t.Producer) > 0 {
		tallyName(&s.Producers, nameOf(t.Producer), limit)
	}
	if len(t.Venue) > 0 {
		tallyName(&s.Venues, nameOf(t.Venue), limit)
	}
	tallyName(&s.Judged, by, 4)
	s.Trend.add(float64(p.recordTime(t)-e.FirstTime)/1e9, float64(ns)/1e6)
	return true
}

// median is the offset in the middle, and that of the only tick of one.
func (s *SkewPart) median() int64 {
	size := s.quantile(0.5)
	if s.Count == 1 || size == 0 {
		size = s.Worst
	}
	return rounded(min(max(size, s.Least), s.Worst))
}

// constant reports whether the offsets scatter little around size.
func (s *SkewPart) constant(size int64) bool {
	return s.Count > 1 && s.quantile(0.9)-s.quantile(0.1) <= max(50*recordTick, size/20)
}

// part is the episode as the topic is told of it.
func (p *Partition) skewPart(e *Episode, over bool) SkewPart {
	part := SkewPart{Episode: e.clone(), Over: over}
	if part.Skew != nil {
		part.SkewSums, part.Skew = *part.Skew, nil
	}
	return part
}

// skewsToTell are the parts for the next statistics.
func (p *Partition) skewsToTell() []SkewPart {
	parts := slices.Clone(p.skews)
	if e := p.episodes[ClockSkew]; e != nil {
		parts = append(parts, p.skewPart(e, false))
	}
	return parts
}

// clone is the sums with maps of their own.
func (s *SkewSums) clone() *SkewSums {
	c := *s
	c.Leads, c.Producers, c.Venues, c.Judged = maps.Clone(s.Leads), maps.Clone(s.Producers), maps.Clone(s.Venues), maps.Clone(s.Judged)
	c.OnTime, c.Since = maps.Clone(s.OnTime), maps.Clone(s.Since)
	return &c
}

// add joins another part to this one.
func (s *SkewPart) add(o *SkewPart) {
	if s.Count == 0 {
		*s = *o
		s.Episode, s.SkewSums = o.Episode.clone(), *o.SkewSums.clone()
		return
	}
	s.Count += o.Count
	s.FirstTime, s.LastTime = min(s.FirstTime, o.FirstTime), max(s.LastTime, o.LastTime)
	s.Told, s.Step = min(s.Told, o.Told), max(s.Step, o.Step)
	s.FirstOffset, s.LastOffset = min(s.FirstOffset, o.FirstOffset), max(s.LastOffset, o.LastOffset)
	s.Least = min(s.Least, o.Least)
	if o.Worst > s.Worst {
		s.Worst, s.WorstOffset, s.Symbol = o.Worst, o.WorstOffset, o.Symbol
	}
	s.Beyond += o.Beyond
	for _, m := range []struct {
		to   *map[string]int64
		from map[string]int64
	}{{&s.Tally, o.Tally}, {&s.Producers, o.Producers}, {&s.Venues, o.Venues}, {&s.Judged, o.Judged}, {&s.OnTime, o.OnTime}} {
		for k, n := range m.from {
			if *m.to == nil {
				*m.to = map[string]int64{}
			}
			(*m.to)[k] += n
		}
	}
	if s.Leads == nil {
		s.Leads = map[int32]int64{}
	}
	for k, n := range o.Leads {
		s.Leads[k] += n
	}
	s.Ticks += o.Ticks
	s.Own += o.Own
	if o.Trend.N > s.Trend.N {
		s.Trend = o.Trend
	}
}

// over are the parts that do not go on.
func over(parts []SkewPart) []SkewPart {
	return slices.DeleteFunc(slices.Clone(parts), func(s SkewPart) bool { return !s.Over })
}
